//! Sorting more than fits into memory.
//!
//! Entries come as chunks: the bytes of many, made and sorted by whoever read them, on any thread. What is more than the
//! memory allows is written to a file as a run, which is sorted as a whole. At the end all runs and the chunks left are
//! cut at the same places into ranges: each range is put together by one thread, and the ranges are taken in order. Nothing
//! depends on how many threads there are.
//!
//! | file | holds |
//! |---|---|
//! | `chunk` | the bytes of some entries, in order |
//! | `range` | what lies between two cuts, of everything |
//! | `store` | the file of the runs: without a name, or one that a later run goes on from |

mod chunk;
mod range;
mod store;
#[cfg(test)]
mod tests;

pub(crate) use chunk::Chunk;
pub(crate) use range::{Item, Merged};
pub(crate) use store::Place;

use crate::codec::Sources;
use crate::combine::Combine;
use crate::parallel::in_order;
use crate::{BookError, Entry, Format};
use range::{Range, cuts};
use rules::Game;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use store::Store;

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
        if !chunk.is_empty() {
            self.chunks.push(chunk);
        }
        // As much again is on its way between threads.
        if self.used > self.memory / 2 { self.spill(place) } else { Ok(()) }
    }

    /// Runs written so far.
    #[cfg(test)]
    pub(crate) fn runs(&self) -> usize {
        self.store.as_ref().map_or(0, |store| store.runs().len())
    }

    fn sources(&self) -> Sources {
        self.maker.sources.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes what is in memory as a run.
    fn spill(&mut self, place: Place) -> Result<(), BookError> {
        let chunks = std::mem::take(&mut self.chunks);
        self.used = 0;
        let sources = self.sources();
        let mut store = match self.store.take() {
            Some(store) => store,
            None => Store::unnamed(&self.folder)?,
        };
        let ranges = cuts(&chunks, &[], self.range_size(&chunks, &[]));
        let work = |range: Range| {
            let gathered = range.gather(&chunks, None)?;
            Ok(store::block_of(&gathered.records()))
        };
        let mut run = store.begin();
        in_order(self.threads, ranges.into_iter().map(Ok), work, |block| {
            store.write(&mut run, block)
        })?;
        store.end(run, &sources, place)?;
        self.store = Some(store);
        Ok(())
    }

    fn range_size(&self, chunks: &[Chunk], runs: &[store::Run]) -> usize {
        let bytes = chunks.iter().map(Chunk::size).sum::<usize>() as u64
            + runs.iter().map(store::Run::length).sum::<u64>();
        let few = bytes / (RANGES * self.threads) as u64;
        let most = (self.memory / (4 * self.threads)).min(LARGEST_RANGE);
        usize::try_from(few).unwrap_or(usize::MAX).min(most).max(SMALLEST_RANGE.min(self.memory))
    }

    /// Gives everything in order, range by range: `make` is done on any thread, `take` on this one.
    pub(crate) fn finish<T: Send>(
        self,
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
        &self,
        combine: Combine,
        make: impl Fn(Merged<'_>) -> Result<T, BookError> + Sync,
        take: impl FnMut(T) -> Result<(), BookError>,
    ) -> Result<(), BookError> {
        let runs = self.store.as_ref().map_or(&[][..], Store::runs);
        let (chunks, sources) = (&self.chunks, self.sources());
        let ranges = cuts(chunks, runs, self.range_size(chunks, runs));
        let (store, game) = (self.store.as_ref(), self.maker.game);
        let work = |range: Range| {
            let gathered = range.gather(chunks, store)?;
            make(Merged::new(gathered.records(), game, &sources, combine))
        };
        in_order(self.threads, ranges.into_iter().map(Ok), work, take)
    }
}
