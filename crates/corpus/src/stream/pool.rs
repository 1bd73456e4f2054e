//! The order of a stream: units at random, positions at random within a pool, batches in sequence.
//!
//! Threads finish in any order; results are taken by ticket. So where a pool ends, and with it
//! everything else, is decided by the input alone.

use super::frame::EPOCH_ENDS;
use super::rows::Rows;
use super::units::Unit;
use super::workers::{Done, Job, WorkerPool};
use crate::counts::Counts;
use crate::error::Error;
use seed::Rng;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// Rows that are given out together, and their order.
pub(super) struct Pool {
    chunks: Vec<Rows>,
    /// Chunk and row, shuffled.
    order: Vec<(u32, u32)>,
    width: usize,
    size: usize,
    pub(super) epoch: u32,
    last: bool,
}

impl Pool {
    fn batches(&self) -> usize {
        // An epoch ends with a frame, be it an empty one.
        self.order.len().div_ceil(self.size).max(usize::from(self.last))
    }

    /// The rows of a batch.
    pub(super) fn batch(&self, number: usize) -> impl ExactSizeIterator<Item = &[u16]> {
        let end = self.order.len().min((number + 1) * self.size);
        self.order[number * self.size..end].iter().map(|&place| self.row(place))
    }

    fn row(&self, (chunk, row): (u32, u32)) -> &[u16] {
        &self.chunks[chunk as usize].0[row as usize * self.width..][..self.width]
    }

    /// The flags of a batch's frame.
    pub(super) fn flags(&self, number: usize) -> u32 {
        if self.last && number + 1 == self.batches() { EPOCH_ENDS } else { 0 }
    }
}

/// How a stream is to run.
pub(super) struct Flow {
    pub(super) units: Vec<Unit>,
    pub(super) seed: u64,
    pub(super) batch: usize,
    pub(super) pool: usize,
    pub(super) first_epoch: u32,
    /// How many epochs; `None`: no end.
    pub(super) epochs: Option<u32>,
    /// Units and batches in work at a time.
    pub(super) ahead: usize,
    /// Whether to go on where something cannot be read.
    pub(super) salvage: bool,
}

/// Results that wait for their turn.
struct Queue<T> {
    waiting: BTreeMap<u64, T>,
    next: u64,
    given: u64,
}

impl<T> Queue<T> {
    const fn new() -> Self {
        Self { waiting: BTreeMap::new(), next: 0, given: 0 }
    }

    fn ticket(&mut self) -> u64 {
        self.given += 1;
        self.given - 1
    }

    /// Results not yet taken, made or in the making.
    const fn open(&self) -> u64 {
        self.given - self.next
    }

    fn take(&mut self) -> Option<T> {
        let found = self.waiting.remove(&self.next)?;
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

/// A stream under way.
struct Run<'a> {
    flow: &'a Flow,
    workers: &'a WorkerPool,
    decoded: Queue<Result<Rows, String>>,
    gathered: Queue<Vec<u8>>,
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
    counts: Counts,
}

impl Flow {
    fn is_over(&self, epoch: u32) -> bool {
        let end = self.epochs.map(|n| u64::from(self.first_epoch) + u64::from(n));
        end.is_some_and(|end| u64::from(epoch) >= end)
    }

    fn rng(&self, epoch: u32) -> Rng {
        Rng::new(self.seed).split(u64::from(epoch))
    }

    /// The units of an epoch by number, in its order.
    fn order(&self, epoch: u32) -> Vec<(u64, Unit)> {
        let mut order: Vec<(u64, Unit)> = (0..).zip(self.units.iter().copied()).collect();
        self.rng(epoch).shuffle(&mut order);
        order
    }

    /// Writes all frames. Gives back what was wrong on the way.
    pub(super) fn run(
        &self,
        workers: &WorkerPool,
        output: &mut impl Write,
    ) -> Result<Counts, Error> {
        let mut run = Run {
            flow: self,
            workers,
            decoded: Queue::new(),
            gathered: Queue::new(),
            waiting: Vec::new(),
            decoding: self.first_epoch,
            filling: Filling::default(),
            epoch: self.first_epoch,
            left: self.units.len(),
            rows: 0,
            pools: 0,
            full: None,
            draining: None,
            counts: Counts::default(),
        };
        if !self.is_over(self.first_epoch) {
            run.waiting = self.order(self.first_epoch);
        }
        while run.step(output)? {}
        Ok(run.counts)
    }
}

impl Run<'_> {
    /// Does what can be done, then waits for one result. `false`: everything is done.
    fn step(&mut self, output: &mut impl Write) -> Result<bool, Error> {
        self.hand_out_units();
        self.fill()?;
        self.hand_out_batches();
        while let Some(bytes) = self.gathered.take() {
            output.write_all(&bytes)?;
            self.workers.recycle(bytes);
            self.hand_out_batches();
        }
        if self.draining.is_none() && self.full.is_some() {
            return Ok(true);
        }
        if self.decoded.open() == 0 && self.gathered.open() == 0 {
            return Ok(self.draining.is_some() || !self.waiting.is_empty());
        }
        match self.workers.take() {
            Some(Done::Decoded { ticket, rows }) => {
                self.decoded.waiting.insert(ticket, rows);
            }
            Some(Done::Gathered { ticket, bytes }) => {
                self.gathered.waiting.insert(ticket, bytes);
            }
            None => return Err(Error::thread()),
        }
        Ok(true)
    }

    fn hand_out_units(&mut self) {
        while self.decoded.open() < self.flow.ahead as u64 {
            let Some((number, unit)) = self.waiting.pop() else { return };
            let rng = self.flow.rng(self.decoding).split(number + 1);
            let ticket = self.decoded.ticket();
            self.workers.give(Job::Decode { ticket, unit, rng });
            if self.waiting.is_empty() && !self.flow.is_over(self.decoding.saturating_add(1)) {
                self.decoding = self.decoding.saturating_add(1);
                self.waiting = self.flow.order(self.decoding);
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
                    let count = rows.count(self.workers.width);
                    self.filling.rows += count;
                    self.rows += count as u64;
                    self.filling.chunks.push(rows);
                }
                Err(problem) if self.flow.salvage => self.counts.problem(problem),
                Err(problem) => return Err(Error::Damaged(problem)),
            }
            self.left -= 1;
            if self.left == 0 && self.rows == 0 {
                return Err(Error::Failed("no position of the files passes".to_owned()));
            }
            if self.left == 0 || self.filling.rows >= self.flow.pool {
                self.full = Some(self.close());
            }
        }
    }

    /// Makes a pool of what there is. Within an epoch, rows that do not fill a batch are kept for
    /// the next pool.
    fn close(&mut self) -> Pool {
        let (width, size, last) = (self.workers.width, self.flow.batch, self.left == 0);
        let Filling { chunks, rows } = std::mem::take(&mut self.filling);
        let mut order = Vec::with_capacity(rows);
        for (chunk, rows) in (0..).zip(&chunks) {
            order.extend((0..rows.count(width) as u32).map(|row| (chunk, row)));
        }
        self.pools += 1;
        // Apart from the numbers of units, which count from 1.
        self.flow.rng(self.epoch).split(u64::MAX - self.pools).shuffle(&mut order);
        let mut pool = Pool { chunks, order, width, size, epoch: self.epoch, last };
        if last {
            self.epoch = self.epoch.saturating_add(1);
            (self.left, self.rows, self.pools) = (self.flow.units.len(), 0, 0);
        } else {
            let whole = pool.order.len() / size * size;
            let rest = pool.order.split_off(whole);
            let kept = rest.iter().flat_map(|&place| pool.row(place)).copied().collect();
            self.filling = Filling { chunks: vec![Rows(kept)], rows: rest.len() };
        }
        pool
    }

    fn hand_out_batches(&mut self) {
        while self.gathered.open() < self.flow.ahead as u64 {
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
