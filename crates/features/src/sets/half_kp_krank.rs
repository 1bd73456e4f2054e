//! HalfKPKrank: nine HalfKP matrices, chosen by the rank of the own king (W@nderER, 2020).
//!
//! Its author describes HalfKP with "the king's rank" as an input, a transformer nine times as
//! large, and a net assembled from nine ordinary nets, one for each rank. We read the rank as
//! the own king's, as its owner sees it (1 is the far rank), with the ordinary HalfKP matrices
//! one after the other. The rank follows from the king's square, so eight ninths of the rows
//! are never met: that is the price of nine nets in one file, any of which can be exchanged
//! whole. The hash is ours (HalfKP's, turned by the number of ranks), as none was published.

use super::{FeatureSet, HalfKp};
use rules::Variant;

/// Own king's rank × own king × piece: 1,128,492 inputs on 9×9.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct HalfKpKrank;

impl<V: Variant> FeatureSet<V> for HalfKpKrank {
    const NAME: &'static str = "HalfKPKrank(Friend)";
    const HASH: u32 = <HalfKp as FeatureSet<V>>::HASH.rotate_left(V::SIZE as u32);
    const INPUTS: usize = V::SIZE * <HalfKp as FeatureSet<V>>::INPUTS;
    const BY_KING: bool = true;

    #[inline]
    fn offset(king: usize) -> usize {
        king % V::SIZE * <HalfKp as FeatureSet<V>>::INPUTS + <HalfKp as FeatureSet<V>>::offset(king)
    }
}
