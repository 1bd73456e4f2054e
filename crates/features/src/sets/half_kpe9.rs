//! HalfKPE9 (HKPE9): HalfKP that also sees how often a piece is attacked.

use super::{FeatureSet, HalfKp};
use rules::Variant;

/// HalfKP × attacks on the piece's square by the own side (0, 1, 2 or more) × by the other
/// side. Pieces in hand count as not attacked. 1,128,492 inputs.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct HalfKpE9;

impl<V: Variant> FeatureSet<V> for HalfKpE9 {
    const NAME: &'static str = "HalfKPE9(Friend)";
    /// The same as HalfKP's: the field never gave it its own.
    const HASH: u32 = <HalfKp as FeatureSet<V>>::HASH;
    const INPUTS: usize = 9 * <HalfKp as FeatureSet<V>>::INPUTS;
    const BY_KING: bool = true;
    const EFFECT_STRIDE: usize = <HalfKp as FeatureSet<V>>::INPUTS;

    #[inline]
    fn offset(king: usize) -> usize {
        <HalfKp as FeatureSet<V>>::offset(king)
    }
}
