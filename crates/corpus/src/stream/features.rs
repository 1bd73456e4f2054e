//! Positions as rows of 16-bit numbers, and frames of them.
//!
//! A feature number is `base + piece`, where the base comes from the kings, plus a part for
//! attacks in sets that have one. Piece and attacks fit 16 bits together, so a row is half as
//! large as its feature numbers, and a trainer that learns the parts apart has them at hand.

use super::frame;
use crate::batches::{Batch, Encoder, Given, Numbers, PositionRef, RowMut};
use features::{FeatureSet, List, Numbering, active};
use rules::{Color, Game, Position, Square, Variant};
use serde_json::{Value, json};
use std::marker::PhantomData;

/// What stands for no feature.
pub(super) const NONE: u16 = u16::MAX;
/// Numbers of a row that are not features: two bases, and how many features each side has.
const FIXED: usize = 5;

/// What all rows of a feature set have in common.
pub(super) struct Layout {
    /// The name of the set.
    name: &'static str,
    /// Features of one side, at most.
    pub(super) slots: usize,
    /// Pieces a base is followed by.
    pieces: usize,
    /// How far apart the features of a piece under different attacks are; 0 without attacks.
    stride: usize,
    inputs: usize,
    /// Every piece number mirrored left to right.
    mirrored: Vec<u16>,
    /// Every base, divided by `pieces`, for kings mirrored left to right.
    mirrored_bases: Vec<u32>,
}

impl Layout {
    fn new<V: Variant, F: FeatureSet<V>>() -> Self {
        let numbering = Numbering::of(V::GAME);
        let kings = if F::KINGS { 2 } else { 0 };
        // Not counting kings, every piece is one feature wherever it is.
        let slots = V::PIECES.iter().sum::<usize>() - 2 + kings;
        let pieces = if F::KINGS { numbering.kings_end() } else { numbering.end() };
        let (stride, inputs) = (F::EFFECT_STRIDE, F::INPUTS);
        // Mirrored sets see both boards alike: there is nothing to turn.
        let turned = |n: usize| if F::MIRRORED { n } else { numbering.mirrored(n) };
        let mirrored_numbers = (0..pieces).map(|n| turned(n) as u16).collect();
        let groups = if stride > 0 { stride } else { inputs } / pieces;
        let mut mirrored_bases: Vec<u32> = (0..groups as u32).collect();
        if F::BY_KING {
            // Ranks stay what they are.
            for rank in 0..if F::BY_OTHER_KING { V::SIZE } else { 1 } {
                let base = |king| (F::offset(king) + F::other_offset(rank)) / pieces;
                for king in 0..V::SQUARES {
                    mirrored_bases[base(king)] = base(mirrored(V::GAME, king)) as u32;
                }
            }
        }
        let (name, mirrored) = (F::NAME, mirrored_numbers);
        Self { name, slots, pieces, stride, inputs, mirrored, mirrored_bases }
    }

    /// What a reader has to know.
    pub(super) fn about(&self) -> Value {
        json!({
            "features": self.name,
            "inputs": self.inputs,
            "slots": self.slots,
            "pieces": self.pieces,
            "effect_stride": self.stride,
            "mirrored_pieces": self.mirrored,
            "mirrored_bases": self.mirrored_bases,
        })
    }
}

/// One row, taken apart.
pub(super) struct Row<'a> {
    /// Where the features of each side begin, the side to move first.
    pub(super) bases: [u32; 2],
    /// The features of each side, without their base.
    pub(super) sides: [&'a [u16]; 2],
    /// How many features each side has.
    pub(super) counts: [u8; 2],
}

impl<'a> Row<'a> {
    pub(super) fn of(row: &'a [u16]) -> Self {
        let (fixed, sides) = row.split_at(FIXED);
        let (own, other) = sides.split_at(sides.len() / 2);
        let base = |at: usize| u32::from(fixed[at]) | u32::from(fixed[at + 1]) << 16;
        let counts = fixed[4].to_le_bytes();
        Self { bases: [base(0), base(2)], sides: [own, other], counts }
    }
}

/// Encodes the positions of one feature set.
pub(super) struct Features<V, F> {
    pub(super) layout: Layout,
    set: PhantomData<fn() -> (V, F)>,
}

impl<V: Variant, F: FeatureSet<V>> Features<V, F> {
    pub(super) fn new() -> Self {
        Self { layout: Layout::new::<V, F>(), set: PhantomData }
    }

    /// Writes the features of one side; gives their base and how many there are.
    fn side(
        &self,
        position: &Position<V>,
        side: Color,
        mirror: bool,
        slots: &mut [u16],
    ) -> (u32, u8) {
        let mut list = List::<64>::new();
        active::<V, F>(position, side, &mut list);
        // A king that is not there counts as one on square 0: see `features::View`.
        let square =
            |color| position.king(color).map_or(0, |sq| Numbering::of(V::GAME).orient(side, sq));
        let (king, by_other) = (square(side), F::other_offset(square(side.opponent())));
        let base = F::offset(king) + by_other;
        let count = list.len().min(slots.len());
        let (real, padding) = slots.split_at_mut(count);
        for (slot, &feature) in real.iter_mut().zip(&list[..count]) {
            let rest = feature as usize - base;
            let (piece, attacks) = match F::EFFECT_STRIDE {
                0 => (rest, 0),
                stride => (rest % stride, rest / stride),
            };
            let piece = if mirror { usize::from(self.layout.mirrored[piece]) } else { piece };
            *slot = (piece + attacks * self.layout.pieces) as u16;
        }
        padding.fill(NONE);
        let there = position.king(side).is_some();
        let king = if mirror && there { mirrored(V::GAME, king) } else { king };
        ((F::offset(king) + by_other) as u32, count as u8)
    }

    /// Writes the row of a position.
    fn write(&self, position: &Position<V>, mirrored: bool, row: &mut [u16]) {
        let turn = position.turn();
        let (fixed, sides) = row.split_at_mut(FIXED);
        let (own, other) = sides.split_at_mut(self.layout.slots);
        let own = self.side(position, turn, mirrored, own);
        let other = self.side(position, turn.opponent(), mirrored, other);
        (fixed[0], fixed[1]) = (own.0 as u16, (own.0 >> 16) as u16);
        (fixed[2], fixed[3]) = (other.0 as u16, (other.0 >> 16) as u16);
        fixed[4] = u16::from_le_bytes([own.1, other.1]);
    }
}

impl<V: Variant, F: FeatureSet<V>> Encoder for Features<V, F> {
    fn width(&self) -> usize {
        FIXED + 2 * self.layout.slots
    }

    fn numbers(&self) -> Numbers {
        Numbers::Shorts(Vec::new())
    }

    fn encode(&self, position: PositionRef<'_>, mirrored: bool, row: RowMut<'_>) -> bool {
        let (Some(position), RowMut::Shorts(row)) = (position.get::<V>(), row) else {
            return false;
        };
        self.write(position, mirrored, row);
        true
    }

    fn gather(&self, given: &Given<'_>, batch: &mut Batch) {
        let mut rows = given.rows().map(|(row, label)| (row.shorts(), label));
        let (slots, end) = (self.layout.slots, (given.epoch, given.ends_epoch));
        frame::fill(&mut batch.frame, slots, end, &mut rows);
    }
}

fn mirrored(game: Game, square: usize) -> usize {
    Square::new(square).mirrored(game).index()
}
