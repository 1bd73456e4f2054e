//! K-P seen so that the own king is always on the same half of the board.

use super::{FeatureSet, KP};
use rules::Variant;

/// Pieces and kings as in [`KP`], on a board mirrored left to right for a player whose king
/// stands on the far files (6 to 9, as its owner sees them): what is learned about a king on one
/// side is known about a king on the other. 1,710 inputs, 430 on 5×5.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct KPHm;

impl<V: Variant> FeatureSet<V> for KPHm {
    const NAME: &'static str = "K+P_hm";
    /// Ours, as none was published: that of K-P, turned.
    const HASH: u32 = <KP as FeatureSet<V>>::HASH.rotate_left(16);
    const INPUTS: usize = <KP as FeatureSet<V>>::INPUTS;
    const BY_KING: bool = false;
    const KINGS: bool = true;
    const MIRRORED: bool = true;

    #[inline]
    fn offset(_king: usize) -> usize {
        0
    }
}
