//! The leases that a cell keeps alive.

use crate::names::TaskId;
use crate::queue::LeaseKey;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A lease, and what is set when it is lost.
type Kept = (LeaseKey, Arc<AtomicBool>);

#[derive(Default)]
struct Held {
    leases: HashMap<TaskId, Kept>,
    ended: bool,
}

/// The leases that are kept alive, and what is told where one is lost.
#[derive(Default)]
pub(super) struct Beats {
    held: Mutex<Held>,
    bell: Condvar,
}

impl Beats {
    pub(super) fn hold(&self, key: &LeaseKey, lost: &Arc<AtomicBool>) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.leases.insert(key.task, (key.clone(), Arc::clone(lost)));
    }

    pub(super) fn drop(&self, task: TaskId) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).leases.remove(&task);
    }

    /// Tells that a lease is lost, where it is still held: who held it may have another by now.
    pub(super) fn lose(&self, key: &LeaseKey) {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, lost)) = held.leases.get(&key.task).filter(|(held, _)| held == key) {
            lost.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn end(&self) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.bell.notify_all();
    }

    /// Waits; the leases held then, `None` at the end.
    pub(super) fn wait(&self, time: Duration) -> Option<Vec<LeaseKey>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.bell.wait_timeout_while(held, time, |held| !held.ended);
        let (held, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (!held.ended).then(|| held.leases.values().map(|(key, _)| key.clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was asked about a lease that has ended since says nothing about the one after it.
    #[test]
    fn a_lease_that_ended_is_not_lost() {
        let key = |task| LeaseKey {
            task: TaskId(task),
            worker: crate::conformance::name("a"),
            secret: String::new(),
        };
        let (beats, lost) = (Beats::default(), Arc::new(AtomicBool::new(false)));
        beats.hold(&key(1), &lost);
        let asked = beats.wait(Duration::ZERO).unwrap();
        beats.drop(TaskId(1));
        beats.hold(&key(2), &lost);
        asked.iter().for_each(|key| beats.lose(key));
        assert!(!lost.load(Ordering::Relaxed));
        beats.lose(&key(2));
        assert!(lost.load(Ordering::Relaxed));
    }
}
