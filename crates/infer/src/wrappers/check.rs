//! Two back-ends that should agree, asked the same.

use super::relay::{Relay, under};
use crate::backend::{Backend, Fault, Pace, Shape, Ticket};
use crate::batch::Batch;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How far answers may be apart.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Of a logit after the mean over the position's moves is taken off: only differences matter.
    pub logit: f32,
    /// Of a probability.
    pub value: f32,
}

/// Answers as the first back-end does; where the second is further away than allowed, a fault.
pub struct Check {
    first: Relay<Ticket>,
    second: Relay<Ticket>,
    tolerance: Tolerance,
    /// What only one has answered yet.
    half: Mutex<HashMap<Ticket, Half>>,
}

type Half = (Side, Result<Batch, Fault>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    First,
    Second,
}

impl Check {
    /// # Panics
    /// If the two are not for the same planes and labels.
    pub fn new(first: Arc<dyn Backend>, second: Arc<dyn Backend>, tolerance: Tolerance) -> Self {
        assert_eq!(first.shape(), second.shape(), "back-ends of one shape are compared");
        let half = Mutex::default();
        Self { first: Relay::new(first), second: Relay::new(second), tolerance, half }
    }

    fn back(&self, side: Side, ticket: Ticket, result: Result<Batch, Fault>) {
        let mut half = self.half.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((_, other)) = half.remove(&ticket) else {
            half.insert(ticket, (side, result));
            return;
        };
        drop(half);
        let both = if side == Side::First { (result, other) } else { (other, result) };
        let compared = match both {
            (Ok(first), Ok(second)) => self.compare(ticket, &first, &second).map(|()| first),
            (Err(fault), _) | (_, Err(fault)) => Err(under(ticket, fault)),
        };
        match compared {
            Ok(batch) => self.first.finished.finish(ticket, batch),
            Err(fault) => self.first.finished.fail(fault),
        }
    }

    fn compare(&self, ticket: Ticket, first: &Batch, second: &Batch) -> Result<(), Fault> {
        for index in 0..first.len() {
            let key = first.key(index);
            let disagree = |what| Err(Fault::Disagreement { ticket, key, what });
            let (a, b) = (first.value(index), second.value(index));
            if (a.win - b.win).abs().max((a.draw - b.draw).abs()) > self.tolerance.value {
                return disagree(format!(
                    "win {} and {}, draw {} and {}",
                    a.win, b.win, a.draw, b.draw
                ));
            }
            let (p, q) = (first.policy(index), second.policy(index));
            let count = p.len().max(1) as f32;
            let shift = p.iter().zip(q).map(|(p, q)| p - q).sum::<f32>() / count;
            let apart = |(p, q): (&f32, &f32)| (p - q - shift).abs() > self.tolerance.logit;
            if let Some(at) = p.iter().zip(q).position(apart) {
                let label = first.labels(index)[at];
                return disagree(format!("logits {} and {} for label {label}", p[at], q[at]));
            }
        }
        Ok(())
    }
}

impl Backend for Check {
    fn shape(&self) -> Shape {
        self.first.inner.shape()
    }

    fn describe(&self) -> String {
        format!("{}; checked against {}", self.first.inner.describe(), self.second.inner.describe())
    }

    fn pace(&self) -> Pace {
        self.first.inner.pace()
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        if batch.shape() != self.shape() {
            return Err(Fault::Shape { found: batch.shape(), expected: self.shape() });
        }
        let ticket = self.first.finished.begin()?;
        let copy = batch.clone();
        let sent = self
            .first
            .send(batch, ticket, |ticket, result| self.back(Side::First, ticket, result))
            .and_then(|()| {
                self.second
                    .send(copy, ticket, |ticket, result| self.back(Side::Second, ticket, result))
            });
        if let Err(fault) = sent {
            self.first.finished.end(&fault.to_string());
            return Err(fault);
        }
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        // The second is asked first: what both have answered then comes from the first.
        let second = self.second.poll(wait / 2, |ticket, result| {
            self.back(Side::Second, ticket, result);
        });
        if let Err(fault) = second {
            self.first.finished.end(&fault.to_string());
        }
        self.first.poll(wait / 2, |ticket, result| self.back(Side::First, ticket, result))
    }

    fn in_flight(&self) -> usize {
        self.first.finished.in_flight()
    }
}
