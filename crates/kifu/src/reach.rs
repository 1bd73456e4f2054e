//! Which pieces could go to a square by their movement alone.
//!
//! Japanese notation tells pieces apart by how they *could* move, whether or not moving them
//! would leave the king in check. Legality itself is asked of the position.

use rules::{AnyPosition, Bits, Color, Kind, Position, Square, Variant};

/// The squares of `color`'s pieces of this kind that could go to `to`, in order.
pub(crate) fn candidates(pos: &AnyPosition, color: Color, kind: Kind, to: Square) -> Vec<Square> {
    if pos.piece_at(to).is_of(color) {
        return Vec::new();
    }
    match pos {
        AnyPosition::Shogi(p) => squares(p, color, kind, to),
        AnyPosition::Minishogi(p) => squares(p, color, kind, to),
    }
}

fn squares<V: Variant>(pos: &Position<V>, color: Color, kind: Kind, to: Square) -> Vec<Square> {
    let mut found = Vec::new();
    let attackers = pos.attackers_of(color, to, pos.occupied()) & pos.pieces_of(color, kind);
    attackers.each(|sq| found.push(sq));
    found
}
