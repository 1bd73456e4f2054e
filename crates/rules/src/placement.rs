//! Positions from what stands where, without a detour through text.

use crate::position::Position;
use crate::sfen::{
    Counts, Kings, MAX_PLY, check_counts, check_pawns_and_dead_pieces, check_waiting_side,
};
use crate::{Color, Hand, Kind, Piece, Square, Variant};

impl<V: Variant> Position<V> {
    /// A position with those pieces by number of square, hands, side to move and number of the
    /// next move. It must be one that SFEN could say, or every reason why not is returned.
    pub fn from_placement(
        board: &[Piece],
        hands: [Hand; 2],
        turn: Color,
        ply: u32,
        kings: Kings,
    ) -> Result<Self, Vec<String>> {
        let mut reasons = Vec::new();
        if board.len() != V::SQUARES {
            let squares = V::SQUARES;
            return Err(vec![format!("{} squares, expected {squares}", board.len())]);
        }
        if ply > MAX_PLY {
            reasons.push(format!("move number is {ply}, expected 1 to {MAX_PLY}"));
        }
        let mut position = Self::empty();
        let mut counts = Counts::default();
        for (index, &piece) in board.iter().enumerate() {
            let (Some(kind), Some(color)) = (piece.kind(), piece.color()) else { continue };
            counts.kinds[kind.unpromoted().index()] += 1;
            if kind == Kind::King {
                counts.kings[color.index()] += 1;
            }
            position.put(piece, Square::new(index));
        }
        for hand in hands {
            for kind in Kind::HAND {
                counts.kinds[kind.index()] += hand.count(kind);
            }
        }
        check_counts::<V>(&counts, kings, &mut reasons);
        if !reasons.is_empty() {
            return Err(reasons);
        }
        position.state.hands = hands;
        position.turn = turn;
        position.ply = ply.max(1);
        if kings == Kings::Lenient {
            position.stacked = true;
        } else {
            check_pawns_and_dead_pieces(&position, &mut reasons);
        }
        if reasons.is_empty() {
            position.settle();
            check_waiting_side(&position, &mut reasons);
        }
        if reasons.is_empty() { Ok(position) } else { Err(reasons) }
    }
}
