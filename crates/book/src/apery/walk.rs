//! The positions of a book, found by walking: keys do not give them back.

use super::{AperyBook, RECORD, Record, board_key, board_key_after, entry_of, mover_key};
use crate::bytes::{Taker, bytes_at};
use crate::model::{key_of, position_of};
use crate::parallel::in_order;
use crate::{BookError, Entry, Key};
use rules::{AnyPosition, Game};
use std::collections::HashSet;

/// Positions that a thread takes at a time.
const BATCH: usize = 1024;
/// Records read at a time.
const PART: u64 = 1 << 16;
/// Bits for each key in the map of those there are: one in so many that are not there looks as if it were.
const SPREAD: u32 = 4;

/// The keys of a book. Most moves lead out of it: a map of bits, which a processor's cache may hold, tells most of them.
struct Index {
    /// In order, each once, with the number of its first record.
    keys: Vec<(u64, u32)>,
    bits: Vec<u64>,
    /// Where keys with the same upper bits begin; one more than there are such.
    starts: Vec<u32>,
    shift: u32,
}

impl Index {
    fn of(book: &AperyBook) -> Result<Self, BookError> {
        if book.records >= u64::from(u32::MAX) {
            return Err(BookError::Unfit(format!("{} records at once", book.records)));
        }
        let mut keys: Vec<(u64, u32)> = Vec::new();
        for first in (0..book.records).step_by(PART as usize) {
            let count = PART.min(book.records - first);
            let bytes = bytes_at(&*book.input, first * RECORD, (count * RECORD) as usize)?;
            for (number, record) in (first..).zip(bytes.chunks_exact(RECORD as usize)) {
                let key = Taker::new(record).u64().unwrap_or(0);
                match keys.last() {
                    Some(&(last, _)) if last == key => {}
                    Some(&(last, _)) if last > key => {
                        return Err(BookError::damaged(number * RECORD, "not in order"));
                    }
                    _ => keys.push((key, number as u32)),
                }
            }
        }
        let width = (keys.len().max(1) as u64).next_power_of_two().trailing_zeros().max(1);
        let shift = 64 - width;
        let mut starts = vec![0; (1 << width) + 1];
        keys.iter().for_each(|(key, _)| starts[(key >> shift) as usize + 1] += 1);
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut index =
            Self { keys, bits: vec![0; (1 << (width + SPREAD)) / 64 + 1], starts, shift };
        for place in 0..index.keys.len() {
            let bit = index.bit(index.keys[place].0);
            index.bits[bit / 64] |= 1 << (bit % 64);
        }
        Ok(index)
    }

    const fn bit(&self, key: u64) -> usize {
        (key >> (self.shift - SPREAD)) as usize
    }

    /// The place of a key.
    fn place(&self, key: u64) -> Option<usize> {
        let bit = self.bit(key);
        if self.bits[bit / 64] >> (bit % 64) & 1 == 0 {
            return None;
        }
        let group = (key >> self.shift) as usize;
        let (from, to) = (self.starts[group] as usize, self.starts[group + 1] as usize);
        let found = self.keys[from..to].iter().position(|&(known, _)| known == key);
        found.map(|place| from + place)
    }
}

/// Where a walk goes next.
#[derive(Clone, Copy)]
struct Step {
    key: Key,
    ply: u32,
    /// Moves outside the book that may still follow.
    left: u32,
}

/// What was found at some steps.
struct Visited<T> {
    count: usize,
    part: T,
    records: u64,
    next: Vec<Step>,
}

impl AperyBook {
    /// Gives the positions that can be reached from the roots by moves of the book, and from those by so
    /// many moves that are not in it: `work` is done on any thread, `take` on this one, in order. Everything else in the file
    /// cannot be told apart. How many records were met.
    pub(crate) fn walk<T: Send>(
        &self,
        roots: Vec<AnyPosition>,
        astray: u32,
        threads: usize,
        work: impl Fn(Vec<Entry>) -> Result<T, BookError> + Sync,
        mut take: impl FnMut(usize, T) -> Result<(), BookError>,
    ) -> Result<u64, BookError> {
        let index = Index::of(self)?;
        let mut seen: HashSet<Key> = HashSet::new();
        let mut steps = Vec::new();
        for root in roots {
            let (key, ply) = (key_of(&root)?, root.ply());
            if seen.insert(key) {
                steps.push(Step { key, ply, left: astray });
            }
        }
        let mut met = 0;
        while !steps.is_empty() {
            let mut later = Vec::new();
            let visit = |steps: &[Step]| {
                let (mut entries, mut next, mut records) = (Vec::new(), Vec::new(), 0);
                for step in steps {
                    let entry = self.visit(&index, step, astray, &mut next)?;
                    records += entry.as_ref().map_or(0, |entry| entry.moves.len() as u64);
                    entries.extend(entry);
                }
                let count = entries.len();
                Ok(Visited { count, part: work(entries)?, records, next })
            };
            in_order(threads, steps.chunks(BATCH).map(Ok), visit, |visited| {
                met += visited.records;
                later.extend(visited.next.into_iter().filter(|step| seen.insert(step.key)));
                take(visited.count, visited.part)
            })?;
            steps = later;
        }
        Ok(met)
    }

    /// The entry of a step, and the steps after it.
    fn visit(
        &self,
        index: &Index,
        step: &Step,
        astray: u32,
        next: &mut Vec<Step>,
    ) -> Result<Option<Entry>, BookError> {
        let position = position_of(Game::Shogi, &step.key, step.ply)?;
        let board = board_key(&position);
        let entry = match index.place(board ^ mover_key(&position, position.turn())) {
            Some(place) => entry_of(&position, &self.records_at(index, place)?)?,
            None => None,
        };
        let left = if entry.is_some() { astray } else { step.left };
        let other = mover_key(&position, position.turn().opponent());
        for &mv in &position.legal_moves() {
            let in_book = entry.as_ref().is_some_and(|entry| entry.find(mv).is_some());
            if !in_book && left == 0 {
                continue;
            }
            let known =
                in_book || index.place(board_key_after(&position, board, mv) ^ other).is_some();
            if known || left > 1 {
                let mut after = position.clone();
                after.play(mv);
                let left = if in_book { astray } else { left - 1 };
                next.push(Step { key: key_of(&after)?, ply: after.ply(), left });
            }
        }
        Ok(entry.map(|entry| Entry { ply: position.ply(), ..entry }))
    }

    fn records_at(&self, index: &Index, place: usize) -> Result<Vec<Record>, BookError> {
        let first = u64::from(index.keys[place].1);
        let end = index.keys.get(place + 1).map_or(self.records, |&(_, first)| u64::from(first));
        let bytes = bytes_at(&*self.input, first * RECORD, ((end - first) * RECORD) as usize)?;
        let mut from = Taker::new(&bytes);
        Ok(std::iter::from_fn(|| Record::read(&mut from)).collect())
    }
}
