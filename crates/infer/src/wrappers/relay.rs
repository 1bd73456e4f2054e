//! What most wrappers do: pass a batch on under another ticket and do something when it is back.

use crate::backend::{Backend, Fault, Ticket};
use crate::batch::Batch;
use crate::finished::Finished;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What belongs to the tickets of the back-end inside. A back-end that computes in `submit` may
/// have its batch polled by another thread before the ticket is known here: whichever comes first
/// waits for the other.
#[derive(Debug)]
struct Links<T> {
    waiting: HashMap<Ticket, T>,
    /// Answers whose tickets somebody may be about to learn of.
    early: HashMap<Ticket, Result<Batch, Fault>>,
    /// Threads that are submitting.
    sending: usize,
}

impl<T> Links<T> {
    /// A thread has submitted. Without any that submits nobody will ask for what is left: it was not
    /// asked for, or is waited for no longer.
    fn sent(&mut self) {
        self.sending -= 1;
        if self.sending == 0 {
            self.early.clear();
        }
    }
}

/// A back-end inside, and what came back from it.
pub(super) struct Relay<T> {
    pub(super) inner: Arc<dyn Backend>,
    pub(super) finished: Finished,
    links: Mutex<Links<T>>,
}

impl<T> Relay<T> {
    pub(super) fn new(inner: Arc<dyn Backend>) -> Self {
        let links = Links { waiting: HashMap::new(), early: HashMap::new(), sending: 0 };
        Self { inner, finished: Finished::default(), links: Mutex::new(links) }
    }

    fn links(&self) -> MutexGuard<'_, Links<T>> {
        // Nothing in there is left half done.
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a batch on; `back` is called with what belongs to it once it is back.
    pub(super) fn send(
        &self,
        batch: Batch,
        belongs: T,
        back: impl FnOnce(T, Result<Batch, Fault>),
    ) -> Result<(), Fault> {
        self.links().sending += 1;
        let submitted = self.inner.submit(batch);
        let mut links = self.links();
        let early = submitted.as_ref().ok().and_then(|ticket| links.early.remove(ticket));
        links.sent();
        let ticket = submitted?;
        if let Some(early) = early {
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
            let mut links = self.links();
            if let Some(belongs) = links.waiting.remove(&ticket) {
                drop(links);
                back(belongs, result);
            } else if links.sending > 0 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Pace, Shape};
    use features::{Labels, Planes};
    use rules::Game;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};

    const SHAPE: Shape =
        Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };

    /// Answers tickets nobody has whenever it is asked; takes a batch once it is told to.
    struct Stranger {
        polled: Mutex<u64>,
        takes: Mutex<Receiver<()>>,
        submitting: AtomicBool,
    }

    impl Stranger {
        fn new() -> (Arc<Self>, Sender<()>) {
            let (take, takes) = channel();
            let submitting = AtomicBool::new(false);
            let takes = Mutex::new(takes);
            (Arc::new(Self { polled: Mutex::new(100), takes, submitting }), take)
        }
    }

    impl Backend for Stranger {
        fn shape(&self) -> Shape {
            SHAPE
        }
        fn describe(&self) -> String {
            "a stranger".to_owned()
        }
        fn pace(&self) -> Pace {
            Pace { batch: 1, in_flight: 1, threads: 1 }
        }
        fn submit(&self, _: Batch) -> Result<Ticket, Fault> {
            self.submitting.store(true, Ordering::SeqCst);
            self.takes.lock().unwrap().recv().unwrap();
            Ok(Ticket(101))
        }
        fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
            let mut polled = self.polled.lock().unwrap();
            *polled += 1;
            // One for every question from outside.
            Ok((!wait.is_zero()).then(|| (Ticket(*polled), Batch::new(SHAPE, 1))))
        }
        fn in_flight(&self) -> usize {
            1
        }
    }

    #[test]
    fn answers_that_nobody_waits_for_are_not_kept() {
        let (stranger, take) = Stranger::new();
        let relay = Relay::<()>::new(Arc::clone(&stranger) as Arc<dyn Backend>);
        let (tell, back) = channel();
        let poll = |tell: &Sender<bool>| {
            let tell = tell.clone();
            let said = relay.poll(Duration::from_millis(1), |(), result| {
                tell.send(result.is_ok()).unwrap();
            });
            assert!(said.unwrap().is_none());
        };
        // While a thread submits, its answer may be among them: number 101 is.
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let told = tell.clone();
                let said = |(), result: Result<Batch, Fault>| told.send(result.is_ok()).unwrap();
                relay.send(Batch::new(SHAPE, 1), (), said).unwrap();
            });
            while !stranger.submitting.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            (0..50).for_each(|_| poll(&tell));
            assert!(relay.links().early.contains_key(&Ticket(101)));
            take.send(()).unwrap();
        });
        assert_eq!(back.try_recv(), Ok(true), "the answer that came early");
        assert!(relay.links().early.is_empty() && relay.links().waiting.is_empty());
        // Nobody submits: none is kept.
        (0..50).for_each(|_| poll(&tell));
        assert!(relay.links().early.is_empty());
        assert!(back.try_recv().is_err());
    }
}
