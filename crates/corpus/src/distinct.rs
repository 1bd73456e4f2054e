//! How many of very many keys are different, by a sample of bounded size.
//!
//! A key is in the sample if its hash ends in so many zeros; when the sample grows too large one
//! more zero is asked for and half of it goes. Every key of the sample was counted each time it
//! came, so the shares are those of the whole (Wegman's adaptive sampling).

use std::collections::HashMap;
use twox_hash::XxHash64;

/// Most keys in the sample.
const MOST: usize = 200_000;

/// A sample of keys with how often each came.
#[derive(Default)]
pub(crate) struct Distinct {
    zeros: u32,
    sample: HashMap<u64, u32>,
}

impl Distinct {
    pub(crate) fn add(&mut self, key: u64) {
        // Keys may be regular, their hashes are not.
        let hash = XxHash64::oneshot(0, &key.to_le_bytes());
        if hash.trailing_zeros() < self.zeros {
            return;
        }
        *self.sample.entry(hash).or_default() += 1;
        while self.sample.len() > MOST {
            self.zeros += 1;
            let zeros = self.zeros;
            self.sample.retain(|hash, _| hash.trailing_zeros() >= zeros);
        }
    }

    /// The share of keys that came before, from 0 to 1.
    pub(crate) fn repeated(&self) -> f64 {
        let all: u64 = self.sample.values().map(|&n| u64::from(n)).sum();
        if all == 0 { 0.0 } else { 1.0 - self.sample.len() as f64 / all as f64 }
    }

    /// Whether every key was counted, so that the share is no estimate.
    pub(crate) const fn is_exact(&self) -> bool {
        self.zeros == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_near_the_truth_in_little_room() {
        for (keys, times, wanted) in [(1000u64, 1, 0.0), (1000, 4, 0.75), (700_000, 2, 0.5)] {
            let mut distinct = Distinct::default();
            for _ in 0..times {
                (0..keys).for_each(|k| distinct.add(k));
            }
            assert!((distinct.repeated() - wanted).abs() < 0.01, "{keys} {times}");
            assert!(distinct.sample.len() <= MOST);
            assert_eq!(distinct.is_exact(), keys as usize <= MOST);
        }
    }
}
