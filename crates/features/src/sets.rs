//! The feature sets, one file each.

mod half_kp;
mod half_kp_krank;
mod half_kpe9;
mod k_p;
mod k_p_hm;

pub use half_kp::HalfKp;
pub use half_kp_krank::HalfKpKrank;
pub use half_kpe9::HalfKpE9;
pub use k_p::KP;
pub use k_p_hm::KPHm;

use rules::Variant;
use std::fmt::Debug;

/// A way to number what is on a board. A feature of a perspective is
/// `offset(own king) + other_offset(other king) + number of the piece`, plus a part for attacks where
/// the set has one.
pub trait FeatureSet<V: Variant>: Copy + Default + Debug + Send + Sync + 'static {
    /// The name in net files.
    const NAME: &'static str;
    /// The constant of the set in the hashes of net files.
    const HASH: u32;
    /// Number of inputs.
    const INPUTS: usize;
    /// Whether features depend on the own king's square, so that its moves change all of them.
    const BY_KING: bool;
    /// Whether they depend on the rank of the other king too.
    const BY_OTHER_KING: bool = false;
    /// Whether the two kings are features themselves.
    const KINGS: bool = false;
    /// Whether the board is mirrored left to right for a player whose king is on the far half,
    /// so that a king that crosses the middle changes all of its owner's features.
    const MIRRORED: bool = false;
    /// How far apart the features of one piece under different attacks are; 0 if attacks do not
    /// matter. Where they do, a move may change features of pieces it did not touch.
    const EFFECT_STRIDE: usize = 0;

    /// The first feature for an own king on this square (as its owner sees it).
    fn offset(king: usize) -> usize;

    /// What another king on this square adds, as the owner of the features sees it: the same for all
    /// squares of a rank.
    #[inline]
    fn other_offset(_king: usize) -> usize {
        0
    }
}
