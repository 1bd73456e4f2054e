//! Linear evaluations as models: KKPPT, KPPT and KPP_KKPT.
//!
//! The value of a position is its material plus a sum over relations of pieces. Every relation
//! is an entry of a table and has a board value, which changes its sign with the side, and a
//! tempo value, which does not. What a [`Scheme`] knows is which entries a position has, and
//! which entries of the engine's files are one and the same by symmetry; everything else is
//! written once here.
//!
//! Tables are cut into groups by the place of a king or of both. A batch is sorted by group and
//! each group learns alone, from its samples in order: results do not depend on the number of
//! threads, and only entries that occur are ever touched.
//!
//! # Factors
//!
//! Most entries are rare. With factors each is learned as a sum: a part of its own and parts it
//! shares with others (the same pieces wherever the kings are; the same pieces with one of the
//! kings). They are folded when tables are taken out.

mod encoder;
mod family;
mod four_piece;
mod model;
mod sparse;
mod three_piece;

#[cfg(test)]
mod tests;

pub use four_piece::FourPiece;
pub use model::{TableModel, TableOptions};
pub use three_piece::ThreePiece;

use encoder::Sample;

/// Table values per unit of evaluation, in every file of these kinds.
const FV_SCALE: f32 = 32.0;
/// Pieces besides kings, at most.
const LIST: usize = 38;

/// The size of a table that is learned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Groups that learn apart.
    pub groups: usize,
    /// Entries of a group.
    pub entries: usize,
    /// Values of an entry: 2 with tempo, 1 without.
    pub width: usize,
    /// Entries of the shared part.
    pub shared: usize,
    /// Largest value the engine's file can hold, in units of evaluation.
    pub limit: u32,
}

/// One look at a position: the group it belongs to, and its pieces as that group numbers them.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub group: usize,
    /// The sign of board values for the side to move.
    pub sign: f32,
    numbers: [u16; LIST],
    len: usize,
    /// A number the scheme keeps for itself.
    extra: usize,
}

/// Which relations an evaluation has, and what is the same by symmetry. The calls take closures
/// so that everything about a relation is compiled into one loop.
pub trait Scheme: Send + Sync {
    /// Learning rates against those of KKPPT: the more relations a position has, the less each
    /// may move.
    const RATE: f32;

    /// Sizes of its tables.
    fn sizes(&self) -> Vec<Size>;

    fn name(&self) -> &'static str;

    /// The looks a table takes at a position.
    fn views(&self, table: usize, sample: &Sample<'_>, each: impl FnMut(View));

    /// The entries of a view: entry, and the sign of its board value against the view's (0 where
    /// symmetry says that there is none).
    fn entries(&self, table: usize, view: &View, each: impl FnMut(u32, f32));

    /// The shared parts of an entry: entry of the shared table, and sign.
    fn shared(&self, table: usize, group: usize, entry: u32, each: impl FnMut(u32, f32));
}

/// The number of a pair of pieces, whichever is named first.
#[inline(always)]
const fn pair(a: usize, b: usize) -> usize {
    if a >= b { a * (a + 1) / 2 + b } else { b * (b + 1) / 2 + a }
}

/// The pieces of every pair below a number of pieces, the larger first.
fn pairs(pieces: usize) -> Vec<[u16; 2]> {
    (0..pieces as u16).flat_map(|a| (0..=a).map(move |b| [a, b])).collect()
}
