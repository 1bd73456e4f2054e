//! K-P: pieces and kings, each on its own. A small net that never needs a refresh.

use super::FeatureSet;
use crate::Numbering;
use rules::Variant;

/// Pieces, then the own and the enemy king: 1,548 + 162 = 1,710 inputs, 430 on 5×5.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct KP;

/// The hash of a set of two features: the head's and the tail's, which is turned by one bit.
const fn both(head: u32, tail: u32) -> u32 {
    head ^ (tail << 1) ^ (tail >> 31)
}

impl<V: Variant> FeatureSet<V> for KP {
    const NAME: &'static str = "K+P";
    const HASH: u32 = both(0xD3CE_E169, 0x764C_FB4B);
    const INPUTS: usize = Numbering::of(V::GAME).kings_end();
    const BY_KING: bool = false;
    const KINGS: bool = true;

    #[inline]
    fn offset(_king: usize) -> usize {
        0
    }
}
