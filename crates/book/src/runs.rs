//! Sorting more than fits into memory: sorted runs in unnamed temporary files, then one merge.
//!
//! Entries of the same position come together in the merge, where a [`Combine`] makes one of them.
//! The files have no name, so that nothing is left behind however the process ends.

use crate::bytes::Taker;
use crate::codec::{Sources, put_entry, take_entry};
use crate::combine::Combine;
use crate::{BookError, Entry};
use rules::Game;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Runs merged at a time: so many files are open at most.
const WIDEST: usize = 64;
/// A record of a run is never longer.
const LONGEST: u32 = 1 << 30;

/// An entry and what it is sorted by; the key decides among equals.
struct Item {
    order: Box<[u8]>,
    entry: Entry,
    /// Which came first.
    number: u64,
}

impl Item {
    fn compare(&self, other: &Self) -> Ordering {
        self.order
            .cmp(&other.order)
            .then_with(|| self.entry.key.cmp(&other.entry.key))
            .then(self.number.cmp(&other.number))
    }

    fn bytes(&self) -> usize {
        let moves = self.entry.moves.iter().map(|m| m.comment.as_ref().map_or(0, |c| c.len()));
        size_of::<Self>()
            + self.order.len()
            + self.entry.moves.capacity() * size_of::<crate::BookMove>()
            + moves.sum::<usize>()
    }
}

/// Takes entries in any order and gives them back sorted.
pub struct Sorter {
    game: Game,
    folder: PathBuf,
    memory: usize,
    used: usize,
    items: Vec<Item>,
    runs: Vec<File>,
    sources: Sources,
    taken: u64,
}

impl Sorter {
    /// Sorts in so many bytes of memory (about), and in temporary files in that folder beyond.
    pub fn new(game: Game, folder: &Path, memory: usize) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Self {
            game,
            folder: folder.to_owned(),
            memory: memory.max(1 << 16),
            used: 0,
            items: Vec::new(),
            runs: Vec::new(),
            sources: Sources::default(),
            taken: 0,
        }
    }

    /// Takes an entry to be sorted by its key.
    pub fn push(&mut self, entry: Entry) -> Result<(), BookError> {
        self.push_by(Box::default(), entry)
    }

    /// Takes an entry to be sorted by something else.
    pub fn push_by(&mut self, order: Box<[u8]>, entry: Entry) -> Result<(), BookError> {
        let item = Item { order, entry, number: self.taken };
        self.taken += 1;
        self.used += item.bytes();
        self.items.push(item);
        if self.used > self.memory { self.spill() } else { Ok(()) }
    }

    /// Runs written so far.
    pub const fn runs(&self) -> usize {
        self.runs.len()
    }

    fn spill(&mut self) -> Result<(), BookError> {
        let mut items = std::mem::take(&mut self.items);
        self.used = 0;
        items.sort_unstable_by(Item::compare);
        let run = self.write_run(items.into_iter().map(Ok))?;
        self.runs.push(run);
        Ok(())
    }

    fn write_run(
        &mut self,
        items: impl Iterator<Item = Result<Item, BookError>>,
    ) -> Result<File, BookError> {
        let mut output = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder)?);
        let mut record = Vec::new();
        for item in items {
            let item = item?;
            record.clear();
            record.extend(item.number.to_le_bytes());
            record.extend((item.order.len() as u32).to_le_bytes());
            record.extend(&*item.order);
            put_entry(&mut record, &item.entry, &mut self.sources)?;
            output.write_all(&(record.len() as u32).to_le_bytes())?;
            output.write_all(&record)?;
        }
        let mut file = output.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    }

    /// Everything in order, entries of the same position made one.
    pub fn finish(mut self, combine: Combine) -> Result<Sorted, BookError> {
        self.items.sort_unstable_by(Item::compare);
        while self.runs.len() > WIDEST {
            let rest = self.runs.split_off(WIDEST);
            let some = std::mem::replace(&mut self.runs, rest);
            let merge = Merge::of(self.game, some, Vec::new(), self.sources.clone())?;
            let run = self.write_run(merge)?;
            self.runs.push(run);
        }
        let merge = Merge::of(self.game, self.runs, self.items, self.sources)?;
        Ok(Sorted { merge, combine, held: None })
    }
}

/// One of the runs, or what stayed in memory.
enum Stream {
    File(BufReader<File>),
    Memory(std::vec::IntoIter<Item>),
}

struct Head {
    item: Item,
    stream: usize,
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    /// The heap gives the greatest first: the smallest item is the greatest head.
    fn cmp(&self, other: &Self) -> Ordering {
        other.item.compare(&self.item)
    }
}

struct Merge {
    game: Game,
    streams: Vec<Stream>,
    heads: BinaryHeap<Head>,
    sources: Sources,
}

impl Merge {
    fn of(
        game: Game,
        runs: Vec<File>,
        items: Vec<Item>,
        sources: Sources,
    ) -> Result<Self, BookError> {
        let files =
            runs.into_iter().map(|run| Stream::File(BufReader::with_capacity(1 << 17, run)));
        let memory = std::iter::once(Stream::Memory(items.into_iter()));
        let streams = files.chain(memory).collect();
        let mut merge = Self { game, streams, heads: BinaryHeap::new(), sources };
        for stream in 0..merge.streams.len() {
            merge.advance(stream)?;
        }
        Ok(merge)
    }

    fn advance(&mut self, stream: usize) -> Result<(), BookError> {
        let item = match &mut self.streams[stream] {
            Stream::Memory(items) => items.next(),
            Stream::File(file) => read_item(file, self.game, &self.sources)?,
        };
        self.heads.extend(item.map(|item| Head { item, stream }));
        Ok(())
    }
}

impl Iterator for Merge {
    type Item = Result<Item, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        let head = self.heads.pop()?;
        Some(self.advance(head.stream).map(|()| head.item))
    }
}

fn read_item(
    file: &mut BufReader<File>,
    game: Game,
    sources: &Sources,
) -> Result<Option<Item>, BookError> {
    let mut length = [0; 4];
    if teacher::fill(file, &mut length)? < 4 {
        return Ok(None);
    }
    let length = u32::from_le_bytes(length);
    let broken = || BookError::damaged(0, "a temporary file changed while it was read");
    if length > LONGEST {
        return Err(broken());
    }
    let mut record = vec![0; length as usize];
    file.read_exact(&mut record)?;
    let mut from = Taker::new(&record);
    let mut take = || {
        let number = from.u64()?;
        let length = from.u32()?;
        let order = from.take(length as usize)?.into();
        Some(Item { order, entry: take_entry(&mut from, game, sources)?, number })
    };
    take().map(Some).ok_or_else(broken)
}

/// Entries in order, every position once.
pub struct Sorted {
    merge: Merge,
    combine: Combine,
    held: Option<Item>,
}

impl Iterator for Sorted {
    type Item = Result<Entry, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let next = match self.merge.next() {
                Some(Err(error)) => return Some(Err(error)),
                Some(Ok(item)) => Some(item),
                None => None,
            };
            match (self.held.take(), next) {
                (None, None) => return None,
                (Some(held), None) => return Some(Ok(held.entry)),
                (None, Some(next)) => self.held = Some(next),
                (Some(mut held), Some(next)) => {
                    if held.order == next.order && held.entry.key == next.entry.key {
                        self.combine.add(&mut held.entry, next.entry);
                        self.held = Some(held);
                    } else {
                        self.held = Some(next);
                        return Some(Ok(held.entry));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::random_entries;

    #[test]
    fn what_does_not_fit_is_sorted_all_the_same() {
        let entries = random_entries(Game::Shogi, 3000, 11);
        let mut mixed = entries.clone();
        seed::Rng::new(5).shuffle(&mut mixed);
        let folder = tempfile::tempdir().unwrap();
        for (memory, least) in [(1 << 30, 0), (1, 10)] {
            let mut sorter = Sorter::new(Game::Shogi, folder.path(), memory);
            for entry in &mixed {
                sorter.push(entry.clone()).unwrap();
            }
            assert!(sorter.runs() >= least, "{} runs", sorter.runs());
            let sorted: Vec<Entry> =
                sorter.finish(Combine::First).unwrap().collect::<Result<_, _>>().unwrap();
            assert!(sorted == entries, "memory {memory}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn more_runs_than_can_be_open() {
        let entries = random_entries(Game::Minishogi, 400, 12);
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(Game::Minishogi, folder.path(), 1 << 20);
        for entry in entries.iter().rev() {
            sorter.push(entry.clone()).unwrap();
            if sorter.taken.is_multiple_of(4) {
                sorter.spill().unwrap();
            }
        }
        assert_eq!(sorter.runs(), 100);
        let sorted: Vec<Entry> =
            sorter.finish(Combine::First).unwrap().collect::<Result<_, _>>().unwrap();
        assert!(sorted == entries);
    }
}
