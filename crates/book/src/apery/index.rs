//! The keys of a book in memory, and the records that belong to them.

use super::{AperyBook, RECORD, Record};
use crate::bytes::{Taker, bytes_at};
use crate::parallel::in_order;
use crate::{BookError, Key};
use std::cmp::Ordering;

/// Records read at a time.
const PART: u64 = 1 << 16;
/// Records that are read at once where those wanted lie close together, and on average how many there are between two of these at most.
const AHEAD: u64 = 4096;
const CLOSE: u64 = 128;
/// Bits of the map for each key, as a power of two.
const SPREAD: u32 = 4;
/// Bits of a word of the map, as a power of two.
const WORD: u32 = 6;

/// The keys of a book. Most moves lead out of it: a map of bits, which a processor's cache may hold, tells most of them. A key
/// has three bits of one word, so that one in a thousand that are not there looks as if it were.
pub(super) struct Index {
    /// In order, each once, with the number of its first record.
    keys: Vec<(u64, u32)>,
    words: Vec<u64>,
    /// Where keys with the same upper bits begin; one more than there are such.
    starts: Vec<u32>,
    shift: u32,
}

impl Index {
    pub(super) fn of(book: &AperyBook, threads: usize) -> Result<Self, BookError> {
        if book.records >= u64::from(u32::MAX) {
            return Err(BookError::Unfit(format!("{} records at once", book.records)));
        }
        let mut keys: Vec<(u64, u32)> = Vec::new();
        let parts = (0..book.records).step_by(PART as usize).map(Ok);
        in_order(
            threads,
            parts,
            |first| part_of(book, first),
            |part| {
                // A key may go on from one part to the next.
                let (number, last) = (part.first().map_or(0, |part| part.1), keys.last());
                match part.first().zip(last).map(|((key, _), (last, _))| key.cmp(last)) {
                    Some(Ordering::Less) => return Err(not_in_order(u64::from(number))),
                    Some(Ordering::Equal) => keys.extend(&part[1..]),
                    _ => keys.extend(part),
                }
                Ok(())
            },
        )?;
        keys.shrink_to_fit();
        let width = (keys.len().max(1) as u64).next_power_of_two().trailing_zeros().max(3);
        let shift = 64 - width;
        let mut starts = vec![0; (1 << width) + 1];
        keys.iter().for_each(|(key, _)| starts[(key >> shift) as usize + 1] += 1);
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let words = vec![0; 1 << (width + SPREAD - WORD)];
        let mut index = Self { keys, words, starts, shift };
        for place in 0..index.keys.len() {
            let (word, bits) = index.bits(index.keys[place].0);
            index.words[word] |= bits;
        }
        Ok(index)
    }

    /// The key at a place.
    pub(super) fn key(&self, place: u32) -> u64 {
        self.keys[place as usize].0
    }

    /// How many keys there are.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The word of a key in the map, and its bits there.
    const fn bits(&self, key: u64) -> (usize, u64) {
        let word = key >> (self.shift - SPREAD + WORD);
        (word as usize, 1 << (key & 63) | 1 << (key >> 6 & 63) | 1 << (key >> 12 & 63))
    }

    /// Whether a key looks as if it were there.
    #[inline]
    pub(super) fn may_have(&self, key: u64) -> bool {
        let (word, bits) = self.bits(key);
        self.words[word] & bits == bits
    }

    /// The place of a key.
    #[inline]
    pub(super) fn place(&self, key: u64) -> Option<u32> {
        if !self.may_have(key) {
            return None;
        }
        let group = (key >> self.shift) as usize;
        let (from, to) = (self.starts[group] as usize, self.starts[group + 1] as usize);
        let found = self.keys[from..to].iter().position(|&(known, _)| known == key);
        found.map(|place| (from + place) as u32)
    }

    /// The numbers of the first record of the key at a place and of the first after it.
    fn span(&self, book: &AperyBook, place: u32) -> (u64, u64) {
        let next = self.keys.get(place as usize + 1);
        let end = next.map_or(book.records, |&(_, first)| u64::from(first));
        (u64::from(self.keys[place as usize].1), end)
    }
}

/// The records of keys that come in the order of places, read in long pieces where they lie close together.
pub(super) struct Records<'a> {
    book: &'a AperyBook,
    index: &'a Index,
    /// Records that are read with those wanted.
    ahead: u64,
    /// The first record after all that will be wanted.
    end: u64,
    /// The number of the first record held.
    first: u64,
    bytes: Vec<u8>,
}

impl<'a> Records<'a> {
    pub(super) fn new(
        book: &'a AperyBook,
        index: &'a Index,
        mut places: impl ExactSizeIterator<Item = u32>,
    ) -> Self {
        let (count, first) = (places.len() as u64, places.next().unwrap_or(0));
        let last = places.last().unwrap_or(first);
        let (start, end) =
            if count == 0 { (0, 0) } else { (index.span(book, first).0, index.span(book, last).1) };
        let ahead = if (end - start) / count.max(1) < CLOSE { AHEAD } else { 0 };
        Self { book, index, ahead, end, first: 0, bytes: Vec::new() }
    }

    /// The records of the key at a place.
    pub(super) fn of(
        &mut self,
        place: u32,
    ) -> Result<impl ExactSizeIterator<Item = Record> + '_, BookError> {
        let (first, end) = self.index.span(self.book, place);
        if first < self.first || end > self.first + self.bytes.len() as u64 / RECORD {
            let until = (first + self.ahead).min(self.end).max(end);
            self.bytes.resize(((until - first) * RECORD) as usize, 0);
            self.book.input.read_at(first * RECORD, &mut self.bytes)?;
            self.first = first;
        }
        let from = ((first - self.first) * RECORD) as usize;
        let bytes = &self.bytes[from..from + ((end - first) * RECORD) as usize];
        Ok(bytes.as_chunks().0.iter().map(Record::of))
    }
}

/// The keys of some records, each once, with the number of its first record among them.
fn part_of(book: &AperyBook, first: u64) -> Result<Vec<(u64, u32)>, BookError> {
    let count = PART.min(book.records - first);
    let bytes = bytes_at(&*book.input, first * RECORD, (count * RECORD) as usize)?;
    let mut keys: Vec<(u64, u32)> = Vec::new();
    for (number, record) in (first..).zip(bytes.chunks_exact(RECORD as usize)) {
        let key = Taker::new(record).u64().unwrap_or(0);
        match keys.last() {
            Some(&(last, _)) if last == key => {}
            Some(&(last, _)) if last > key => return Err(not_in_order(number)),
            _ => keys.push((key, number as u32)),
        }
    }
    Ok(keys)
}

fn not_in_order(record: u64) -> BookError {
    BookError::damaged(record * RECORD, "not in order")
}

/// An odd number of many bits.
const SPREADING: u64 = 0x9e37_79b9_7f4a_7c15;

/// A position whose key is in the book.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) key: Key,
    pub(super) place: u32,
    /// Never 0.
    pub(super) print: u64,
}

impl Known {
    pub(super) fn new(key: Key, place: u32) -> Self {
        let print = key.as_chunks().0.iter().fold(0, |print: u64, &word| {
            (print ^ u64::from_le_bytes(word)).wrapping_mul(SPREADING).rotate_left(29)
        });
        Self { key, place, print: print | 1 }
    }
}
