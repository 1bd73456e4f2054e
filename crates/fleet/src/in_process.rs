//! The queue inside one process: everything in memory, behind one lock.
//!
//! What it promises survives nothing: the coordinator's ledger is the truth, and tasks that are not
//! finished are offered again after a restart.

mod state;

use crate::batch::{Batch, Fault};
use crate::blobs::Blobs;
use crate::names::{BlobHash, Pool, RunId, WorkerId};
use crate::queue::{
    Cursor, Event, Finished, Holding, Lease, LeaseKey, Occupancy, Offered, Queue, QueueError,
    Settings,
};
use crate::task::Task;
use crate::worker::{Standing, Worker};
use state::State;
pub use state::kept::{Kept, KeptTask};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use think::{Moment, TimeSource};

/// The longest time somebody waits without looking whether a lease has run out.
const GLANCE: Duration = Duration::from_millis(250);

/// A question that may have no answer yet.
type Ask<'a, T> = dyn FnMut(&mut State, Moment) -> Result<Option<T>, QueueError> + 'a;

/// A queue in memory.
pub struct InProcess {
    settings: Settings,
    time: Arc<dyn TimeSource>,
    state: Mutex<State>,
    /// Tasks came, or the queue drains no more.
    tasks: Condvar,
    /// Events came.
    events: Condvar,
    blobs: Blobs,
}

impl InProcess {
    /// An empty queue with its blobs in memory.
    pub fn new(settings: Settings, time: Arc<dyn TimeSource>) -> Self {
        let blobs = Blobs::in_memory(settings.max_blob, settings.max_store);
        Self::with_blobs(settings, time, blobs)
    }

    /// An empty queue with that store.
    pub fn with_blobs(settings: Settings, time: Arc<dyn TimeSource>, blobs: Blobs) -> Self {
        let state = Mutex::new(State::default());
        Self { settings, time, state, tasks: Condvar::new(), events: Condvar::new(), blobs }
    }

    /// A queue that goes on where another ended.
    pub fn restored(
        settings: Settings,
        time: Arc<dyn TimeSource>,
        blobs: Blobs,
        kept: Kept,
    ) -> Self {
        let state = Mutex::new(State::restored(kept, time.now(), &settings));
        Self { settings, time, state, tasks: Condvar::new(), events: Condvar::new(), blobs }
    }

    /// The last cursor that was given.
    pub fn cursor(&self) -> Cursor {
        self.current().0.cursor()
    }

    /// The store of blobs.
    pub const fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state with everything that is due done.
    fn current(&self) -> (MutexGuard<'_, State>, Moment) {
        let mut state = self.state();
        // Read under the lock: moments are in the order of what happens.
        let now = self.time.now();
        if state.advance(now, &self.settings) {
            self.tasks.notify_all();
            self.events.notify_all();
        }
        (state, now)
    }

    /// Asks until there is an answer or the wait is over.
    fn until<T>(
        &self,
        wait: Duration,
        bell: &Condvar,
        ask: &mut Ask<'_, T>,
    ) -> Result<Option<T>, QueueError> {
        let (mut state, mut now) = self.current();
        let deadline = now.saturating_add(wait);
        loop {
            if let Some(answer) = ask(&mut state, now)? {
                return Ok(Some(answer));
            }
            let left = deadline.saturating_sub(now);
            if left.is_zero() {
                return Ok(None);
            }
            let waited = bell.wait_timeout(state, left.min(GLANCE));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            now = self.time.now();
            state.advance(now, &self.settings);
        }
    }
}

impl std::fmt::Debug for InProcess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InProcess").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Queue for InProcess {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn offer(&self, task: &Task) -> Result<Offered, QueueError> {
        let offered = self.current().0.offer(task, &self.settings)?;
        self.tasks.notify_one();
        Ok(offered)
    }

    fn withdraw(&self, run: RunId) -> Result<(), QueueError> {
        self.current().0.withdraw(run, &self.settings);
        Ok(())
    }

    fn announce(&self, worker: &Worker) -> Result<(), QueueError> {
        let mut state = self.current().0;
        state.check_events(&self.settings)?;
        state.announce(worker, &self.settings);
        drop(state);
        self.events.notify_all();
        // Whoever has more room than before may find something in it.
        self.tasks.notify_all();
        Ok(())
    }

    fn stand(&self, worker: &WorkerId, standing: Standing) -> Result<(), QueueError> {
        self.current().0.stand(worker, standing, &self.settings);
        self.tasks.notify_all();
        Ok(())
    }

    fn lease(
        &self,
        worker: &WorkerId,
        pools: &[Pool],
        wait: Duration,
    ) -> Result<Option<Lease>, QueueError> {
        self.until(wait, &self.tasks, &mut |state, now| {
            state.lease(worker, pools, now, &self.settings)
        })
    }

    fn extend(&self, key: &LeaseKey) -> Result<(), QueueError> {
        let (mut state, now) = self.current();
        state.extend(key, now, &self.settings)
    }

    fn finish(&self, key: &LeaseKey, batch: &Batch) -> Result<Finished, QueueError> {
        let size = size_of(batch);
        if size > self.settings.max_batch {
            let most = self.settings.max_batch as u64;
            return Err(QueueError::TooLarge { bytes: size as u64, most });
        }
        let finished = self.current().0.finish(key, batch, &self.settings)?;
        self.events.notify_all();
        Ok(finished)
    }

    fn fail(&self, key: &LeaseKey, fault: &Fault) -> Result<(), QueueError> {
        let (mut state, now) = self.current();
        state.fail(key, fault, now, &self.settings)?;
        self.events.notify_all();
        Ok(())
    }

    fn drain(&self, draining: bool) -> Result<(), QueueError> {
        self.current().0.drain(draining);
        self.tasks.notify_all();
        Ok(())
    }

    fn watch(
        &self,
        after: Cursor,
        most: usize,
        wait: Duration,
    ) -> Result<Vec<(Cursor, Event)>, QueueError> {
        let events = self.until(wait, &self.events, &mut |state, _| {
            let events = state.events_after(after, most);
            Ok((!events.is_empty()).then_some(events))
        });
        Ok(events?.unwrap_or_default())
    }

    fn acknowledge(&self, upto: Cursor) -> Result<(), QueueError> {
        self.current().0.acknowledge(upto);
        Ok(())
    }

    fn put_blob(&self, bytes: &[u8]) -> Result<BlobHash, QueueError> {
        self.blobs.put(bytes)
    }

    fn blob_length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError> {
        self.blobs.length(hash)
    }

    fn get_blob(&self, hash: &BlobHash, range: Range<u64>) -> Result<Vec<u8>, QueueError> {
        self.blobs.get(hash, range)
    }

    fn occupancy(&self) -> Result<Occupancy, QueueError> {
        Ok(Occupancy { stored: self.blobs.stored(), ..self.current().0.occupancy() })
    }

    fn leases(&self) -> Result<Vec<Holding>, QueueError> {
        Ok(self.current().0.holdings())
    }
}

/// Bytes of a batch as JSON, counted without making the text.
fn size_of(batch: &Batch) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Nothing that is counted can fail to be written.
    let _ = serde_json::to_writer(&mut count, batch);
    count.0
}

#[cfg(test)]
mod tests;
