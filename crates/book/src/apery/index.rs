//! The keys of a book in memory, and which positions with them a walk has met.

use super::{AperyBook, RECORD, Record};
use crate::bytes::{Taker, bytes_at};
use crate::parallel::in_order;
use crate::{BookError, Key};
use std::cmp::Ordering;
use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

/// Records read at a time.
const PART: u64 = 1 << 16;
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

    /// The place of a key.
    #[inline]
    pub(super) fn place(&self, key: u64) -> Option<u32> {
        let (word, bits) = self.bits(key);
        if self.words[word] & bits != bits {
            return None;
        }
        let group = (key >> self.shift) as usize;
        let (from, to) = (self.starts[group] as usize, self.starts[group + 1] as usize);
        let found = self.keys[from..to].iter().position(|&(known, _)| known == key);
        found.map(|place| (from + place) as u32)
    }

    /// The records of the key at a place.
    pub(super) fn records(&self, book: &AperyBook, place: u32) -> Result<Vec<Record>, BookError> {
        let first = u64::from(self.keys[place as usize].1);
        let next = self.keys.get(place as usize + 1);
        let end = next.map_or(book.records, |&(_, first)| u64::from(first));
        let bytes = bytes_at(&*book.input, first * RECORD, ((end - first) * RECORD) as usize)?;
        let mut from = Taker::new(&bytes);
        Ok(std::iter::from_fn(|| Record::read(&mut from)).collect())
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

/// A position whose key is in the book.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) key: Key,
    pub(super) place: u32,
    /// Never 0.
    print: u64,
}

impl Known {
    pub(super) fn new(key: Key, place: u32) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(&key);
        Self { key, place, print: hasher.finish() | 1 }
    }
}

/// The positions that were met. A key leaves only the opponent's hand open, and that is what is left of a full set: within even games there
/// is one position with it, which is known by its print. Others, of handicap games, are kept whole.
pub(super) struct Met {
    /// By place; 0 for none.
    prints: Vec<u64>,
    others: HashSet<Key>,
    /// Keys that were met.
    keys: usize,
}

impl Met {
    /// None, of so many keys.
    pub(super) fn new(keys: usize) -> Self {
        Self { prints: vec![0; keys], others: HashSet::new(), keys: 0 }
    }

    /// Whether all keys were met.
    pub(super) fn is_all(&self) -> bool {
        self.keys == self.prints.len()
    }

    pub(super) fn has(&self, position: &Known) -> bool {
        self.prints[position.place as usize] == position.print
            || self.others.contains(&position.key)
    }

    /// Takes a position; whether it was not there.
    pub(super) fn insert(&mut self, position: &Known) -> bool {
        let print = &mut self.prints[position.place as usize];
        if *print == 0 {
            *print = position.print;
            self.keys += 1;
            return true;
        }
        *print != position.print && self.others.insert(position.key)
    }
}
