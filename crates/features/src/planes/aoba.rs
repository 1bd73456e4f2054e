//! The 318 planes of Aoba's handicap nets: the position and five earlier ones, attacks, check,
//! move number, side to move, and the handicap.
//!
//! Groups, sizes and values are the paper's. Ours, as it does not say: every position is seen by
//! the player now to move; planes of positions before the first known one are 0; the handicap is
//! told by the pieces that are missing, so that a position without its game has one too, and
//! other handicaps than the seven have none.

use super::Segment;
use super::attacks::Attacks;
use super::writer::Writer;
use rules::{Bits, Color, Kind, Position, Variant};

/// Positions: the present one and five earlier ones.
const STEPS: usize = 6;

/// What a piece in hand counts, for both sides: one out of all there are.
const HAND_UNITS: [f32; 14] = {
    let most = [18.0, 4.0, 4.0, 4.0, 4.0, 2.0, 2.0];
    let mut units = [0.0; 14];
    let mut i = 0;
    while i < 14 {
        units[i] = 1.0 / most[i % 7];
        i += 1;
    }
    units
};

pub(super) const SEGMENTS: [Segment; 3 * STEPS + 4] = {
    let mut segments = [Segment::Boards(28 + 10); 3 * STEPS + 4];
    let mut step = 0;
    while step < STEPS {
        segments[3 * step] = Segment::Boards(28);
        segments[3 * step + 1] = Segment::Values(&HAND_UNITS);
        segments[3 * step + 2] = Segment::Flags(3);
        step += 1;
    }
    segments[3 * STEPS + 1] = Segment::Flags(1);
    segments[3 * STEPS + 2] = Segment::Values(&[1.0 / 512.0]);
    segments[3 * STEPS + 3] = Segment::Flags(1 + 7);
    segments
};

/// AobaZero's order of the kinds.
const KINDS: [Kind; 14] = [
    Kind::Pawn,
    Kind::Lance,
    Kind::Knight,
    Kind::Silver,
    Kind::Gold,
    Kind::Bishop,
    Kind::Rook,
    Kind::King,
    Kind::ProPawn,
    Kind::ProLance,
    Kind::ProKnight,
    Kind::ProSilver,
    Kind::Horse,
    Kind::Dragon,
];

/// Pieces missing in each handicap: lances, knights, bishops, rooks.
const HANDICAPS: [[usize; 4]; 7] = [
    [0, 0, 0, 0],
    [1, 0, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
    [0, 0, 1, 1],
    [2, 0, 1, 1],
    [2, 2, 1, 1],
];

pub(super) fn pack<V: Variant>(position: &Position<V>, out: &mut [u8]) {
    let colors = [position.turn(), position.turn().opponent()];
    let mut writer = Writer::new(position, out);
    let mut repeated = [0; STEPS];
    let mut values = [0; 14 * STEPS + 1];
    // Taken back move by move.
    let mut earlier = Some(position.clone());
    for step in 0..STEPS {
        if let Some(p) = &earlier {
            repeated[step] = p.occurrences() - 1;
        }
        for (side, color) in colors.into_iter().enumerate() {
            for (number, &kind) in KINDS.iter().enumerate() {
                let there = earlier.as_ref().map(|p| p.pieces_of(color, kind));
                writer.plane::<V>(there.unwrap_or(V::Bits::EMPTY));
                if let (Some(p), 0..7) = (&earlier, number) {
                    values[14 * step + 7 * side + number] = p.hand(color).count(kind) as u16;
                }
            }
        }
        earlier = earlier.filter(|p| p.played() > 0).map(|mut p| {
            p.undo();
            p
        });
    }
    let attacks = colors.map(|color| Attacks::<V, 4>::of(position, color, &KINDS));
    for side in &attacks {
        KINDS.iter().for_each(|&kind| writer.plane::<V>(side.by_kind[kind.index()]));
    }
    for Attacks { at_least: [one, two, three, four], .. } in &attacks {
        for squares in [!*one, *one & !*two, *two & !*three, *three & !*four, *four] {
            writer.plane::<V>(squares);
        }
    }
    repeated.iter().for_each(|&times| writer.at_least(times, 3));
    writer.flag(position.in_check());
    writer.flag(position.turn() == Color::White);
    let missing = missing(position);
    HANDICAPS.iter().for_each(|handicap| writer.flag(missing == Some(*handicap)));
    values[14 * STEPS] = (position.ply() - 1).min(u32::from(u16::MAX)) as u16;
    writer.values(values.into_iter());
}

/// How many lances, knights, bishops and rooks are missing; `None` if something else is.
fn missing<V: Variant>(position: &Position<V>) -> Option<[usize; 4]> {
    let missing = |kind: Kind| {
        let promoted = kind.promoted().map_or(0, |p| position.kind(p).count());
        let held: usize = Color::BOTH.iter().map(|&c| position.hand(c).count(kind)).sum();
        let there = (position.kind(kind).count() + promoted) as usize + held;
        V::PIECES[kind.index()].saturating_sub(there)
    };
    let whole = [Kind::Pawn, Kind::Silver, Kind::Gold].into_iter().all(|kind| missing(kind) == 0);
    whole.then(|| [Kind::Lance, Kind::Knight, Kind::Bishop, Kind::Rook].map(missing))
}
