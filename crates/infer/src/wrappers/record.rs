//! Answers written down, and given again without the net.

use super::relay::{Relay, under};
use crate::backend::{Backend, Fault, Pace, Shape, Ticket};
use crate::batch::{Batch, Value};
use crate::finished::Finished;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use thiserror::Error;

const MAGIC: [u8; 8] = *b"NueAns01";

/// Answers by key, with the labels they are for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recording {
    answers: BTreeMap<u64, (Vec<u16>, Vec<f32>, Value)>,
}

/// A recording that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordingError {
    #[error("no recording of answers: it does not begin with NueAns01")]
    Magic,
    #[error("the recording is damaged or cut short")]
    Damaged,
}

impl Recording {
    /// Positions with an answer.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    fn note(&mut self, batch: &Batch) {
        for index in 0..batch.len() {
            let (labels, policy) = (batch.labels(index).to_vec(), batch.policy(index).to_vec());
            self.answers.insert(batch.key(index), (labels, policy, batch.value(index)));
        }
    }

    /// Writes it, keys in order: the same answers make the same bytes.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut out = MAGIC.to_vec();
        for (key, (labels, policy, value)) in &self.answers {
            out.extend(key.to_le_bytes());
            out.extend((labels.len() as u16).to_le_bytes());
            labels.iter().for_each(|label| out.extend(label.to_le_bytes()));
            policy.iter().for_each(|logit| out.extend(logit.to_le_bytes()));
            out.extend(value.win.to_le_bytes());
            out.extend(value.draw.to_le_bytes());
        }
        let sum = crc32fast::hash(&out);
        to.write_all(&out)?;
        to.write_all(&sum.to_le_bytes())
    }

    /// Reads one from memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(RecordingError::Magic);
        }
        let (body, sum) = bytes.split_last_chunk::<4>().ok_or(RecordingError::Damaged)?;
        if body.len() < MAGIC.len() || crc32fast::hash(body) != u32::from_le_bytes(*sum) {
            return Err(RecordingError::Damaged);
        }
        let mut left = &body[MAGIC.len()..];
        let mut take = |count: usize| {
            let (taken, rest) = left.split_at_checked(count)?;
            left = rest;
            Some(taken)
        };
        let float = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let mut recording = Self::default();
        while let Some(head) = take(10) {
            let key = head[..8].iter().rev().fold(0, |key, &b| key << 8 | u64::from(b));
            let count = usize::from(u16::from_le_bytes([head[8], head[9]]));
            let rest = take(6 * count + 8).ok_or(RecordingError::Damaged)?;
            let (labels, floats) = rest.split_at(2 * count);
            let label = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]);
            let labels = labels.chunks_exact(2).map(label).collect();
            let mut policy: Vec<f32> = floats.chunks_exact(4).map(float).collect();
            let value = Value { win: policy[count], draw: policy[count + 1] };
            policy.truncate(count);
            recording.answers.insert(key, (labels, policy, value));
        }
        if left.is_empty() { Ok(recording) } else { Err(RecordingError::Damaged) }
    }
}

/// Writes down what a back-end answers.
pub struct Record {
    relay: Relay<Ticket>,
    recording: Mutex<Recording>,
}

impl Record {
    pub fn new(inner: Arc<dyn Backend>) -> Self {
        Self { relay: Relay::new(inner), recording: Mutex::default() }
    }

    /// What was answered so far.
    pub fn recording(&self) -> Recording {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn back(&self, ticket: Ticket, result: Result<Batch, Fault>) {
        match result {
            Ok(batch) => {
                self.recording.lock().unwrap_or_else(PoisonError::into_inner).note(&batch);
                self.relay.finished.finish(ticket, batch);
            }
            Err(fault) => self.relay.finished.fail(under(ticket, fault)),
        }
    }
}

impl Backend for Record {
    fn shape(&self) -> Shape {
        self.relay.inner.shape()
    }

    fn describe(&self) -> String {
        format!("{}; answers recorded", self.relay.inner.describe())
    }

    fn pace(&self) -> Pace {
        self.relay.inner.pace()
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        let ticket = self.relay.finished.begin()?;
        let sent = self.relay.send(batch, ticket, |ticket, result| self.back(ticket, result));
        if let Err(fault) = sent {
            self.relay.finished.end(&fault.to_string());
            return Err(fault);
        }
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        self.relay.poll(wait, |ticket, result| self.back(ticket, result))
    }

    fn in_flight(&self) -> usize {
        self.relay.finished.in_flight()
    }
}

/// Answers from a recording. What is not in it is a fault.
pub struct Replay {
    shape: Shape,
    recording: Recording,
    finished: Finished,
}

impl Replay {
    pub fn new(shape: Shape, recording: Recording) -> Self {
        Self { shape, recording, finished: Finished::default() }
    }
}

impl Backend for Replay {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn describe(&self) -> String {
        format!("{} answers from a recording", self.recording.len())
    }

    fn pace(&self) -> Pace {
        Pace { batch: 16, in_flight: 1, threads: usize::MAX }
    }

    fn submit(&self, mut batch: Batch) -> Result<Ticket, Fault> {
        if batch.shape() != self.shape {
            return Err(Fault::Shape { found: batch.shape(), expected: self.shape });
        }
        let ticket = self.finished.begin()?;
        for index in 0..batch.len() {
            let key = batch.key(index);
            let known = self.recording.answers.get(&key);
            match known.filter(|(labels, ..)| labels == batch.labels(index)) {
                Some((_, policy, value)) => batch.answer(index, policy, *value),
                None => {
                    let what = "it is not in the recording".to_owned();
                    self.finished.fail(Fault::Nonsense { ticket, key, what });
                    return Ok(ticket);
                }
            }
        }
        self.finished.finish(ticket, batch);
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        self.finished.poll(wait)
    }

    fn in_flight(&self) -> usize {
        self.finished.in_flight()
    }
}
