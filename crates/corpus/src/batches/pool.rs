//! The order of an epoch: units at random, positions at random within a pool, batches in sequence.
//!
//! Threads finish in any order; results are taken by ticket. So where a pool ends, and with it
//! everything else, is decided by the input alone.

use super::rows::Rows;
use super::selection::{Selection, SelectionCounts};
use super::units::{Unit, Units};
use super::workers::{Done, Job, WorkerPool};
use super::{Batch, Encoder, Label, Row};
use crate::counts::Counts;
use crate::error::Error;
use seed::Rng;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;

/// Rows that are given out together, and their order.
pub(super) struct Pool {
    chunks: Vec<Rows>,
    /// Chunk and row, shuffled.
    order: Vec<(u32, u32)>,
    width: usize,
    size: usize,
    epoch: u32,
    last: bool,
}

/// The rows of one batch, in their order.
pub struct Given<'p> {
    pool: &'p Pool,
    places: &'p [(u32, u32)],
    /// The epoch they belong to.
    pub epoch: u32,
    /// Whether the epoch ends with this batch. Such a batch may be short, or empty.
    pub ends_epoch: bool,
}

impl Given<'_> {
    /// The rows with their labels.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (Row<'_>, Label)> {
        self.places.iter().map(|&place| self.pool.row(place))
    }
}

impl Pool {
    fn batches(&self) -> usize {
        // An epoch ends with a frame, be it an empty one.
        self.order.len().div_ceil(self.size).max(usize::from(self.last))
    }

    /// The rows of a batch.
    pub(super) fn batch(&self, number: usize) -> Given<'_> {
        let end = self.order.len().min((number + 1) * self.size);
        let places = &self.order[number * self.size..end];
        let ends_epoch = self.last && number + 1 == self.batches();
        Given { pool: self, places, epoch: self.epoch, ends_epoch }
    }

    fn row(&self, (chunk, row): (u32, u32)) -> (Row<'_>, Label) {
        let (chunk, row) = (&self.chunks[chunk as usize], row as usize);
        (chunk.numbers.row(row * self.width..(row + 1) * self.width), chunk.labels[row])
    }
}

/// Which batches are made of which files.
#[derive(Clone, Copy)]
pub struct Batcher<'a> {
    pub units: &'a Units,
    pub selection: &'a Selection,
    /// Another seed, another order.
    pub seed: u64,
    /// Positions of a batch.
    pub batch: usize,
    /// Positions shuffled together; twice as many are held in memory.
    pub pool: usize,
    pub first_epoch: u32,
    /// How many epochs; `None`: no end.
    pub epochs: Option<u32>,
    /// How many threads decode and put together.
    pub threads: usize,
}

/// Results that wait for their turn.
struct Queue<T> {
    /// From the next one on.
    waiting: VecDeque<Option<T>>,
    next: u64,
    given: u64,
}

impl<T> Queue<T> {
    const fn new() -> Self {
        Self { waiting: VecDeque::new(), next: 0, given: 0 }
    }

    fn ticket(&mut self) -> u64 {
        self.waiting.push_back(None);
        self.given += 1;
        self.given - 1
    }

    /// Results not yet taken, made or in the making.
    const fn open(&self) -> u64 {
        self.given - self.next
    }

    fn put(&mut self, ticket: u64, result: T) {
        self.waiting[(ticket - self.next) as usize] = Some(result);
    }

    fn take(&mut self) -> Option<T> {
        let found = self.waiting.front_mut()?.take()?;
        self.waiting.pop_front();
        self.next += 1;
        Some(found)
    }
}

/// Rows on their way into a pool.
#[derive(Default)]
struct Filling {
    chunks: Vec<Rows>,
    rows: usize,
}

/// Batches in the making.
struct Run<'a> {
    batcher: &'a Batcher<'a>,
    workers: &'a WorkerPool,
    encoder: &'a dyn Encoder,
    /// Units and batches in work at a time.
    ahead: u64,
    decoded: Queue<Result<Rows, String>>,
    gathered: Queue<Batch>,
    /// Units of the epoch being decoded that nobody has yet, the next one last.
    waiting: Vec<(u64, Unit)>,
    decoding: u32,
    filling: Filling,
    /// The epoch being filled into pools, how many of its units are to come, and its rows.
    epoch: u32,
    left: usize,
    rows: u64,
    pools: u64,
    full: Option<Pool>,
    /// The pool being given out, and its next batch.
    draining: Option<(Arc<Pool>, usize)>,
    /// What was read so far.
    read: SelectionCounts,
    counts: Counts,
}

impl Batcher<'_> {
    fn is_over(&self, epoch: u32) -> bool {
        let end = self.epochs.map(|n| u64::from(self.first_epoch) + u64::from(n));
        end.is_some_and(|end| u64::from(epoch) >= end)
    }

    fn rng(&self, epoch: u32) -> Rng {
        Rng::new(self.seed).split(u64::from(epoch))
    }

    /// The units of an epoch by number, in its order.
    fn order(&self, epoch: u32) -> Vec<(u64, Unit)> {
        let mut order: Vec<(u64, Unit)> = (0..).zip(self.units.units().iter().copied()).collect();
        self.rng(epoch).shuffle(&mut order);
        order
    }

    /// Gives out all batches, one after another, with the counts of what was read so far, until
    /// all are given or `take` says that it is enough. What was wrong on the way is in the counts.
    pub fn run(&self, encoder: &dyn Encoder, take: &mut Take<'_>) -> Result<Counts, Error> {
        self.selection.sieve.fits(self.units.format())?;
        let found = thread::scope(|scope| {
            let workers = WorkerPool::start(scope, self, encoder);
            self.give(&workers, encoder, take)
        })?;
        let mut counts = self.units.counts().clone();
        counts.add(found);
        Ok(counts)
    }

    fn give(
        &self,
        workers: &WorkerPool,
        encoder: &dyn Encoder,
        take: &mut Take<'_>,
    ) -> Result<Counts, Error> {
        let mut run = Run {
            batcher: self,
            workers,
            encoder,
            ahead: self.threads as u64 + 2,
            decoded: Queue::new(),
            gathered: Queue::new(),
            waiting: Vec::new(),
            decoding: self.first_epoch,
            filling: Filling::default(),
            epoch: self.first_epoch,
            left: self.units.units().len(),
            rows: 0,
            pools: 0,
            full: None,
            draining: None,
            read: SelectionCounts::default(),
            counts: Counts::default(),
        };
        if !self.is_over(self.first_epoch) {
            run.waiting = self.order(self.first_epoch);
        }
        while run.step(take)?.is_continue() {}
        Ok(run.counts)
    }
}

/// Where batches go.
pub type Take<'a> = dyn FnMut(&mut Batch, &SelectionCounts) -> Result<ControlFlow<()>, Error> + 'a;

impl Run<'_> {
    /// Does what can be done, then waits for one result. `Break`: everything is done.
    fn step(&mut self, take: &mut Take<'_>) -> Result<ControlFlow<()>, Error> {
        const GO_ON: ControlFlow<()> = ControlFlow::Continue(());
        self.hand_out_units();
        self.fill()?;
        self.hand_out_batches();
        while let Some(mut batch) = self.gathered.take() {
            if take(&mut batch, &self.read)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.workers.recycle(batch);
            self.hand_out_batches();
        }
        if self.draining.is_none() && self.full.is_some() {
            return Ok(GO_ON);
        }
        if self.decoded.open() == 0 && self.gathered.open() == 0 {
            let more = self.draining.is_some() || !self.waiting.is_empty();
            return Ok(if more { GO_ON } else { ControlFlow::Break(()) });
        }
        match self.workers.take() {
            Some(Done::Decoded { ticket, rows }) => {
                self.decoded.put(ticket, rows);
            }
            Some(Done::Gathered { ticket, batch }) => {
                self.gathered.put(ticket, batch);
            }
            None => return Err(Error::thread()),
        }
        Ok(GO_ON)
    }

    fn hand_out_units(&mut self) {
        while self.decoded.open() < self.ahead {
            let Some((number, unit)) = self.waiting.pop() else { return };
            let rng = self.batcher.rng(self.decoding).split(number + 1);
            let ticket = self.decoded.ticket();
            self.workers.give(Job::Decode { ticket, unit, rng });
            if self.waiting.is_empty() && !self.batcher.is_over(self.decoding.saturating_add(1)) {
                self.decoding = self.decoding.saturating_add(1);
                self.waiting = self.batcher.order(self.decoding);
            }
        }
    }

    /// Takes decoded units, in order, until a pool is full; a full one is given out when the one
    /// before is done with.
    fn fill(&mut self) -> Result<(), Error> {
        loop {
            if self.draining.is_none()
                && let Some(pool) = self.full.take()
            {
                self.draining = Some((Arc::new(pool), 0));
            }
            if self.full.is_some() {
                return Ok(());
            }
            let Some(rows) = self.decoded.take() else { return Ok(()) };
            match rows {
                Ok(rows) => {
                    self.filling.rows += rows.len();
                    self.rows += rows.len() as u64;
                    self.read.add(&rows.counts);
                    self.filling.chunks.push(rows);
                }
                Err(problem) if self.batcher.units.salvages() => self.counts.problem(problem),
                Err(problem) => return Err(Error::Damaged(problem)),
            }
            self.left -= 1;
            if self.left == 0 && self.rows == 0 {
                return Err(Error::Failed("no position of the files passes".to_owned()));
            }
            if self.left == 0 || self.filling.rows >= self.batcher.pool.max(self.batcher.batch) {
                self.full = Some(self.close());
            }
        }
    }

    /// Makes a pool of what there is. Within an epoch, rows that do not fill a batch are kept for
    /// the next pool.
    fn close(&mut self) -> Pool {
        let (width, size, last) = (self.encoder.width(), self.batcher.batch, self.left == 0);
        let Filling { chunks, rows } = std::mem::take(&mut self.filling);
        let mut order = Vec::with_capacity(rows);
        for (chunk, rows) in (0..).zip(&chunks) {
            order.extend((0..rows.len() as u32).map(|row| (chunk, row)));
        }
        self.pools += 1;
        // Apart from the numbers of units, which count from 1.
        self.batcher.rng(self.epoch).split(u64::MAX - self.pools).shuffle(&mut order);
        let mut pool = Pool { chunks, order, width, size, epoch: self.epoch, last };
        if last {
            self.epoch = self.epoch.saturating_add(1);
            (self.left, self.rows, self.pools) = (self.batcher.units.units().len(), 0, 0);
        } else {
            let whole = pool.order.len() / size * size;
            let rest = pool.order.split_off(whole);
            let mut kept = Rows::new(self.encoder.numbers());
            for (row, label) in rest.iter().map(|&place| pool.row(place)) {
                kept.numbers.push(row);
                kept.labels.push(label);
            }
            self.filling = Filling { chunks: vec![kept], rows: rest.len() };
        }
        pool
    }

    fn hand_out_batches(&mut self) {
        while self.gathered.open() < self.ahead {
            let Some((pool, batch)) = &mut self.draining else { return };
            if *batch < pool.batches() {
                let ticket = self.gathered.ticket();
                self.workers.give(Job::Gather { ticket, pool: Arc::clone(pool), batch: *batch });
                *batch += 1;
            } else {
                self.draining = None;
            }
        }
    }
}
