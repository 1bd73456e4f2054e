//! Small numbers that all threads of a search read and write: four in a word, each word an atomic, so that a
//! whole row is read with a quarter of the loads.
//!
//! Two threads that write the same word at once may lose what one of them wrote. These are
//! statistics: the next node says it again.

use crate::memory::Words;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers in a word.
const LANES: usize = 4;

/// A table of numbers that belongs to all threads.
pub(crate) struct SharedNumbers(Words);

#[inline]
fn lane(word: u64, index: usize) -> i16 {
    (word >> (16 * (index % LANES))) as i16
}

impl SharedNumbers {
    /// That many zeros. As with any other memory, the program ends where the system has none.
    pub(crate) fn zeroed(len: usize) -> Self {
        // One word more: a row read in whole words may end inside the next.
        let words = len.div_ceil(LANES) + 1;
        let Some(words) = Words::zeroed(words) else {
            let layout = std::alloc::Layout::array::<u64>(words);
            std::alloc::handle_alloc_error(layout.unwrap_or(std::alloc::Layout::new::<u64>()));
        };
        Self(words)
    }

    #[inline]
    fn word(&self, index: usize) -> &AtomicU64 {
        &self.0.as_slice()[index / LANES]
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> i16 {
        lane(self.word(index).load(Ordering::Relaxed), index)
    }

    /// Changes a number.
    #[inline]
    pub(crate) fn change(&self, index: usize, to: impl FnOnce(&mut i16)) {
        let word = self.word(index);
        let all = word.load(Ordering::Relaxed);
        let mut cell = lane(all, index);
        to(&mut cell);
        let shift = 16 * (index % LANES);
        let rest = all & !(0xffff << shift);
        word.store(rest | u64::from(cell as u16) << shift, Ordering::Relaxed);
    }

    /// So many numbers from an index on, rounded down to whole words (`N` of them): those asked for
    /// begin at the second value.
    #[inline]
    pub(crate) fn lanes<const N: usize>(&self, from: usize) -> ([[i16; LANES]; N], usize) {
        let words: &[AtomicU64; N] =
            self.0.as_slice()[from / LANES..].first_chunk().expect("a table ends with a word more");
        let lanes = std::array::from_fn(|i| {
            let word = words[i].load(Ordering::Relaxed);
            [lane(word, 0), lane(word, 1), lane(word, 2), lane(word, 3)]
        });
        (lanes, from % LANES)
    }

    /// Asks for the cache line of a number ahead of its use. Any index is harmless.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        self.0.prefetch(index / LANES);
    }

    /// Makes whole words of numbers zero, from an index on.
    pub(crate) fn clear(&self, from: usize, len: usize) {
        debug_assert!(from.is_multiple_of(LANES) && len.is_multiple_of(LANES));
        let words = &self.0.as_slice()[from / LANES..(from + len) / LANES];
        words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_its_own() {
        let numbers = SharedNumbers::zeroed(11);
        for (index, value) in [(0, -1), (1, 7), (2, i16::MIN), (3, i16::MAX), (10, -5)] {
            numbers.change(index, |cell| *cell = value);
        }
        let all: Vec<i16> = (0..11).map(|index| numbers.get(index)).collect();
        assert_eq!(all, [-1, 7, i16::MIN, i16::MAX, 0, 0, 0, 0, 0, 0, -5]);
        let (lanes, at) = numbers.lanes::<2>(2);
        assert_eq!(lanes.as_flattened()[at..], [i16::MIN, i16::MAX, 0, 0, 0, 0]);
        // The last one is read with a word that lies behind it.
        let (lanes, at) = numbers.lanes::<2>(10);
        assert_eq!(lanes.as_flattened()[at], -5);
        numbers.clear(0, 4);
        assert_eq!((numbers.get(2), numbers.get(10)), (0, -5));
    }

    #[test]
    fn threads_see_what_the_others_wrote() {
        let numbers = SharedNumbers::zeroed(8);
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let numbers = &numbers;
                // Words of their own: nothing is lost.
                scope.spawn(move || numbers.change(4 * thread, |cell| *cell = 3));
            }
        });
        assert_eq!((numbers.get(0), numbers.get(4)), (3, 3));
    }
}
