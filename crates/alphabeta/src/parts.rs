//! Keys of parts of a position: what the evaluation was wrong about is often the same wherever these
//! parts are the same.

use crate::history::place;
use rules::{Bits, Color, Delta, Kind, Piece, Position, Square, Variant};

/// One key for the minor pieces of both sides, and for each side one for all but its pawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PartKeys {
    pub(crate) minor: u64,
    pub(crate) sides: [u64; 2],
}

/// Kinds that are not minor, one bit each.
const MAJOR: u32 = {
    let kinds = [Kind::King, Kind::Rook, Kind::Bishop, Kind::Dragon, Kind::Horse];
    let mut set = 0;
    let mut i = 0;
    while i < kinds.len() {
        set |= 1 << kinds[i].index();
        i += 1;
    }
    set
};

impl PartKeys {
    /// Those of a position.
    pub(crate) fn of<V: Variant>(pos: &Position<V>) -> Self {
        let mut keys = Self::default();
        for color in Color::BOTH {
            for kind in Kind::ALL {
                let piece = Piece::new(color, kind);
                pos.pieces_of(color, kind).each(|sq| keys.toggle(piece, sq));
            }
        }
        keys
    }

    /// Those after a move.
    #[inline]
    pub(crate) fn after(mut self, delta: &Delta) -> Self {
        self.toggle(delta.lifted, delta.from);
        self.toggle(delta.captured, delta.to);
        self.toggle(delta.placed, delta.to);
        self
    }

    /// Puts a piece in or takes it out; no piece changes nothing.
    #[inline]
    fn toggle(&mut self, piece: Piece, sq: Square) {
        let kind = 1u32 << piece.kind_index();
        if kind & (1 | 1 << Kind::Pawn.index()) != 0 {
            return;
        }
        let number = (place(piece, sq) as u64 + 1).wrapping_mul(seed::GAMMA);
        let number = (number ^ number >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let number = number ^ number >> 32;
        self.minor ^= if kind & MAJOR == 0 { number } else { 0 };
        self.sides[piece.index() >> 4] ^= number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Minishogi, Shogi};
    use seed::Rng;

    /// Kept move by move they are those of the position.
    fn check<V: Variant>(seed: u64) {
        let mut rng = Rng::new(seed);
        let mut pos = Position::<V>::startpos();
        let mut keys = PartKeys::of(&pos);
        for _ in 0..300 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            let before = keys;
            let delta = pos.play(moves[rng.below(moves.len())]);
            keys = keys.after(&delta);
            assert_eq!(keys, PartKeys::of(&pos));
            let pawns = [delta.lifted, delta.placed, delta.captured]
                .iter()
                .all(|piece| piece.kind().is_none_or(|kind| kind == Kind::Pawn));
            assert_eq!(keys == before, pawns, "{delta:?}");
        }
    }

    #[test]
    fn keys_follow_the_moves() {
        (0..20).for_each(check::<Shogi>);
        (0..20).for_each(check::<Minishogi>);
    }
}
