//! Back-ends without a net: for tests, for measuring a search by itself, and as a baseline.

use crate::backend::{Backend, Fault, Pace, Shape, Ticket};
use crate::batch::{Batch, Value};
use crate::finished::Finished;
use seed::Rng;
use std::time::Duration;

/// What a back-end that computes on the caller's thread works best with.
const AT_ONCE: Pace = Pace { batch: 16, in_flight: 1, threads: usize::MAX };

/// Every move is as good as any other, and the game is even.
#[derive(Debug)]
pub struct Uniform {
    shape: Shape,
    finished: Finished,
}

impl Uniform {
    pub fn new(shape: Shape) -> Self {
        Self { shape, finished: Finished::default() }
    }
}

/// Logits and values made from the key: nonsense, but the same nonsense every time, whatever the
/// batch and the order.
#[derive(Debug)]
pub struct Hashed {
    shape: Shape,
    seed: u64,
    finished: Finished,
}

impl Hashed {
    /// Another seed is another opinion.
    pub fn new(shape: Shape, seed: u64) -> Self {
        Self { shape, seed, finished: Finished::default() }
    }

    /// Between −2 and 2.
    fn logit(&self, key: u64, label: u16) -> f32 {
        2.0 * Rng::for_purpose(self.seed, &[key, 1 + u64::from(label)]).signed_unit()
    }

    fn value(&self, key: u64) -> Value {
        let win = (Rng::for_purpose(self.seed, &[key, 0]).signed_unit() + 1.0) / 2.0;
        Value { win, draw: 0.0 }
    }
}

/// Answers every position of the batch.
fn fill(
    shape: Shape,
    batch: &mut Batch,
    logit: impl Fn(u64, u16) -> f32,
    value: impl Fn(u64) -> Value,
) -> Result<(), Fault> {
    if batch.shape() != shape {
        return Err(Fault::Shape { found: batch.shape(), expected: shape });
    }
    let mut policy = Vec::new();
    for index in 0..batch.len() {
        let key = batch.key(index);
        policy.clear();
        policy.extend(batch.labels(index).iter().map(|&label| logit(key, label)));
        batch.answer(index, &policy, value(key));
    }
    batch.verify(Ticket::NONE)
}

impl Backend for Uniform {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn describe(&self) -> String {
        "no net: every move alike, every position even".to_owned()
    }

    fn pace(&self) -> Pace {
        AT_ONCE
    }

    fn answer(&self, batch: &mut Batch) -> Option<Result<(), Fault>> {
        let even = Value { win: 0.5, draw: 0.0 };
        Some(fill(self.shape, batch, |_, _| 0.0, |_| even))
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

impl Backend for Hashed {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn describe(&self) -> String {
        format!("no net: logits and values from a hash, seed {}", self.seed)
    }

    fn pace(&self) -> Pace {
        AT_ONCE
    }

    fn answer(&self, batch: &mut Batch) -> Option<Result<(), Fault>> {
        let logit = |key, label| self.logit(key, label);
        Some(fill(self.shape, batch, logit, |key| self.value(key)))
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
