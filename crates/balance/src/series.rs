//! A curve that never grows too long: when it is full, neighbours become one.

use crate::wdl::Wdl;
use serde::{Deserialize, Serialize};

/// Entries kept unless told otherwise: more than a plot can show.
pub const MOST: usize = 2048;

/// What two neighbours become.
pub trait Merge {
    /// Both as one; `self` came first, and each stands for as many entries.
    #[must_use]
    fn merged(self, later: Self) -> Self;
}

impl Merge for Wdl {
    fn merged(self, later: Self) -> Self {
        self.plus(later)
    }
}

/// Entries in the order they came, each of as many of those pushed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Series<T> {
    most: usize,
    /// Of how many pushed entries one is made: a power of two.
    each: u64,
    entries: Vec<T>,
    /// The pushed entries that do not make a whole one yet.
    rest: Vec<T>,
}

impl<T: Merge + Clone> Default for Series<T> {
    fn default() -> Self {
        Self::new(MOST)
    }
}

impl<T: Merge + Clone> Series<T> {
    /// A series that keeps at most so many entries, and no fewer than two.
    pub fn new(most: usize) -> Self {
        Self { most, each: 1, entries: Vec::new(), rest: Vec::new() }
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: T) {
        self.rest.push(entry);
        if (self.rest.len() as u64) < self.each {
            return;
        }
        let whole = halve_until_one(std::mem::take(&mut self.rest));
        self.entries.extend(whole);
        // An even number, so that nothing is left over.
        if self.entries.len() >= self.most.max(2).next_multiple_of(2) {
            self.entries = halve(&self.entries);
            self.each = self.each.saturating_mul(2);
        }
    }

    /// The entries that are whole.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// Of how many pushed entries each is made.
    pub const fn each(&self) -> u64 {
        self.each
    }
}

fn halve<T: Merge + Clone>(list: &[T]) -> Vec<T> {
    let pair = |pair: &[T]| match pair {
        [first, later] => first.clone().merged(later.clone()),
        alone => alone[0].clone(),
    };
    list.chunks(2).map(pair).collect()
}

fn halve_until_one<T: Merge + Clone>(mut list: Vec<T>) -> Vec<T> {
    while list.len() > 1 {
        list = halve(&list);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn win(n: u64) -> Wdl {
        Wdl { wins: n, draws: 0, losses: 1 }
    }

    #[test]
    fn neighbours_become_one_when_it_is_full() {
        let mut series = Series::new(4);
        (1..=3).for_each(|n| series.push(win(n)));
        assert_eq!((series.entries().len(), series.each()), (3, 1));
        series.push(win(4));
        assert_eq!((series.entries().len(), series.each()), (2, 2));
        assert_eq!(series.entries()[1], Wdl { wins: 7, draws: 0, losses: 2 });
        series.push(win(5));
        assert_eq!(series.entries().len(), 2, "half an entry is not shown");
    }

    #[test]
    fn nothing_is_lost_and_it_never_grows_too_long() {
        for most in [0, 1, 2, 5, 64] {
            let mut series = Series::new(most);
            for n in 0..10_000 {
                series.push(win(n % 3));
                assert!(series.entries().len() <= most.max(2) + 1, "{most}");
            }
            let shown: u64 = series.entries().iter().map(Wdl::games).sum();
            let expected: u64 =
                (0..series.entries().len() as u64 * series.each()).map(|n| n % 3 + 1).sum();
            assert_eq!(shown, expected, "{most}");
            assert!(series.entries().len() as u64 * series.each() + series.each() > 10_000);
        }
    }

    #[test]
    fn stored_and_read_again_it_goes_on_as_it_was() {
        let mut series = Series::new(8);
        (0..21).for_each(|n| series.push(win(n)));
        let text = serde_json::to_string(&series).expect("plain data");
        let mut again: Series<Wdl> = serde_json::from_str(&text).expect("what was written");
        (0..50).for_each(|n| {
            series.push(win(n));
            again.push(win(n));
        });
        assert_eq!(series, again);
    }
}
