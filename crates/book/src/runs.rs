//! Sorting more than fits into memory.
//!
//! Entries come as chunks: the bytes of many, made and sorted by whoever read them, on any thread. What is more than the
//! memory allows is written to a file as a run, which is sorted as a whole; many runs are put together to one, so that there are
//! never many. At the end everything is cut into ranges: each range is put together by one thread, and the ranges are taken in
//! order. Nothing depends on how many threads there are, and memory does not depend on how much is sorted.
//!
//! | file | holds |
//! |---|---|
//! | `chunk` | the bytes of some entries, in order |
//! | `range` | what lies between two cuts of the chunks |
//! | `store` | the file of the runs: without a name, or one that a later run goes on from |
//! | `stream` | runs read through together |

mod chunk;
mod range;
mod store;
mod stream;
#[cfg(test)]
mod tests;

pub(crate) use chunk::Chunk;
use chunk::Record;
pub(crate) use range::{Item, Merged};
pub(crate) use store::Place;

use crate::bytes::Taker;
use crate::codec::{Sources, take_entry};
use crate::combine::Combine;
use crate::parallel::in_order;
use crate::{BookError, Entry, Format};
use range::{Range, cuts};
use rules::Game;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use store::{MOST_RUNS, Run, Store, block_of, records_of};
use stream::Stream;

/// Bytes of a range: much less than a thread has of memory, much more than a read from a file costs.
const LARGEST_RANGE: usize = 4 << 20;
const SMALLEST_RANGE: usize = 128 << 10;
/// Ranges for each thread, where there are few: so that none waits long for the last.
const RANGES: usize = 8;

/// What it takes to make chunks: the same for every thread.
#[derive(Clone)]
pub(crate) struct Maker {
    format: Format,
    game: Game,
    /// Numbers of sources within the runs; in which order they come does not matter.
    sources: Arc<RwLock<Sources>>,
}

impl Maker {
    /// The chunk of these entries, of which those without moves are none.
    pub(crate) fn chunk(&self, entries: &[Entry]) -> Result<Chunk, BookError> {
        let mut number = |source: &Arc<str>| {
            let known = self.sources.read().unwrap_or_else(PoisonError::into_inner).known(source);
            known.unwrap_or_else(|| {
                self.sources.write().unwrap_or_else(PoisonError::into_inner).number(source)
            })
        };
        let entries = entries.iter().filter(|entry| !entry.moves.is_empty());
        Chunk::of(entries, self.format, self.game, &mut number)
    }
}

/// Takes chunks in any order and gives everything back sorted.
pub(crate) struct Sorter {
    maker: Maker,
    folder: PathBuf,
    threads: usize,
    memory: usize,
    used: usize,
    chunks: Vec<Chunk>,
    store: Option<Store>,
    /// How far the input has been read with all that was taken.
    place: Place,
    /// Runs of a level that are put together.
    most_runs: usize,
}

impl Sorter {
    /// Sorts for a format in so many bytes of memory (about), and in a file in that folder beyond.
    pub(crate) fn new(format: Format, game: Game, folder: &Path, memory: usize) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Self {
            maker: Maker { format, game, sources: Arc::default() },
            folder: folder.to_owned(),
            threads: 1,
            memory: memory.max(1 << 16),
            used: 0,
            chunks: Vec::new(),
            store: None,
            place: Place::default(),
            most_runs: MOST_RUNS,
        }
    }

    pub(crate) fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Keeps the runs in a file of that name until all is done: what an earlier run with the same plan left there is taken
    /// over. How far the input was read then.
    pub(crate) fn resume(&mut self, path: &Path, plan: &Value) -> Result<Place, BookError> {
        let (store, sources, place) = Store::named(path, plan)?;
        self.maker.sources = Arc::new(RwLock::new(sources));
        self.store = Some(store);
        Ok(place)
    }

    /// What makes chunks.
    pub(crate) fn maker(&self) -> Maker {
        self.maker.clone()
    }

    /// Takes a chunk; `place` is how far the input has been read with it.
    pub(crate) fn push(&mut self, chunk: Chunk, place: Place) -> Result<(), BookError> {
        self.used += chunk.size();
        self.place = place;
        if !chunk.is_empty() {
            self.chunks.push(chunk);
        }
        // As much again is on its way between threads.
        if self.used > self.memory / 2 { self.spill() } else { Ok(()) }
    }

    /// Runs written so far.
    #[cfg(test)]
    pub(crate) fn runs(&self) -> usize {
        self.store.as_ref().map_or(0, |store| store.runs().len())
    }

    /// Entries taken, of which some may be the same position.
    pub(crate) fn most(&self) -> usize {
        let runs = self.store.as_ref().map_or(&[][..], Store::runs);
        let records = runs.iter().map(|run| run.records).sum::<u64>();
        let waiting = self.chunks.iter().map(Chunk::len).sum::<usize>();
        usize::try_from(records).unwrap_or(usize::MAX).saturating_add(waiting)
    }

    fn sources(&self) -> Sources {
        self.maker.sources.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes what is in memory as a run.
    fn spill(&mut self) -> Result<(), BookError> {
        let chunks = std::mem::take(&mut self.chunks);
        self.used = 0;
        let sources = self.sources();
        let mut store = match self.store.take() {
            Some(store) => store,
            None => Store::unnamed(&self.folder)?,
        };
        let ranges = cuts(&chunks, self.range_size(&chunks));
        let mut run = store.begin();
        let work = |range: Range| Ok(block_of(&self.thinned(&range.records(&chunks), &sources)));
        in_order(self.threads, ranges.into_iter().map(Ok), work, |block| {
            store.write(&mut run, &block)
        })?;
        store.end(run, 0, &sources, self.place)?;
        drop(chunks);
        while let Some((runs, run)) = store.begin_level(self.most_runs) {
            self.unite(&mut store, &runs, run)?;
        }
        self.store = Some(store);
        Ok(())
    }

    /// Puts the last runs together to one.
    fn unite(&self, store: &mut Store, runs: &[Run], mut run: Run) -> Result<(), BookError> {
        let reader = store.reader()?;
        let pieces = Stream::of(&reader, runs, self.piece_size());
        let sources = self.sources();
        let work = |piece: Vec<u8>| Ok(block_of(&self.thinned(&sorted(&piece), &sources)));
        in_order(self.threads, pieces, work, |block| store.write(&mut run, &block))?;
        store.end(run, runs.len(), &sources, self.place)
    }

    /// Without the third and later ones of equal neighbours that count no games: they add nothing to two, whatever the rule. A
    /// text that has the same position a million times would have all of them in one piece.
    fn thinned<'a>(&self, records: &[Record<'a>], sources: &Sources) -> Vec<Record<'a>> {
        let mut kept = Vec::with_capacity(records.len());
        for equal in records.chunk_by(|a, b| a.order == b.order && a.entry == b.entry) {
            let adds_nothing =
                equal.len() > 2 && counts_nothing(equal[0], self.maker.game, sources);
            kept.extend_from_slice(if adds_nothing { &equal[..2] } else { equal });
        }
        kept
    }

    fn largest_range(&self) -> usize {
        let most = (self.memory / (4 * self.threads)).min(LARGEST_RANGE);
        most.max(SMALLEST_RANGE.min(self.memory))
    }

    /// Less than a range: pieces are read before a thread takes them, and wait.
    fn piece_size(&self) -> usize {
        self.largest_range() / 4
    }

    fn range_size(&self, chunks: &[Chunk]) -> usize {
        let few = chunks.iter().map(Chunk::size).sum::<usize>() / (RANGES * self.threads);
        few.min(self.largest_range()).max(SMALLEST_RANGE.min(self.memory))
    }

    /// Gives everything in order, range by range: `make` is done on any thread, `take` on this one.
    pub(crate) fn finish<T: Send>(
        mut self,
        combine: Combine,
        make: impl Fn(Merged<'_>) -> Result<T, BookError> + Sync,
        take: impl FnMut(T) -> Result<(), BookError>,
    ) -> Result<(), BookError> {
        self.pass(combine, make, take)?;
        match self.store {
            Some(store) => store.remove(),
            None => Ok(()),
        }
    }

    /// The same, and everything stays to be given once more, in the same ranges.
    pub(crate) fn pass<T: Send>(
        &mut self,
        combine: Combine,
        make: impl Fn(Merged<'_>) -> Result<T, BookError> + Sync,
        take: impl FnMut(T) -> Result<(), BookError>,
    ) -> Result<(), BookError> {
        let has_runs = self.store.as_ref().is_some_and(|store| !store.runs().is_empty());
        if has_runs && !self.chunks.is_empty() {
            self.spill()?;
        }
        let (sources, game) = (self.sources(), self.maker.game);
        let merged = |records: Vec<Record<'_>>| make(Merged::new(records, game, &sources, combine));
        match &self.store {
            Some(store) if has_runs => {
                let pieces = Stream::new(store, store.runs(), self.piece_size());
                in_order(self.threads, pieces, |piece| merged(sorted(&piece)), take)
            }
            _ => {
                let chunks = &self.chunks;
                let ranges = cuts(chunks, self.range_size(chunks)).into_iter().map(Ok);
                in_order(self.threads, ranges, |range| merged(range.records(chunks)), take)
            }
        }
    }
}

/// Whether an entry says nothing of how often its moves were played.
fn counts_nothing(record: Record<'_>, game: Game, sources: &Sources) -> bool {
    let entry = take_entry(&mut Taker::new(record.entry), game, sources);
    entry.is_some_and(|entry| {
        entry.moves.iter().all(|m| m.count == 0 && m.wins == 0 && m.draws == 0)
    })
}

/// The records of a piece, in order; equal ones as they came.
fn sorted(piece: &[u8]) -> Vec<Record<'_>> {
    let mut records: Vec<Record<'_>> = records_of(piece).collect();
    records.sort_by(Record::compare);
    records
}
