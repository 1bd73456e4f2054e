//! The way of a thread's batches to the net and back.
//!
//! A back-end hands finished batches to whoever asks. Where each thread has its own that is simple; where
//! one device serves all threads, a router asks it and hands each batch to the thread it came from.

use infer::{Backend, Batch, Fault, Pace, Ticket};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long to wait at once: somebody may want an end.
const WAIT: Duration = Duration::from_millis(20);
/// How long to sleep where nothing is under way.
const IDLE: Duration = Duration::from_micros(100);

/// A group's batch, or why there will be none.
type Returned = Result<(usize, Batch), Fault>;

/// One thread's way to the net.
pub(crate) struct Line {
    backend: Arc<dyn Backend>,
    /// Batches that were sent and have not come back.
    away: usize,
    way: Way,
}

enum Way {
    /// Computed on this thread.
    Here(VecDeque<(usize, Batch)>),
    Routed {
        router: Router,
        sender: Sender<Returned>,
        returned: Receiver<Returned>,
    },
}

impl Line {
    /// To a net that computes on the thread that asks, and is this thread's alone.
    pub(crate) fn here(backend: Arc<dyn Backend>) -> Self {
        Self { backend, away: 0, way: Way::Here(VecDeque::new()) }
    }

    pub(crate) fn is_here(&self) -> bool {
        matches!(self.way, Way::Here(_))
    }

    pub(crate) fn pace(&self) -> Pace {
        self.backend.pace()
    }

    /// Whether a batch is under way.
    pub(crate) fn is_waiting(&self) -> bool {
        self.away > 0
    }

    /// Sends the batch of a group.
    pub(crate) fn send(&mut self, group: usize, batch: Batch) -> Result<(), Fault> {
        self.away += 1;
        match &mut self.way {
            Way::Here(done) => {
                self.backend.submit(batch)?;
                while let Some((_, batch)) = self.backend.poll(Duration::ZERO)? {
                    done.push_back((group, batch));
                }
            }
            Way::Routed { router, sender, .. } => {
                let ticket = self.backend.submit(batch)?;
                router.expect(ticket, group, sender);
            }
        }
        Ok(())
    }

    /// A batch that is back, with its group; nothing if none came for a while.
    pub(crate) fn receive(&mut self) -> Result<Option<(usize, Batch)>, Fault> {
        let back = match &mut self.way {
            Way::Here(done) => done.pop_front(),
            Way::Routed { returned, .. } => match returned.recv_timeout(WAIT) {
                Ok(back) => Some(back?),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
            },
        };
        self.away -= usize::from(back.is_some());
        Ok(back)
    }
}

/// Hands the batches of one device to the threads they came from.
#[derive(Clone)]
pub(crate) struct Router {
    backend: Arc<dyn Backend>,
    expected: Arc<Mutex<Expected>>,
}

#[derive(Default)]
struct Expected {
    owners: HashMap<Ticket, (usize, Sender<Returned>)>,
    /// Batches that came before their owner could be noted.
    early: HashMap<Ticket, Result<Batch, Fault>>,
    /// Why nothing more will come.
    ended: Option<Fault>,
}

impl Router {
    pub(crate) fn new(backend: Arc<dyn Backend>) -> Self {
        Self { backend, expected: Arc::default() }
    }

    /// The way of one more thread.
    pub(crate) fn line(&self) -> Line {
        let (sender, returned) = channel();
        let way = Way::Routed { router: self.clone(), sender, returned };
        Line { backend: Arc::clone(&self.backend), away: 0, way }
    }

    fn expected(&self) -> MutexGuard<'_, Expected> {
        // Nothing in there is left half done.
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn expect(&self, ticket: Ticket, group: usize, sender: &Sender<Returned>) {
        let mut expected = self.expected();
        let early = expected.early.remove(&ticket);
        match (early, expected.ended.clone()) {
            // Who does not listen any more has ended.
            (Some(early), _) => drop(sender.send(early.map(|batch| (group, batch)))),
            (None, Some(fault)) => drop(sender.send(Err(fault))),
            (None, None) => {
                expected.owners.insert(ticket, (group, sender.clone()));
            }
        }
    }

    fn hand_over(&self, ticket: Ticket, result: Result<Batch, Fault>) {
        let mut expected = self.expected();
        match expected.owners.remove(&ticket) {
            Some((group, sender)) => drop(sender.send(result.map(|batch| (group, batch)))),
            None => drop(expected.early.insert(ticket, result)),
        }
    }

    /// The device is gone: everybody hears of it.
    fn end(&self, fault: &Fault) {
        let mut expected = self.expected();
        for (_, (_, sender)) in expected.owners.drain() {
            let _ = sender.send(Err(fault.clone()));
        }
        expected.ended = Some(fault.clone());
    }

    /// Asks the device until it is over.
    pub(crate) fn run(&self, over: &AtomicBool) {
        while !over.load(Ordering::Relaxed) {
            match self.backend.poll(WAIT) {
                Ok(Some((ticket, batch))) => self.hand_over(ticket, Ok(batch)),
                Ok(None) if self.backend.in_flight() == 0 => std::thread::sleep(IDLE),
                Ok(None) => {}
                Err(fault) => match fault.ticket() {
                    Some(ticket) => self.hand_over(ticket, Err(fault)),
                    None => return self.end(&fault),
                },
            }
        }
    }
}
