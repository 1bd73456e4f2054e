//! PAL's 77 planes: pieces, attacks and numbers of attacks as dlshogi's, the pieces in hand as
//! numbers, and who is to move.
//!
//! The paper gives the groups and their sizes. The order inside a group and what a plane of the
//! number of attacks holds are dlshogi's, and 1 for White to move is AobaZero's: the paper does
//! not say.

use super::writer::Writer;
use super::{Segment, attacks};
use rules::{Color, Kind, Position, Variant};

pub(super) const SEGMENTS: [Segment; 3] =
    [Segment::Boards(62), Segment::Values(&[1.0; 14]), Segment::Flags(1)];

const HANDS: [Kind; 7] =
    [Kind::Pawn, Kind::Lance, Kind::Knight, Kind::Silver, Kind::Gold, Kind::Bishop, Kind::Rook];

/// The kinds of piece the paper counts first: where they stand, on both sides, then what they
/// attack, then how often.
pub(super) fn pack<V: Variant>(position: &Position<V>, out: &mut [u8]) {
    let mut writer = Writer::new(position, out);
    let colors = [position.turn(), position.turn().opponent()];
    let attacks = colors.map(|color| attacks::Attacks::<V, 3>::of(position, color, &Kind::ALL));
    for color in colors {
        Kind::ALL.iter().for_each(|&kind| writer.plane::<V>(position.pieces_of(color, kind)));
    }
    for side in &attacks {
        Kind::ALL.iter().for_each(|&kind| writer.plane::<V>(side.by_kind[kind.index()]));
    }
    for side in &attacks {
        side.at_least.iter().for_each(|&squares| writer.plane::<V>(squares));
    }
    writer.flag(position.turn() == Color::White);
    let held = |color| HANDS.map(|kind| position.hand(color).count(kind) as u16);
    writer.values(colors.into_iter().flat_map(held));
}
