//! dlshogi's planes: 31 of the board for each side and 57 constant ones.

use super::writer::Writer;
use super::{Segment, attacks};
use rules::{Kind, Position, Variant};
use std::iter::empty;

pub(super) const SEGMENTS: [Segment; 2] = [Segment::Boards(62), Segment::Flags(57)];

/// Kinds in a hand in dlshogi's order, and how many of them count: pawns after the eighth do not.
const HANDS: [(Kind, usize); 7] = [
    (Kind::Pawn, 8),
    (Kind::Lance, 4),
    (Kind::Knight, 4),
    (Kind::Silver, 4),
    (Kind::Gold, 4),
    (Kind::Bishop, 2),
    (Kind::Rook, 2),
];

pub(super) fn pack<V: Variant>(position: &Position<V>, out: &mut [u8]) {
    let mut writer = Writer::new(position, out);
    attacks::write(position, &Kind::ALL, &mut writer);
    attacks::write_hands(position, &HANDS, &mut writer);
    writer.flag(position.in_check());
    writer.values(empty());
}
