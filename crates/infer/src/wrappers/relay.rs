//! What most wrappers do: pass a batch on under another ticket and do something when it is back.

use crate::backend::{Backend, Fault, Ticket};
use crate::batch::Batch;
use crate::finished::Finished;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What belongs to the tickets of the back-end inside. A back-end that computes in `submit` may
/// have its batch polled by another thread before the ticket is known here: whichever comes first
/// waits for the other.
#[derive(Debug)]
struct Links<T> {
    waiting: HashMap<Ticket, T>,
    early: HashMap<Ticket, Result<Batch, Fault>>,
}

/// A back-end inside, and what came back from it.
pub(super) struct Relay<T> {
    pub(super) inner: Arc<dyn Backend>,
    pub(super) finished: Finished,
    links: Mutex<Links<T>>,
}

impl<T> Relay<T> {
    pub(super) fn new(inner: Arc<dyn Backend>) -> Self {
        let links = Links { waiting: HashMap::new(), early: HashMap::new() };
        Self { inner, finished: Finished::default(), links: Mutex::new(links) }
    }

    /// Passes a batch on; `back` is called with what belongs to it once it is back.
    pub(super) fn send(
        &self,
        batch: Batch,
        belongs: T,
        back: impl FnOnce(T, Result<Batch, Fault>),
    ) -> Result<(), Fault> {
        let ticket = self.inner.submit(batch)?;
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(early) = links.early.remove(&ticket) {
            drop(links);
            back(belongs, early);
        } else {
            links.waiting.insert(ticket, belongs);
        }
        Ok(())
    }

    /// As [`Backend::poll`]: what `back` has finished.
    pub(super) fn poll(
        &self,
        wait: Duration,
        back: impl Fn(T, Result<Batch, Fault>),
    ) -> Result<Option<(Ticket, Batch)>, Fault> {
        let mut wait = wait;
        loop {
            if let Some(done) = self.finished.poll(Duration::ZERO)? {
                return Ok(Some(done));
            }
            let (ticket, result) = match self.inner.poll(wait) {
                Ok(None) => return self.finished.poll(Duration::ZERO),
                Ok(Some((ticket, batch))) => (ticket, Ok(batch)),
                Err(fault) => match fault.ticket() {
                    Some(ticket) => (ticket, Err(fault)),
                    None => {
                        self.finished.end(&fault.to_string());
                        continue;
                    }
                },
            };
            wait = Duration::ZERO;
            let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(belongs) = links.waiting.remove(&ticket) {
                drop(links);
                back(belongs, result);
            } else {
                links.early.insert(ticket, result);
            }
        }
    }
}

/// The same fault about another ticket.
pub(super) fn under(ticket: Ticket, fault: Fault) -> Fault {
    match fault {
        Fault::Nonsense { key, what, .. } => Fault::Nonsense { ticket, key, what },
        Fault::Disagreement { key, what, .. } => Fault::Disagreement { ticket, key, what },
        other @ (Fault::Shape { .. } | Fault::Ended(_)) => other,
    }
}
