//! A device that takes its time.

use crate::backend::{Backend, Fault, Pace, Shape, Ticket};
use crate::batch::Batch;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time since some moment.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Hands batches back one after the other, each a fixed time after it was submitted and after the
/// one before: a device that computes one batch at a time, without the device.
pub struct Delay {
    inner: Arc<dyn Backend>,
    time: Duration,
    clock: Clock,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    /// When each batch in flight is ready.
    ready: VecDeque<Duration>,
    last: Duration,
    /// Batches that were found finished before it was noted when they are ready.
    early: VecDeque<(Ticket, Batch)>,
}

impl Delay {
    pub fn new(inner: Arc<dyn Backend>, time: Duration, clock: Clock) -> Self {
        Self { inner, time, clock, queue: Mutex::default() }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long until the first batch is ready; `None` if there is none.
    fn left(&self) -> Option<Duration> {
        let ready = self.queue().ready.front().copied()?;
        Some(ready.saturating_sub((self.clock)()))
    }
}

impl Backend for Delay {
    fn shape(&self) -> Shape {
        self.inner.shape()
    }

    fn describe(&self) -> String {
        format!("{}; {:?} for a batch", self.inner.describe(), self.time)
    }

    fn pace(&self) -> Pace {
        Pace { in_flight: 2, threads: 2, ..self.inner.pace() }
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        let ticket = self.inner.submit(batch)?;
        let mut queue = self.queue();
        queue.last = queue.last.max((self.clock)()) + self.time;
        let ready = queue.last;
        queue.ready.push_back(ready);
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        let Some(left) = self.left() else {
            // Another thread may be about to note when the batch that it submitted is ready.
            let early = self.inner.poll(Duration::ZERO)?;
            self.queue().early.extend(early);
            return Ok(None);
        };
        if !left.is_zero() {
            std::thread::sleep(left.min(wait));
        }
        let mut queue = self.queue();
        if queue.ready.front().is_none_or(|&ready| ready > (self.clock)()) {
            return Ok(None);
        }
        queue.ready.pop_front();
        let early = queue.early.pop_front();
        drop(queue);
        if early.is_some() { Ok(early) } else { self.inner.poll(wait) }
    }

    fn in_flight(&self) -> usize {
        self.inner.in_flight() + self.queue().early.len()
    }
}
