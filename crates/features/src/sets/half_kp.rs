//! HalfKP: own king's square × piece. The set of the first NNUE, and of most nets since.

use super::FeatureSet;
use crate::Numbering;
use rules::Variant;

/// Own king × piece: 81·1,548 = 125,388 inputs, 25·380 = 9,500 on 5×5.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct HalfKp;

impl<V: Variant> FeatureSet<V> for HalfKp {
    const NAME: &'static str = "HalfKP(Friend)";
    const HASH: u32 = 0x5D69_D5B8;
    const INPUTS: usize = V::SQUARES * Numbering::of(V::GAME).end();
    const BY_KING: bool = true;

    #[inline]
    fn offset(king: usize) -> usize {
        king * const { Numbering::of(V::GAME).end() }
    }
}
