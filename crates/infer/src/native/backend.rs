//! The back-end around a net.

use super::net::{Net, Scratch, TOGETHER};
use crate::backend::{Backend, Fault, Pace, Shape, Ticket};
use crate::batch::Batch;
use crate::finished::Finished;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A net that computes on the thread that submits.
pub struct Native {
    net: Arc<Net>,
    finished: Finished,
    /// As many as ever computed at a time.
    scratch: Mutex<Vec<Scratch>>,
}

impl Native {
    pub fn new(net: Arc<Net>) -> Self {
        Self { net, finished: Finished::default(), scratch: Mutex::default() }
    }

    /// The net that computes.
    pub fn net(&self) -> &Net {
        &self.net
    }

    fn taken(&self) -> Scratch {
        let taken = self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop();
        taken.unwrap_or_else(|| self.net.scratch())
    }
}

impl Backend for Native {
    fn shape(&self) -> Shape {
        self.net.shape()
    }

    fn describe(&self) -> String {
        format!("{}, integers on {}", self.net.architecture(), self.net.isa())
    }

    fn pace(&self) -> Pace {
        Pace { batch: TOGETHER, in_flight: 1, threads: usize::MAX }
    }

    fn answer(&self, batch: &mut Batch) -> Option<Result<(), Fault>> {
        if batch.shape() != self.shape() {
            return Some(Err(Fault::Shape { found: batch.shape(), expected: self.shape() }));
        }
        let mut scratch = self.taken();
        self.net.answer(batch, &mut scratch);
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        Some(batch.verify(Ticket::NONE))
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        self.finished.submit_to(self, batch)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        self.finished.poll(wait)
    }

    fn in_flight(&self) -> usize {
        self.finished.in_flight()
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Native({:?})", self.net)
    }
}
