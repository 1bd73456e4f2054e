//! The one trait between coordinator and workers.

use crate::batch::{Batch, Fault};
use crate::names::{BlobHash, Pool, RunId, TaskId, WorkerId};
use crate::task::Task;
use crate::worker::{Standing, Worker};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::time::Duration;
use thiserror::Error;

/// A queue of work. The coordinator offers tasks and watches; workers lease, extend, finish or fail.
///
/// # Contract
///
/// Every call may come from any thread, blocks no longer than its `wait` (and what the network
/// takes), and either has its whole effect or none: an error leaves everything as it was, except
/// [`QueueError::Unavailable`], after which the call may have happened; repeating any call is harmless.
/// Time is that of the clock the implementation was made with.
///
/// **Offer.** Task ids are the caller's, unique for ever. A task already known, waiting, leased or done,
/// is [`Offered::Known`] and nothing changes. When [`Settings::max_waiting`] tasks wait, the answer is
/// [`QueueError::Full`]: the caller keeps the task and offers it again.
///
/// **Lease.** Gives a task that waits in one of `pools`, of the highest class in which there is
/// one; within a class and pool, first come first served. `None` after `wait` without one. A worker
/// without [`Standing`] is on probation and gets tasks of its own pool (`@worker`) only; nobody gets tasks
/// of another's own pool; a barred worker is refused ([`QueueError::Barred`]). A draining queue
/// gives nothing. A lease lasts [`Settings::lease`]; after that the task waits again, before
/// the others of its class and pool, with an event [`Event::Expired`]. Implementations may notice that an expiry is due only
/// when somebody calls `lease`, `watch` or `occupancy`. A worker may hold several leases.
///
/// **Announce.** An event [`Event::Announced`]. A worker that says what it is holding has lost what else is leased to it: those
/// tasks wait again at once, each with an event [`Event::Failed`] (the worker is leaving it), and their keys are `NotHeld`.
///
/// **Needs.** A worker's leases together never need more processors or memory than it last announced; a task it has
/// no room for is passed over, and keeps its place. Of a worker that has not announced itself since the queue
/// began nothing is known: it gets tasks for one processor, whatever their memory. Memory of 0 announced means that
/// nobody knows how much there is.
///
/// **Keys.** A [`LeaseKey`] holds a secret. It is valid when task, worker and secret are those of the
/// *last* lease of that task. Otherwise: [`QueueError::NotHeld`], whoever asks.
///
/// **Extend.** With a valid key of a lease that has not run out: it lasts [`Settings::lease`] from now. A lease
/// that has run out is [`QueueError::NotHeld`]. A task whose run was withdrawn is
/// [`QueueError::Withdrawn`]: the worker drops it.
///
/// **Finish.** Results are named by (task, batch number). The first with a valid key is
/// [`Finished::Accepted`], even if the lease has run out, provided that nobody else has leased the task since;
/// it becomes one event [`Event::Finished`]. Every later one of the same name is [`Finished::Duplicate`]
/// and changes nothing. When all batches of the task are there it is done, and its lease over. Keys of tasks
/// that are done answer `Duplicate` to their last holder. A number beyond the task's batches is
/// [`QueueError::NoSuchBatch`]; more than [`Settings::max_batch`] bytes as JSON is
/// [`QueueError::TooLarge`]; when [`Settings::max_events`] events were not acknowledged the answer is
/// [`QueueError::Full`], and the worker keeps the batch and tries again. Accepted results survive whatever the
/// implementation says it survives: for a broker its death, for the queue in the process nothing (the coordinator's
/// ledger is the truth, and unfinished tasks are offered again).
///
/// **Fail.** With a valid key: an event [`Event::Failed`]; the task waits again after
/// [`Settings::retry`]. The lease is over.
///
/// **Attempts.** A task that was leased [`Settings::max_attempts`] times and failed or expired each time
/// is given up: one event [`Event::GivenUp`], and it is known (not accepted by offer) but gone.
///
/// **Memory.** Of tasks that are over, at least the last [`Settings::remembered`] are known; older ones
/// are as if they had never been: keys of theirs are `NotHeld`.
///
/// **Withdraw.** All tasks of the run that wait are gone; those leased are no longer held:
/// their holders hear [`QueueError::Withdrawn`] from extend, finish and fail. Offers of the run are refused with it.
///
/// **Standing.** `stand` sets what a worker may have. Barring takes its leases away: their tasks wait
/// again at once, and its keys are `NotHeld`.
///
/// **Watch.** Events in the order they happened, each with its [`Cursor`], those after `after`; up to `most`
/// of them, waiting up to `wait` for the first. The same events come again until they are
/// acknowledged: `acknowledge(c)` forgets everything up to `c`. Cursors grow, also over restarts.
///
/// **Blobs.** Put once, read by anybody, by ranges (cut at the end). Putting what is there already is
/// harmless. More than [`Settings::max_blob`] bytes are `TooLarge`; a store that has reached
/// [`Settings::max_store`] is `Full`. What is read was checked against its hash when it was put; whoever
/// reads by ranges checks the whole again.
pub trait Queue: Send + Sync {
    /// The settings it keeps to.
    fn settings(&self) -> &Settings;

    /// Takes a task in.
    fn offer(&self, task: &Task) -> Result<Offered, QueueError>;

    /// Takes all tasks of a run back.
    fn withdraw(&self, run: RunId) -> Result<(), QueueError>;

    /// Tells who is there: an event [`Event::Announced`]. Repeated when something about the worker changes.
    fn announce(&self, worker: &Worker) -> Result<(), QueueError>;

    /// Sets what a worker may have.
    fn stand(&self, worker: &WorkerId, standing: Standing) -> Result<(), QueueError>;

    /// Asks for a task.
    fn lease(
        &self,
        worker: &WorkerId,
        pools: &[Pool],
        wait: Duration,
    ) -> Result<Option<Lease>, QueueError>;

    /// Says that a task is still being worked on.
    fn extend(&self, key: &LeaseKey) -> Result<(), QueueError>;

    /// Hands in a batch of results.
    fn finish(&self, key: &LeaseKey, batch: &Batch) -> Result<Finished, QueueError>;

    /// Gives a task back undone.
    fn fail(&self, key: &LeaseKey, fault: &Fault) -> Result<(), QueueError>;

    /// Whether leases are given: a draining queue gives none, everything else goes on.
    fn drain(&self, draining: bool) -> Result<(), QueueError>;

    /// Events after a cursor.
    fn watch(
        &self,
        after: Cursor,
        most: usize,
        wait: Duration,
    ) -> Result<Vec<(Cursor, Event)>, QueueError>;

    /// Forgets events up to and including a cursor.
    fn acknowledge(&self, upto: Cursor) -> Result<(), QueueError>;

    /// Keeps bytes.
    fn put_blob(&self, bytes: &[u8]) -> Result<BlobHash, QueueError>;

    /// Length of a blob; `None` if it is not there.
    fn blob_length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError>;

    /// A part of a blob.
    fn get_blob(&self, hash: &BlobHash, range: Range<u64>) -> Result<Vec<u8>, QueueError>;

    /// How full it is.
    fn occupancy(&self) -> Result<Occupancy, QueueError>;

    /// Who holds what, in the order of tasks.
    fn leases(&self) -> Result<Vec<Holding>, QueueError>;
}

/// How long and how many.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// How long a lease lasts; workers extend three times as often.
    pub lease: Duration,
    /// How long a task that failed rests.
    pub retry: Duration,
    /// Leases of one task before it is given up.
    pub max_attempts: u32,
    /// Tasks that may wait.
    pub max_waiting: usize,
    /// Events that may be unacknowledged before results are refused.
    pub max_events: usize,
    /// Tasks remembered after they are over.
    pub remembered: usize,
    /// Bytes of one batch.
    pub max_batch: usize,
    /// Bytes of one blob.
    pub max_blob: u64,
    /// Bytes of all blobs.
    pub max_store: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(120),
            retry: Duration::from_secs(10),
            max_attempts: 5,
            max_waiting: 100_000,
            max_events: 100_000,
            remembered: 100_000,
            max_batch: 512 << 10,
            max_blob: 1 << 30,
            max_store: 16 << 30,
        }
    }
}

/// What became of an offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Offered {
    /// It waits now.
    Accepted,
    /// It was there already, or is over.
    Known,
}

/// What became of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finished {
    /// It counts.
    Accepted,
    /// One of that name was there already.
    Duplicate,
}

/// The right to work on a task.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LeaseKey {
    pub task: TaskId,
    pub worker: WorkerId,
    /// 128 random bits.
    pub secret: String,
}

/// Without the secret.
impl fmt::Debug for LeaseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} held by {}", self.task, self.worker)
    }
}

/// A task lent to a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lease {
    pub key: LeaseKey,
    pub task: Task,
    /// Batches that are there already, in order: they need not be made again.
    pub done: Vec<u32>,
    /// How long it lasts from when it was given, in milliseconds.
    pub millis: u64,
    /// Which lease of the task it is, from 1.
    pub attempt: u32,
}

/// A place in the order of events; 0 is before the first.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Cursor(pub u64);

/// What happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    Announced { worker: Box<Worker> },
    Finished { task: TaskId, run: RunId, worker: WorkerId, batch: Box<Batch> },
    Failed { task: TaskId, run: RunId, worker: WorkerId, fault: Fault },
    Expired { task: TaskId, run: RunId, worker: WorkerId },
    GivenUp { task: TaskId, run: RunId, attempts: u32 },
}

/// How full a queue is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Occupancy {
    /// Tasks that wait, those that rest after a failure included.
    pub waiting: usize,
    pub leased: usize,
    /// Events not acknowledged.
    pub events: usize,
    /// Bytes of blobs.
    pub stored: u64,
}

/// Who holds a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Holding {
    pub task: TaskId,
    pub run: RunId,
    pub worker: WorkerId,
}

/// Why a call had no effect.
#[derive(Clone, PartialEq, Eq, Debug, Error, Serialize, Deserialize)]
#[serde(tag = "error", rename_all = "kebab-case")]
pub enum QueueError {
    #[error("{task} is not leased to {worker}")]
    NotHeld { task: TaskId, worker: WorkerId },
    #[error("{run} was stopped")]
    Withdrawn { run: RunId },
    #[error("worker {worker} is barred")]
    Barred { worker: WorkerId },
    #[error("{task} has {batches} batches, there is no batch {number}")]
    NoSuchBatch { task: TaskId, batches: u32, number: u32 },
    #[error("{bytes} bytes are too many: {most} at most")]
    TooLarge { bytes: u64, most: u64 },
    #[error("full: {what} ({bound}); try again later")]
    Full { what: String, bound: u64 },
    #[error("there is no blob {hash}")]
    NoBlob { hash: BlobHash },
    /// Whoever stands before the queue does not let this worker in: nobody's token.
    #[error("{reason}")]
    Refused { reason: String },
    /// The connection or the store failed: try again.
    #[error("the queue cannot be reached: {reason}")]
    Unavailable { reason: String },
}

impl QueueError {
    /// Whether the same call may succeed later.
    pub const fn is_passing(&self) -> bool {
        matches!(self, Self::Full { .. } | Self::Unavailable { .. })
    }
}
