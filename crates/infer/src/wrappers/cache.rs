//! Answers kept for positions that come again.

use super::relay::{Relay, under};
use crate::backend::{Backend, Fault, Pace, Shape, Ticket};
use crate::batch::{Batch, Value};
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So many locks, so that threads rarely meet.
const SHARDS: usize = 64;
/// What an entry takes besides its logits: itself, its place in table and page.
const OVERHEAD: usize = size_of::<Entry>() + 4 * size_of::<u64>() + size_of::<usize>();
/// Logits of a page, where that leaves a shard so many pages at least.
const PAGE: usize = 1 << 16;
const LEAST_PAGES: usize = 8;

/// How a cache was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheUse {
    pub hits: u64,
    pub misses: u64,
    /// Bytes of what is kept, never more than was allowed.
    pub bytes: usize,
}

/// Keeps the answers of a back-end, by the key of everything the net sees, within a bound in bytes;
/// the oldest go first, a page of them at a time.
pub struct Cache {
    relay: Relay<Waiting>,
    shards: Vec<Mutex<Shard>>,
    /// Of one shard.
    bound: usize,
    /// Whether the back-end inside answers batches where they lie.
    at_once: bool,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// A batch some of whose positions are being computed.
struct Waiting {
    ticket: Ticket,
    batch: Batch,
    missing: Vec<Missing>,
}

/// A position of a batch that is not known.
struct Missing {
    index: usize,
    /// The hash of its labels.
    labels: u32,
}

/// What is known of a position, and where its logits lie.
struct Entry {
    /// Of the labels: another order would be another answer.
    labels: u32,
    /// The first logit in its page, and how many there are.
    at: u32,
    logits: u32,
    page: u64,
    value: Value,
}

/// Logits of many answers one behind the other. A piece of memory for each would have all threads ask the system for
/// more of it all the time, and wait for each other there.
struct Page {
    logits: Vec<f32>,
    keys: Vec<u64>,
}

impl Page {
    fn has_room(&self, logits: usize) -> bool {
        self.logits.capacity() - self.logits.len() >= logits
    }
}

#[derive(Default)]
struct Shard {
    entries: HashMap<u64, Entry, BuildHasherDefault<KeyHasher>>,
    pages: VecDeque<Page>,
    /// The number of the first page.
    first: u64,
    bytes: usize,
}

/// Keys are hashes of positions: one multiplication brings what they have in common within a shard to both ends.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 ^ u64::from(byte)));
    }

    fn write_u64(&mut self, key: u64) {
        let wide = u128::from(key) * 0x9e37_79b9_7f4a_7c15;
        self.0 = wide as u64 ^ (wide >> 64) as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Shard {
    /// The answer to a position with these labels, if it is known.
    fn get(&self, key: u64, labels: u32) -> Option<(&[f32], Value)> {
        let entry = self.entries.get(&key).filter(|entry| entry.labels == labels)?;
        let page = self.pages.get((entry.page - self.first) as usize)?;
        let (at, logits) = (entry.at as usize, entry.logits as usize);
        Some((&page.logits[at..at + logits], entry.value))
    }

    /// Keeps an answer, all of them together within so many bytes.
    fn put(&mut self, (key, labels): (u64, u32), policy: &[f32], value: Value, bound: usize) {
        let page = PAGE.min(bound / LEAST_PAGES / size_of::<f32>()).max(policy.len());
        loop {
            let has_room = self.pages.back().is_some_and(|last| last.has_room(policy.len()));
            let more = if has_room { 0 } else { page * size_of::<f32>() };
            if self.bytes + OVERHEAD + more > bound {
                if self.drop_oldest() {
                    continue;
                }
                return;
            }
            if !has_room {
                let logits = Vec::with_capacity(page);
                self.bytes += logits.capacity() * size_of::<f32>();
                self.pages.push_back(Page { logits, keys: Vec::new() });
            }
            break;
        }
        let number = self.first + self.pages.len() as u64 - 1;
        let Some(last) = self.pages.back_mut() else { return };
        let (at, logits) = (last.logits.len() as u32, policy.len() as u32);
        last.logits.extend_from_slice(policy);
        last.keys.push(key);
        self.bytes += OVERHEAD;
        self.entries.insert(key, Entry { labels, at, logits, page: number, value });
    }

    /// Forgets the answers of the oldest page; says whether there was one.
    fn drop_oldest(&mut self) -> bool {
        let Some(oldest) = self.pages.pop_front() else { return false };
        for key in &oldest.keys {
            // It may have been asked and kept again since.
            if self.entries.get(key).is_some_and(|entry| entry.page == self.first) {
                self.entries.remove(key);
            }
        }
        self.bytes -= oldest.logits.capacity() * size_of::<f32>() + oldest.keys.len() * OVERHEAD;
        self.first += 1;
        true
    }
}

impl Cache {
    /// A cache of so many bytes.
    pub fn new(inner: Arc<dyn Backend>, bytes: usize) -> Self {
        let at_once = inner.answer(&mut Batch::new(inner.shape(), 0)).is_some();
        Self {
            at_once,
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

    /// Answers a position if the answer is known, else says what is missing.
    fn recall(&self, batch: &mut Batch, index: usize) -> Option<Missing> {
        // What takes long is done before the lock is.
        let (key, labels) = (batch.key(index), hash(batch.labels(index)));
        let shard = self.shard(key);
        let Some((policy, value)) = shard.get(key, labels) else {
            return Some(Missing { index, labels });
        };
        batch.answer(index, policy, value);
        None
    }

    fn keep(&self, batch: &Batch, &Missing { index, labels }: &Missing) {
        let (key, policy, value) = (batch.key(index), batch.policy(index), batch.value(index));
        self.shard(key).put((key, labels), policy, value, self.bound);
    }

    /// Answers what is known; says which positions are not.
    fn recall_all(&self, batch: &mut Batch) -> Result<Vec<Missing>, Fault> {
        let shape = self.shape();
        if batch.shape() != shape {
            return Err(Fault::Shape { found: batch.shape(), expected: shape });
        }
        let missing: Vec<Missing> =
            (0..batch.len()).filter_map(|index| self.recall(batch, index)).collect();
        self.misses.fetch_add(missing.len() as u64, Ordering::Relaxed);
        self.hits.fetch_add((batch.len() - missing.len()) as u64, Ordering::Relaxed);
        Ok(missing)
    }

    /// The positions that are to be computed.
    fn rest(&self, batch: &Batch, missing: &[Missing]) -> Batch {
        let mut rest = Batch::new(self.shape(), missing.len());
        for &Missing { index, .. } in missing {
            let labels = batch.labels(index).iter().copied();
            rest.push(batch.key(index), |to| to.copy_from_slice(batch.planes(index)), labels);
        }
        rest
    }

    /// Puts computed answers where they are missing, and keeps them.
    fn back(&self, waiting: Waiting, result: Result<Batch, Fault>) {
        let Waiting { ticket, mut batch, missing } = waiting;
        match result {
            Ok(computed) => {
                for (from, to) in missing.iter().enumerate() {
                    batch.answer(to.index, computed.policy(from), computed.value(from));
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

/// Kept in memory alone: one multiplication for four labels.
fn hash(labels: &[u16]) -> u32 {
    let add = |sum: u64, four: &[u16]| {
        let word = four.iter().fold(0, |word, &label| word << 16 | u64::from(label));
        (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
    };
    let fours = labels.chunks_exact(4);
    let rest = fours.remainder();
    (add(fours.fold(labels.len() as u64, add), rest) >> 32) as u32
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

    fn answer(&self, batch: &mut Batch) -> Option<Result<(), Fault>> {
        if !self.at_once {
            return None;
        }
        let missing = match self.recall_all(batch) {
            Ok(missing) => missing,
            Err(fault) => return Some(Err(fault)),
        };
        if missing.is_empty() {
            return Some(Ok(()));
        }
        // Nothing is known as a rule: then nothing is copied.
        let mut rest = (missing.len() < batch.len()).then(|| self.rest(batch, &missing));
        let answered = self.relay.inner.answer(rest.as_mut().unwrap_or(batch))?;
        if answered.is_ok() {
            for (from, to) in missing.iter().enumerate() {
                if let Some(rest) = &rest {
                    batch.answer(to.index, rest.policy(from), rest.value(from));
                }
                self.keep(batch, to);
            }
        }
        Some(answered)
    }

    fn submit(&self, mut batch: Batch) -> Result<Ticket, Fault> {
        let missing = self.recall_all(&mut batch)?;
        let ticket = self.relay.finished.begin()?;
        if missing.is_empty() {
            self.relay.finished.finish(ticket, batch);
            return Ok(ticket);
        }
        let rest = self.rest(&batch, &missing);
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
