//! Positions from what stands where, without a detour through text.

use crate::bits::Bits;
use crate::position::Position;
use crate::sfen::{
    Counts, Kings, MAX_PLY, check_counts, check_pawns_and_dead_pieces, check_waiting_side,
};
use crate::{Color, Hand, Kind, Piece, Square, Variant, zobrist};

/// The number of the kind a piece has in hand, by that of its kind.
const UNPROMOTED: [usize; 16] = {
    let mut table = [0; 16];
    let mut kind = 0;
    while kind < Kind::ALL.len() {
        table[Kind::ALL[kind].index()] = Kind::ALL[kind].unpromoted().index();
        kind += 1;
    }
    table
};

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
        position.put_all(pieces_of(board).inspect(|(piece, _)| {
            counts.kinds[UNPROMOTED[piece.kind_index()]] += 1;
        }));
        for color in Color::BOTH {
            counts.kings[color.index()] = position.pieces_of(color, Kind::King).count() as usize;
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

    /// What [`Position::key`] is of that position, without setting it up; nothing is checked.
    pub fn key_of_placement(board: &[Piece], hands: [Hand; 2], turn: Color) -> u64 {
        let board = &board[..board.len().min(V::SQUARES)];
        let pieces = pieces_of(board).fold(0, |key, (piece, sq)| key ^ zobrist::board(piece, sq));
        let turn = if turn == Color::White { zobrist::turn() } else { 0 };
        pieces ^ turn ^ zobrist::hands(hands)
    }
}

/// The pieces of a board with their squares. Where something stands is found without a question whose answer no processor can
/// guess: half of the squares are empty.
fn pieces_of(board: &[Piece]) -> impl Iterator<Item = (Piece, Square)> + '_ {
    let (mut places, mut count) = ([0u8; 81], 0);
    for (index, piece) in board.iter().enumerate().take(places.len()) {
        places[count] = index as u8;
        count += usize::from(piece.is_some());
    }
    let places = places.into_iter().take(count).map(usize::from);
    places.map(|index| (board[index], Square::new(index)))
}
