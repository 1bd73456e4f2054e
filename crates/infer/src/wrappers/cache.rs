//! Answers kept for positions that come again.

use super::relay::{Relay, under};
use crate::backend::{Backend, Fault, Pace, Shape, Ticket};
use crate::batch::{Batch, Value};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So many locks, so that threads rarely meet.
const SHARDS: usize = 64;
/// What an entry takes besides its logits: itself, its place in table and queue.
const OVERHEAD: usize = size_of::<Entry>() + 4 * size_of::<u64>() + size_of::<usize>();

/// How a cache was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheUse {
    pub hits: u64,
    pub misses: u64,
    /// Bytes of what is kept, never more than was allowed.
    pub bytes: usize,
}

/// Keeps the answers of a back-end, by the key of everything the net sees, within a bound in bytes;
/// the oldest go first.
pub struct Cache {
    relay: Relay<Waiting>,
    shards: Vec<Mutex<Shard>>,
    /// Of one shard.
    bound: usize,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// A batch some of whose positions are being computed.
struct Waiting {
    ticket: Ticket,
    batch: Batch,
    missing: Vec<usize>,
}

struct Entry {
    /// Of the labels: another order would be another answer.
    labels: u32,
    policy: Box<[f32]>,
    value: Value,
}

#[derive(Default)]
struct Shard {
    entries: HashMap<u64, Entry>,
    order: VecDeque<u64>,
    bytes: usize,
}

impl Cache {
    /// A cache of so many bytes.
    pub fn new(inner: Arc<dyn Backend>, bytes: usize) -> Self {
        Self {
            relay: Relay::new(inner),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            bound: bytes / SHARDS,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        }
    }

    /// Hits, misses and bytes so far.
    pub fn usage(&self) -> CacheUse {
        CacheUse {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            bytes: self.shards.iter().map(|shard| locked(shard).bytes).sum(),
        }
    }

    fn shard(&self, key: u64) -> MutexGuard<'_, Shard> {
        locked(&self.shards[(key >> 32) as usize % SHARDS])
    }

    /// Answers a position if the answer is known.
    fn recall(&self, batch: &mut Batch, index: usize) -> bool {
        // What takes long is done before the lock is.
        let (key, labels) = (batch.key(index), hash(batch.labels(index)));
        let shard = self.shard(key);
        let known = shard.entries.get(&key).filter(|entry| entry.labels == labels);
        if let Some(entry) = known {
            batch.answer(index, &entry.policy, entry.value);
        }
        known.is_some()
    }

    fn keep(&self, batch: &Batch, index: usize) {
        let (key, policy) = (batch.key(index), batch.policy(index));
        let size = cost(policy.len());
        if size > self.bound {
            return;
        }
        let entry = Entry {
            labels: hash(batch.labels(index)),
            policy: policy.into(),
            value: batch.value(index),
        };
        let mut shard = self.shard(key);
        if let Some(old) = shard.entries.insert(key, entry) {
            shard.bytes -= cost(old.policy.len());
        } else {
            shard.order.push_back(key);
        }
        shard.bytes += size;
        while shard.bytes > self.bound {
            let Some(oldest) = shard.order.pop_front() else { break };
            if let Some(gone) = shard.entries.remove(&oldest) {
                shard.bytes -= cost(gone.policy.len());
            }
        }
    }

    /// Puts computed answers where they are missing, and keeps them.
    fn back(&self, waiting: Waiting, result: Result<Batch, Fault>) {
        let Waiting { ticket, mut batch, missing } = waiting;
        match result {
            Ok(computed) => {
                for (from, to) in missing.into_iter().enumerate() {
                    batch.answer(to, computed.policy(from), computed.value(from));
                    self.keep(&batch, to);
                }
                self.relay.finished.finish(ticket, batch);
            }
            Err(fault) => self.relay.finished.fail(under(ticket, fault)),
        }
    }
}

fn locked(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

fn cost(logits: usize) -> usize {
    OVERHEAD + logits * size_of::<f32>()
}

/// Kept in memory alone, and asked for twice a position: one multiplication a label.
fn hash(labels: &[u16]) -> u32 {
    let add = |sum: u64, &label: &u16| {
        (sum ^ u64::from(label)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
    };
    (labels.iter().fold(labels.len() as u64, add) >> 32) as u32
}

impl Backend for Cache {
    fn shape(&self) -> Shape {
        self.relay.inner.shape()
    }

    fn describe(&self) -> String {
        let megabytes = (self.bound * SHARDS) >> 20;
        format!("{}; cache of {megabytes} MiB", self.relay.inner.describe())
    }

    fn pace(&self) -> Pace {
        self.relay.inner.pace()
    }

    fn submit(&self, mut batch: Batch) -> Result<Ticket, Fault> {
        let shape = self.shape();
        if batch.shape() != shape {
            return Err(Fault::Shape { found: batch.shape(), expected: shape });
        }
        let missing: Vec<usize> =
            (0..batch.len()).filter(|&index| !self.recall(&mut batch, index)).collect();
        self.misses.fetch_add(missing.len() as u64, Ordering::Relaxed);
        self.hits.fetch_add((batch.len() - missing.len()) as u64, Ordering::Relaxed);
        let ticket = self.relay.finished.begin()?;
        if missing.is_empty() {
            self.relay.finished.finish(ticket, batch);
            return Ok(ticket);
        }
        let mut rest = Batch::new(shape, missing.len());
        for &index in &missing {
            let labels = batch.labels(index).iter().copied();
            rest.push(batch.key(index), |to| to.copy_from_slice(batch.planes(index)), labels);
        }
        let waiting = Waiting { ticket, batch, missing };
        let sent = self.relay.send(rest, waiting, |waiting, result| self.back(waiting, result));
        if let Err(fault) = sent {
            self.relay.finished.end(&fault.to_string());
            return Err(fault);
        }
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        self.relay.poll(wait, |waiting, result| self.back(waiting, result))
    }

    fn in_flight(&self) -> usize {
        self.relay.finished.in_flight()
    }
}
