//! What statistics of moves heed besides the moves: attacked squares.

use rules::{Bits, Color, Kind, Move, Position, Variant};
use std::cell::OnceCell;

/// All squares that a side attacks.
pub(crate) fn attacked_by<V: Variant>(pos: &Position<V>, color: Color) -> V::Bits {
    let (own, occupied) = (pos.pieces(color), pos.occupied());
    let pawns = pos.pieces_of(color, Kind::Pawn) & !V::dead_zone(color, Kind::Pawn);
    let mut all = if color == Color::Black { pawns.up() } else { pawns.down() };
    for kind in [Kind::Knight, Kind::Silver, Kind::King] {
        pos.pieces_of(color, kind).each(|sq| all |= V::reach(color, kind, sq));
    }
    (pos.golds() & own).each(|sq| all |= V::reach(color, Kind::Gold, sq));
    pos.pieces_of(color, Kind::Lance).each(|sq| all |= V::lance_attacks(color, sq, occupied));
    let promoted = (pos.kind(Kind::Horse) | pos.kind(Kind::Dragon)) & own;
    promoted.each(|sq| all |= V::reach(color, Kind::King, sq));
    let bishops = (pos.kind(Kind::Bishop) | pos.kind(Kind::Horse)) & own;
    bishops.each(|sq| all |= V::bishop_attacks(sq, occupied));
    let rooks = (pos.kind(Kind::Rook) | pos.kind(Kind::Dragon)) & own;
    rooks.each(|sq| all |= V::rook_attacks(sq, occupied));
    all
}

/// What the side not to move attacks in one position: found out when it is first asked for, since most nodes
/// are cut before.
pub(crate) struct Attacked<V: Variant>(OnceCell<V::Bits>);

impl<V: Variant> Attacked<V> {
    pub(crate) fn new() -> Self {
        Self(OnceCell::new())
    }

    /// Those squares. It is always the same position that is asked about.
    #[inline]
    pub(crate) fn squares(&self, pos: &Position<V>) -> V::Bits {
        *self.0.get_or_init(|| attacked_by(pos, pos.turn().opponent()))
    }

    /// What is told apart of a move: 1 that it enters an attacked square, 2 that it leaves one; as far as asked for.
    #[inline]
    pub(crate) fn heed(&self, pos: &Position<V>, m: Move, asked: i32) -> usize {
        if asked == 0 {
            return 0;
        }
        let attacked = self.squares(pos);
        let enters = usize::from(attacked.has(m.to()));
        let leaves = usize::from(!m.is_drop() && attacked.has(m.from()));
        (enters | leaves << 1) & asked as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Minishogi, Shogi, Square};

    fn check<V: Variant>(sfen: &str) {
        let pos = Position::<V>::from_sfen(sfen).unwrap();
        for color in Color::BOTH {
            let all = attacked_by(&pos, color);
            for sq in (0..V::SQUARES).map(Square::new) {
                assert_eq!(
                    all.has(sq),
                    pos.is_attacked(color, sq, pos.occupied()),
                    "{sq:?} in {sfen}"
                );
            }
        }
    }

    #[test]
    fn attacked_squares_are_those_with_an_attacker() {
        check::<Shogi>(Shogi::START);
        check::<Shogi>("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
        check::<Shogi>("k8/9/+P2+R1+b3/9/4L4/9/2+r6/3+B5/8K w 2G2S 1");
        check::<Minishogi>(Minishogi::START);
        check::<Minishogi>("4k/3gs/4P/R4/K3B b SPGrb 1");
    }

    #[test]
    fn moves_are_told_apart_as_far_as_asked_for() {
        let pos = Position::<Shogi>::from_sfen("4k4/9/9/4p4/4S4/9/9/9/4K4 b G 1").unwrap();
        let attacked = Attacked::new();
        let heed = |usi: &str, asked| attacked.heed(&pos, pos.parse_usi(usi).unwrap(), asked);
        assert_eq!([0, 1, 2, 3].map(|asked| heed("5e6f", asked)), [0, 0, 2, 2]);
        assert_eq!([1, 3].map(|asked| heed("G*5b", asked)), [1, 1]);
        assert_eq!(heed("G*5h", 3), 0);
    }
}
