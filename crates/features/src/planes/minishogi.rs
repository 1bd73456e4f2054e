//! Planes of minishogi: as dlshogi's over the kinds of that game, and who is to move, as
//! repetition loses for Black there.

use super::writer::Writer;
use super::{Segment, attacks};
use rules::{Color, Kind, Position, Variant};
use std::iter::empty;

pub(super) const SEGMENTS: [Segment; 2] = [Segment::Boards(46), Segment::Flags(22)];

const KINDS: [Kind; 10] = [
    Kind::Pawn,
    Kind::Silver,
    Kind::Bishop,
    Kind::Rook,
    Kind::Gold,
    Kind::King,
    Kind::ProPawn,
    Kind::ProSilver,
    Kind::Horse,
    Kind::Dragon,
];

const HANDS: [(Kind, usize); 5] =
    [(Kind::Pawn, 2), (Kind::Silver, 2), (Kind::Gold, 2), (Kind::Bishop, 2), (Kind::Rook, 2)];

pub(super) fn pack<V: Variant>(position: &Position<V>, out: &mut [u8]) {
    let mut writer = Writer::new(position, out);
    attacks::write(position, &KINDS, &mut writer);
    attacks::write_hands(position, &HANDS, &mut writer);
    writer.flag(position.in_check());
    writer.flag(position.turn() == Color::White);
    writer.values(empty());
}
