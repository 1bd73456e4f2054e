//! HalfKPKrank: nine HalfKP matrices, chosen by the rank of the other king (W@nderER, 2020).
//!
//! Its author describes HalfKP with "the king's rank" as an input, a transformer nine times as
//! large, and a net assembled from nine ordinary nets, one for each rank: what pieces are worth changes
//! when the opponent's king enters. The rank is the other king's as the owner of the features sees it
//! (the first is the far one, where that king begins), with the ordinary HalfKP matrices one after the
//! other. So the moves of either king change all features of a side. The hash is ours (HalfKP's, turned
//! by the number of ranks), as none was published.

use super::{FeatureSet, HalfKp};
use rules::Variant;

/// Other king's rank × own king × piece: 1,128,492 inputs on 9×9.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct HalfKpKrank;

impl<V: Variant> FeatureSet<V> for HalfKpKrank {
    const NAME: &'static str = "HalfKPKrank(Friend)";
    const HASH: u32 = <HalfKp as FeatureSet<V>>::HASH.rotate_left(V::SIZE as u32);
    const INPUTS: usize = V::SIZE * <HalfKp as FeatureSet<V>>::INPUTS;
    const BY_KING: bool = true;
    const BY_OTHER_KING: bool = true;

    #[inline]
    fn offset(king: usize) -> usize {
        <HalfKp as FeatureSet<V>>::offset(king)
    }

    #[inline]
    fn other_offset(king: usize) -> usize {
        king % V::SIZE * <HalfKp as FeatureSet<V>>::INPUTS
    }
}
