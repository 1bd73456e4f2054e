//! What comes most often among very many things, in bounded memory (Misra and Gries, 1982).
//!
//! When there is no place left, one is taken off every count and what has none goes. Whatever makes up
//! more than one in `most` of all is always there, and no count is too low by more than
//! [`Frequent::missed`].

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts of the most frequent keys, each with something that is kept of its first occurrence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(bound(
    serialize = "K: Serialize, V: Serialize",
    deserialize = "K: DeserializeOwned + Ord, V: DeserializeOwned"
))]
pub struct Frequent<K, V> {
    most: usize,
    missed: u64,
    #[serde(with = "crate::pairs")]
    counts: BTreeMap<K, (u64, V)>,
}

impl<K: Ord + Clone, V: Clone> Frequent<K, V> {
    /// Keeps at most so many keys.
    pub const fn new(most: usize) -> Self {
        Self { most, missed: 0, counts: BTreeMap::new() }
    }

    /// Counts a key.
    pub fn add(&mut self, key: K, value: impl FnOnce() -> V) {
        if let Some((count, _)) = self.counts.get_mut(&key) {
            *count += 1;
            return;
        }
        if self.counts.len() >= self.most {
            self.missed += 1;
            self.counts.retain(|_, (count, _)| {
                *count = count.saturating_sub(1);
                *count > 0
            });
            return;
        }
        self.counts.insert(key, (1, value()));
    }

    /// How much too low a count may be; 0 while all keys had a place.
    pub const fn missed(&self) -> u64 {
        self.missed
    }

    /// Keys with their counts, the most frequent first; in the order of the keys where counts are equal.
    pub fn sorted(&self) -> Vec<(&K, u64, &V)> {
        let mut list: Vec<_> = self.counts.iter().map(|(k, (count, v))| (k, *count, v)).collect();
        list.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seed::Rng;

    #[test]
    fn counts_are_exact_while_there_is_room() {
        let mut found = Frequent::new(3);
        for (key, value) in [("b", 1), ("a", 2), ("b", 3), ("c", 4), ("b", 5), ("a", 6)] {
            found.add(key.to_owned(), || value);
        }
        let sorted: Vec<_> = found.sorted().iter().map(|(k, n, v)| (k.as_str(), *n, **v)).collect();
        assert_eq!(sorted, [("b", 3, 1), ("a", 2, 2), ("c", 1, 4)]);
        assert_eq!(found.missed(), 0);
    }

    #[test]
    fn what_is_frequent_is_found_among_many_that_are_not() {
        let mut found = Frequent::new(50);
        let mut rng = Rng::new(4);
        let mut truth = [0u64; 5];
        for _ in 0..100_000 {
            let key = match rng.below(10) {
                key @ 0..5 => key as u64,
                _ => 1000 + rng.bits() % 1_000_000,
            };
            if let Some(count) = truth.get_mut(key as usize) {
                *count += 1;
            }
            found.add(key, || ());
        }
        let sorted = found.sorted();
        let top: std::collections::BTreeSet<u64> = sorted[..5].iter().map(|(k, ..)| **k).collect();
        assert_eq!(top, (0..5).collect());
        for (key, count, ()) in &sorted[..5] {
            let truth = truth[**key as usize];
            assert!(*count <= truth && count + found.missed() >= truth, "{key}: {count} {truth}");
        }
        assert!(found.missed() > 0 && found.missed() <= 100_000 / 51);
    }

    #[test]
    fn stored_and_read_again_it_is_the_same() {
        let mut found = Frequent::new(4);
        (0..30u16).for_each(|n| found.add(vec![n % 6, n % 2], || n));
        let text = serde_json::to_string(&found).expect("plain data");
        let again: Frequent<Vec<u16>, u16> = serde_json::from_str(&text).expect("as written");
        assert_eq!(again, found);
        let mut none = Frequent::new(0);
        none.add(1, || ());
        assert!(none.sorted().is_empty());
    }
}
