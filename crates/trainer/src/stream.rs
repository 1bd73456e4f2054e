//! Batches of an epoch: blocks in random order, positions shuffled within a bounded buffer.
//!
//! A reading thread fills the next buffer while the present one is learned from. What comes out
//! follows from the seed, the epoch and the files alone.

use crate::blocks::{Corpus, DataError};
use crate::model::Encoder;
use crate::objective::Label;
use crate::selection::{Sampler, Samples, Selection, SelectionCounts};
use crate::workers::Workers;
use rules::Variant;
use seed::Rng;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

/// Uses of a seed, so that no two draws are the same.
const BLOCKS: u64 = 1;
const MIRRORS: u64 = 2;
const ORDER: u64 = 3;

/// What to read, and how.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a, V: Variant> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) encoder: &'a dyn Encoder<V>,
    pub(crate) selection: Selection,
    pub(crate) seed: u64,
    /// Positions of a buffer, before any is left out.
    pub(crate) buffer: usize,
    pub(crate) batch: usize,
    pub(crate) workers: Workers,
}

/// A buffer in its random order.
type Buffer = Result<(Samples, Vec<u32>), DataError>;

/// The batches of an epoch.
pub(crate) struct Batches {
    receiver: Receiver<Buffer>,
    words: usize,
    batch: usize,
    buffer: (Samples, Vec<u32>),
    /// How many of the buffer's order were given out.
    given: usize,
    /// Of all buffers so far.
    counts: SelectionCounts,
}

#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) words: Vec<u32>,
    pub(crate) labels: Vec<Label>,
}

impl<'a, V: Variant> Plan<'a, V> {
    /// Starts reading an epoch on a thread of the scope.
    pub(crate) fn start<'s>(self, scope: &'s Scope<'s, 'a>, epoch: u64) -> Batches
    where
        'a: 's,
    {
        // No buffer waits: one is in use while the next is being made.
        let (sender, receiver) = sync_channel(0);
        scope.spawn(move || self.read(epoch, &sender));
        Batches {
            receiver,
            words: self.encoder.words(),
            batch: self.batch,
            buffer: (Samples::default(), Vec::new()),
            given: 0,
            counts: SelectionCounts::default(),
        }
    }

    fn read(self, epoch: u64, sender: &SyncSender<Buffer>) {
        let mut blocks: Vec<usize> = (0..self.corpus.len()).collect();
        Rng::for_purpose(self.seed, &[epoch, BLOCKS]).shuffle(&mut blocks);
        let mut rest = &blocks[..];
        while !rest.is_empty() {
            let mut positions = 0;
            let fits = |&&block: &&usize| {
                let before = positions;
                positions += self.corpus.positions_of(block);
                before < self.buffer
            };
            let count = rest.iter().take_while(fits).count();
            let (now, later) = rest.split_at(count);
            rest = later;
            let buffer = self.fill(now, epoch).map(|samples| {
                let mut order: Vec<u32> = (0..samples.len() as u32).collect();
                Rng::for_purpose(self.seed, &[epoch, ORDER, rest.len() as u64]).shuffle(&mut order);
                (samples, order)
            });
            let failed = buffer.is_err();
            // Nobody listens any more: the epoch was given up.
            if sender.send(buffer).is_err() || failed {
                return;
            }
        }
    }

    /// Samples of some blocks, in order.
    pub(crate) fn fill(&self, blocks: &[usize], epoch: u64) -> Result<Samples, DataError> {
        let mut parts: Vec<Option<Result<Samples, DataError>>> = Vec::new();
        parts.resize_with(blocks.len(), || None);
        let tasks = blocks.iter().zip(&mut parts).collect();
        self.workers.run(tasks, |(&block, part)| {
            let sampler = Sampler::new(self.selection, self.encoder);
            let random = Rng::for_purpose(self.seed, &[epoch, MIRRORS, block as u64]);
            *part = Some(self.corpus.read(block).and_then(|bytes| {
                sampler.sample(&bytes, random).map_err(|e| self.corpus.failed(block, e))
            }));
        });
        let mut all = Samples::default();
        for part in parts.into_iter().flatten() {
            all.append(&mut part?);
        }
        Ok(all)
    }
}

impl Batches {
    /// The next batch. `None`: the epoch is over. All batches but the last are full.
    pub(crate) fn next(&mut self, out: &mut Batch) -> Result<bool, DataError> {
        out.words.clear();
        out.labels.clear();
        while out.labels.len() < self.batch {
            if self.given == self.buffer.1.len() {
                // The old buffer goes before the next one is taken.
                self.buffer = (Samples::default(), Vec::new());
                self.given = 0;
                match self.receiver.recv() {
                    Ok(buffer) => self.buffer = buffer?,
                    Err(_) => break,
                }
                self.counts.add(&self.buffer.0.counts);
                continue;
            }
            let (samples, order) = &self.buffer;
            let wanted = self.batch - out.labels.len();
            let end = order.len().min(self.given + wanted);
            for &index in &order[self.given..end] {
                let from = index as usize * self.words;
                out.words.extend_from_slice(&samples.words[from..from + self.words]);
                out.labels.push(samples.labels[index as usize]);
            }
            self.given = end;
        }
        Ok(!out.labels.is_empty())
    }

    /// Of what was read so far.
    pub(crate) const fn counts(&self) -> SelectionCounts {
        self.counts
    }
}
