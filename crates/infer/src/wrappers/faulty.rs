//! Back-ends that fail in every way there is: for tests of whoever uses one.

use super::relay::{Relay, under};
use crate::backend::{Backend, Fault, Pace, Shape, Ticket};
use crate::batch::{Batch, Value};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How a back-end fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failing {
    /// A logit that is not a number, in every n-th batch.
    NotANumber(usize),
    /// A win rate of 2, in every n-th batch.
    OutOfBounds(usize),
    /// Every position is as good as won: sound answers, all of them wrong.
    Lies,
    /// Of all that is finished the last comes first.
    Reorders,
    /// Ends after n batches.
    Dies(usize),
    /// Takes everything and never answers.
    Hangs,
}

/// A back-end that fails.
pub struct Faulty {
    relay: Relay<Ticket>,
    failing: Failing,
    count: AtomicUsize,
    held: Mutex<Vec<(Ticket, Batch)>>,
}

impl Faulty {
    pub fn new(inner: Arc<dyn Backend>, failing: Failing) -> Self {
        let count = AtomicUsize::new(0);
        Self { relay: Relay::new(inner), failing, count, held: Mutex::default() }
    }

    fn back(&self, ticket: Ticket, result: Result<Batch, Fault>) {
        let mut batch = match result {
            Ok(batch) => batch,
            Err(fault) => return self.relay.finished.fail(under(ticket, fault)),
        };
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        match self.failing {
            Failing::NotANumber(n) if number.is_multiple_of(n) => alter(&mut batch, |logits, v| {
                logits.iter_mut().for_each(|x| *x = f32::NAN);
                v
            }),
            Failing::OutOfBounds(n) if number.is_multiple_of(n) => {
                alter(&mut batch, |_, v| Value { win: 2.0, ..v });
            }
            Failing::Lies => alter(&mut batch, |_, _| Value { win: 1.0, draw: 0.0 }),
            _ => {}
        }
        if self.failing == Failing::Reorders {
            // Checked like any other answer when it is handed on.
            self.held.lock().unwrap_or_else(PoisonError::into_inner).push((ticket, batch));
        } else {
            self.relay.finished.finish(ticket, batch);
        }
    }

    /// The last of those held back.
    fn last(&self) {
        let last = self.held.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some((ticket, batch)) = last {
            self.relay.finished.finish(ticket, batch);
        }
    }
}

fn alter(batch: &mut Batch, with: impl Fn(&mut [f32], Value) -> Value) {
    for index in 0..batch.len() {
        let mut policy = batch.policy(index).to_vec();
        let value = with(&mut policy, batch.value(index));
        batch.answer(index, &policy, value);
    }
}

impl Backend for Faulty {
    fn shape(&self) -> Shape {
        self.relay.inner.shape()
    }

    fn describe(&self) -> String {
        format!("{}; fails: {:?}", self.relay.inner.describe(), self.failing)
    }

    fn pace(&self) -> Pace {
        self.relay.inner.pace()
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        let ticket = self.relay.finished.begin()?;
        match self.failing {
            Failing::Hangs => return Ok(ticket),
            Failing::Dies(n) if ticket.0 as usize >= n => {
                self.relay.finished.end("the back-end has died, as it was told to");
                return Ok(ticket);
            }
            _ => {}
        }
        self.relay.send(batch, ticket, |ticket, result| self.back(ticket, result))?;
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        if self.failing == Failing::Hangs {
            return self.relay.finished.poll(wait);
        }
        let done = self.relay.poll(wait, |ticket, result| self.back(ticket, result))?;
        if done.is_none() && self.failing == Failing::Reorders {
            self.last();
            return self.relay.finished.poll(Duration::ZERO);
        }
        Ok(done)
    }

    fn in_flight(&self) -> usize {
        self.relay.finished.in_flight()
    }
}
