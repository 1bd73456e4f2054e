//! Runs read through together, piece by piece: whatever is sorted before the next cut, of all of them.
//!
//! Of every run a little is held. What the first of them to end there has as its last record is the cut: everything before it is
//! known of all runs. So memory depends on how many runs there are, which is bounded, and not on how long they are.

use super::store::{Run, Store, next_record};
use crate::BookError;
use crate::bytes::{ReadAt, Taker};

pub(super) const CHANGED: &str = "a temporary file changed while it was read";
/// The least that is held of a run: some fifty records.
const LEAST: usize = 4 << 10;

/// The runs, from the first record to the last.
pub(super) struct Stream<'a> {
    store: &'a dyn ReadAt,
    readers: Vec<Reader>,
    /// Bytes of a piece that are aimed at.
    size: usize,
    /// Bytes held of a run, unless it is the one that ends first again and again.
    usual: usize,
}

/// What is held of a run.
struct Reader {
    /// Where the run goes on in the file, and where it ends.
    at: u64,
    end: u64,
    bytes: Vec<u8>,
    /// Bytes that have been given, and those up to which records are whole.
    given: usize,
    whole: usize,
    /// Where the last whole record begins.
    last: usize,
    /// Bytes that may be held.
    most: usize,
}

impl<'a> Stream<'a> {
    /// Pieces of about so many bytes.
    pub(super) fn new(store: &'a Store, runs: &[Run], size: usize) -> Self {
        Self::of(store.file(), runs, size)
    }

    pub(super) fn of(store: &'a dyn ReadAt, runs: &[Run], size: usize) -> Self {
        let usual = (2 * size / runs.len().max(1)).max(LEAST);
        let reader = |run: &Run| Reader {
            at: run.start,
            end: run.end,
            bytes: Vec::new(),
            given: 0,
            whole: 0,
            last: 0,
            most: usual,
        };
        Self { store, readers: runs.iter().map(reader).collect(), size, usual }
    }

    /// The records of all runs that come next: those of each run in order, the runs one after the other. None at the end.
    fn piece(&mut self) -> Result<Option<Vec<u8>>, BookError> {
        loop {
            for reader in &mut self.readers {
                reader.fill(self.store)?;
            }
            self.readers.retain(|reader| reader.given < reader.whole);
            if self.readers.is_empty() {
                return Ok(None);
            }
            let ends = self.readers.iter().enumerate().filter(|(_, reader)| reader.at < reader.end);
            let first = ends.min_by(|(_, a), (_, b)| a.last_order().cmp(b.last_order()));
            let Some((first, reader)) = first else {
                // Everything is here.
                let mut piece = Vec::new();
                for reader in &mut self.readers {
                    piece.extend(&reader.bytes[reader.given..reader.whole]);
                    reader.given = reader.whole;
                }
                return Ok(Some(piece));
            };
            let cut = reader.last_order().to_vec();
            let ends: Vec<usize> = self.readers.iter().map(|reader| reader.before(&cut)).collect();
            let all = self.readers.iter().zip(&ends).map(|(reader, end)| end - reader.given).sum();
            if all < self.size / 4 {
                self.hold_more(first, all == 0);
            }
            if all > 0 {
                let mut piece = Vec::with_capacity(all);
                for (reader, end) in self.readers.iter_mut().zip(ends) {
                    piece.extend(&reader.bytes[reader.given..end]);
                    reader.given = end;
                }
                return Ok(Some(piece));
            }
        }
    }

    /// Where one run holds back the others, more is held of it; where all its records are equal, as much as it takes.
    fn hold_more(&mut self, first: usize, must: bool) {
        let all: usize = self.readers.iter().map(|reader| reader.bytes.len()).sum();
        for reader in &mut self.readers {
            reader.most = reader.most.min(self.usual);
        }
        let reader = &mut self.readers[first];
        let wanted = reader.bytes.len().max(self.usual).saturating_mul(2);
        if must {
            reader.most = wanted;
        } else if all < 4 * self.size {
            reader.most = wanted.min(self.size);
        }
    }
}

impl Iterator for Stream<'_> {
    type Item = Result<Vec<u8>, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.piece().transpose()
    }
}

impl Reader {
    /// Reads on where little is held, until there is a whole record or the run is over.
    fn fill(&mut self, store: &dyn ReadAt) -> Result<(), BookError> {
        loop {
            let held = self.bytes.len() - self.given;
            if self.at == self.end || held > self.most / 4 * 3 && self.given < self.whole {
                break;
            }
            if held >= self.most {
                // One record is longer than all that may be held.
                self.most = self.most.saturating_mul(2);
            }
            self.bytes.drain(..self.given);
            // No more than is needed, should more have been held once.
            self.bytes.shrink_to(self.most);
            self.bytes.reserve_exact(self.most.saturating_sub(held));
            self.whole -= self.given;
            self.last = self.last.saturating_sub(self.given);
            self.given = 0;
            let wanted =
                (self.most - held).min(usize::try_from(self.end - self.at).unwrap_or(usize::MAX));
            self.bytes.resize(held + wanted, 0);
            store.read_at(self.at, &mut self.bytes[held..])?;
            self.at += wanted as u64;
            let mut from = Taker::new(&self.bytes[self.whole..]);
            let mut end = 0;
            while next_record(&mut from).is_some() {
                self.last = self.whole + end;
                end = from.at;
            }
            self.whole += end;
        }
        if self.at == self.end && self.whole < self.bytes.len() {
            return Err(BookError::damaged(self.at, CHANGED));
        }
        Ok(())
    }

    /// What the last whole record is sorted by.
    fn last_order(&self) -> &[u8] {
        let record = next_record(&mut Taker::new(&self.bytes[self.last..]));
        record.map_or(&[], |record| record.order)
    }

    /// Where the records end that are sorted before a cut.
    fn before(&self, cut: &[u8]) -> usize {
        let mut from = Taker::new(&self.bytes[self.given..self.whole]);
        let mut end = 0;
        while next_record(&mut from).is_some_and(|record| record.order < cut) {
            end = from.at;
        }
        self.given + end
    }
}
