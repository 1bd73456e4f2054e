//! How many of very many positions are different, by a sample of bounded size.
//!
//! A key is in the sample if its hash ends in so many zeros; when the sample grows too large, one more
//! zero is asked for and half of it goes (Wegman's adaptive sampling). Every key of the sample was counted
//! each time it came, so that shares are those of the whole, and exact while nothing has gone.

use seed::Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A sample of keys with how often each came.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Distinct {
    most: usize,
    zeros: u32,
    #[serde(with = "crate::pairs")]
    sample: BTreeMap<u64, u64>,
}

impl Default for Distinct {
    /// As many keys as give shares within half a percent.
    fn default() -> Self {
        Self::new(200_000)
    }
}

impl Distinct {
    /// A sample of at most so many keys.
    pub const fn new(most: usize) -> Self {
        Self { most, zeros: 0, sample: BTreeMap::new() }
    }

    /// Counts a key.
    pub fn add(&mut self, key: u64) {
        // Keys may be regular, their hashes are not.
        let hash = Rng::new(key).bits();
        if hash.trailing_zeros() < self.zeros {
            return;
        }
        *self.sample.entry(hash).or_default() += 1;
        while self.sample.len() > self.most && self.zeros < u64::BITS {
            self.zeros += 1;
            let zeros = self.zeros;
            self.sample.retain(|hash, _| hash.trailing_zeros() >= zeros);
        }
    }

    /// Whether nothing has been left out of the sample.
    pub const fn is_exact(&self) -> bool {
        self.zeros == 0
    }

    /// Different keys: exact, or as the sample has it.
    pub fn different(&self) -> u64 {
        (self.sample.len() as u64).saturating_mul(1u64.checked_shl(self.zeros).unwrap_or(u64::MAX))
    }

    /// Different keys of all that came, from 0 to 1; `None` if nothing is known.
    pub fn different_share(&self) -> Option<f64> {
        self.share(self.sample.len() as u64)
    }

    /// Keys that had come before, of all that came, from 0 to 1; 0 if nothing is known.
    pub fn repeated_share(&self) -> f64 {
        self.different_share().map_or(0.0, |different| 1.0 - different)
    }

    /// Keys that came once, of all that came, from 0 to 1; `None` if nothing is known.
    pub fn single_share(&self) -> Option<f64> {
        self.share(self.sample.values().filter(|&&count| count == 1).count() as u64)
    }

    fn share(&self, some: u64) -> Option<f64> {
        let all: u64 = self.sample.values().sum();
        (all > 0).then(|| some as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_exact_as_long_as_everything_fits() {
        let mut found = Distinct::new(100);
        assert_eq!((found.different(), found.different_share()), (0, None));
        for key in (0..60).chain(0..40).chain(0..20) {
            found.add(key);
        }
        assert!(found.is_exact());
        assert_eq!(found.different(), 60);
        assert_eq!((found.different_share(), found.single_share()), (Some(0.5), Some(1.0 / 6.0)));
    }

    #[test]
    fn a_sample_tells_the_whole_within_its_error() {
        let mut found = Distinct::new(4096);
        // 200,000 keys, each second of them twice.
        for key in (0..200_000).chain((0..200_000).step_by(2)) {
            found.add(key);
        }
        assert!(!found.is_exact() && found.sample.len() <= 4096);
        let error = 200_000.0 / (2048.0f64).sqrt();
        assert!((found.different() as f64 - 200_000.0).abs() < 4.0 * error, "{found:?}");
        let (different, single) = (found.different_share(), found.single_share());
        assert!((different.expect("keys") - 2.0 / 3.0).abs() < 0.03, "{different:?}");
        assert!((single.expect("keys") - 1.0 / 3.0).abs() < 0.03, "{single:?}");
        assert!((found.repeated_share() - 1.0 / 3.0).abs() < 0.03);
        assert_eq!(Distinct::default().repeated_share(), 0.0);
    }

    #[test]
    fn stored_and_read_again_it_is_the_same() {
        let mut found = Distinct::new(10);
        (0..100).for_each(|key| found.add(key % 37));
        let text = serde_json::to_string(&found).expect("plain data");
        assert_eq!(serde_json::from_str::<Distinct>(&text).expect("what was written"), found);
        let mut none = Distinct::new(0);
        (0..100).for_each(|key| none.add(key));
        assert!(none.sample.is_empty());
    }
}
