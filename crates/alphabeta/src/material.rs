//! Material: what is on the board and in hand, in hundredths of a pawn.

use rules::{Color, Kind, Piece, Position, Square, Variant};

/// Value on the board by kind number; the king is never counted.
pub(crate) const ON_BOARD: [i32; 15] =
    [0, 100, 300, 320, 480, 800, 950, 540, 0, 520, 520, 520, 530, 1100, 1250];

/// A piece in hand can go anywhere: worth a little more than its unpromoted self.
const IN_HAND: [i32; 8] = [0, 115, 340, 360, 530, 880, 1050, 600];

/// Value of a piece, 0 for none.
pub(crate) fn value(piece: Piece) -> i32 {
    ON_BOARD[piece.kind_index()]
}

/// The balance for the side to move.
pub(crate) fn evaluate<V: Variant>(position: &Position<V>) -> i32 {
    let us = position.turn();
    let mut balance = 0;
    for square in Square::all(V::GAME) {
        let piece = position.piece_at(square);
        balance += if piece.is_of(us) { value(piece) } else { -value(piece) };
    }
    balance + in_hand(position, us) - in_hand(position, !us)
}

fn in_hand<V: Variant>(position: &Position<V>, color: Color) -> i32 {
    let hand = position.hand(color);
    Kind::HAND.iter().map(|&kind| hand.count(kind) as i32 * IN_HAND[kind.index()]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Minishogi, Shogi};

    #[test]
    fn start_positions_are_balanced_and_colours_symmetric() {
        assert_eq!(evaluate(&Position::<Shogi>::startpos()), 0);
        assert_eq!(evaluate(&Position::<Minishogi>::startpos()), 0);
        let of = |sfen| evaluate(&Position::<Shogi>::from_sfen(sfen).unwrap());
        let black = of("4k4/9/9/9/9/9/9/9/R3K4 b B2p 1");
        assert_eq!(black, 950 + 880 - 230);
        assert_eq!(of("4k4/9/9/9/9/9/9/9/R3K4 w B2p 1"), -black);
    }
}
