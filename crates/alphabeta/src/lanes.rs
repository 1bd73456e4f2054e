//! Small numbers that all threads of a search read and write. Those read a row at a time lie four in a word, each word
//! an atomic: a quarter of the loads. Those read one by one are atomics by themselves.
//!
//! Two threads that write the same number, or the same word, at once may lose what one of them wrote. These
//! are statistics: the next node says it again.

use crate::memory::Words;
use std::sync::atomic::{AtomicU64, Ordering};

/// A table of numbers read one by one.
pub(crate) struct SharedCells(Words);

impl SharedCells {
    /// That many zeros.
    pub(crate) fn zeroed(len: usize) -> Self {
        Self(words(len.div_ceil(LANES)))
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> i16 {
        self.0.as_numbers()[index].load(Ordering::Relaxed)
    }

    /// Changes a number.
    #[inline]
    pub(crate) fn change(&self, index: usize, to: impl FnOnce(&mut i16)) {
        let cell = &self.0.as_numbers()[index];
        let mut number = cell.load(Ordering::Relaxed);
        to(&mut number);
        cell.store(number, Ordering::Relaxed);
    }

    /// Asks for the cache line of a number ahead of its use. Any index is harmless.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        self.0.prefetch(index / LANES);
    }

    pub(crate) fn clear(&self) {
        self.0.as_numbers().iter().for_each(|cell| cell.store(0, Ordering::Relaxed));
    }
}

/// That many zero words. As with any other memory, the program ends where the system has none.
fn words(len: usize) -> Words {
    Words::zeroed(len).unwrap_or_else(|| {
        let layout = std::alloc::Layout::array::<u64>(len);
        std::alloc::handle_alloc_error(layout.unwrap_or(std::alloc::Layout::new::<u64>()))
    })
}

/// Numbers in a word.
const LANES: usize = 4;

/// A table of numbers read a row at a time.
pub(crate) struct SharedRows(Words);

/// The numbers of a word at this moment.
#[inline]
pub(crate) fn lanes(word: &AtomicU64) -> [i16; LANES] {
    let word = word.load(Ordering::Relaxed);
    [lane(word, 0), lane(word, 1), lane(word, 2), lane(word, 3)]
}

/// The number of that index, by a word that holds it.
#[inline]
pub(crate) fn lane(word: u64, index: usize) -> i16 {
    (word >> (16 * (index % LANES))) as i16
}

impl SharedRows {
    /// That many zeros.
    pub(crate) fn zeroed(len: usize) -> Self {
        Self(words(len.div_ceil(LANES)))
    }

    #[inline]
    fn word(&self, index: usize) -> &AtomicU64 {
        &self.0.as_slice()[index / LANES]
    }

    #[cfg(test)]
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

    /// So many words from a number on that begins one.
    #[inline]
    pub(crate) fn words<const N: usize>(&self, from: usize) -> &[AtomicU64; N] {
        self.0.as_slice()[from / LANES..].first_chunk().expect("a row ends inside its table")
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
        let numbers = SharedRows::zeroed(11);
        for (index, value) in [(0, -1), (1, 7), (2, i16::MIN), (3, i16::MAX), (10, -5)] {
            numbers.change(index, |cell| *cell = value);
        }
        let all: Vec<i16> = (0..11).map(|index| numbers.get(index)).collect();
        assert_eq!(all, [-1, 7, i16::MIN, i16::MAX, 0, 0, 0, 0, 0, 0, -5]);
        let [first, second] = numbers.words::<2>(4);
        assert_eq!((lanes(first), lanes(second)), ([0; 4], [0, 0, -5, 0]));
        numbers.clear(0, 4);
        assert_eq!((numbers.get(2), numbers.get(10)), (0, -5));
    }

    #[test]
    fn single_numbers_are_kept_and_cleared() {
        let cells = SharedCells::zeroed(9);
        for index in 0..9 {
            cells.change(index, |cell| *cell -= 2 * index as i16);
        }
        cells.prefetch(usize::MAX / 16);
        assert!((0..9).all(|index| cells.get(index) == -2 * index as i16));
        cells.clear();
        assert!((0..9).all(|index| cells.get(index) == 0));
    }

    #[test]
    fn threads_see_what_the_others_wrote() {
        let numbers = SharedRows::zeroed(8);
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
