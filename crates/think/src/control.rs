//! Influence on a running search from another thread.
//!
//! Every search gets a fresh `Control`, so that a stop meant for one search can never reach the
//! next. The flags are plain atomics: reading them costs a search nothing worth counting. The
//! condition variable is for a search that has finished early and must hold its answer back.

use crate::{Clocks, Moment};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The predicted move was played: from now on the search runs on the player's own time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PonderHit {
    /// When that was read.
    pub at: Moment,
    /// The clocks now, where they are told; else those the search began with hold.
    pub clocks: Option<Clocks>,
}

#[derive(Debug, Default)]
struct State {
    stopped: AtomicBool,
    quitting: AtomicBool,
    pondering: AtomicBool,
    hit: Mutex<Option<PonderHit>>,
    changed: Condvar,
}

/// A handle to one search; clones act on the same search.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<State>);

impl Control {
    /// The handle of a search that begins; `ponder` as in [`crate::Limits`].
    pub fn new(ponder: bool) -> Self {
        let control = Self::default();
        control.0.pondering.store(ponder, Ordering::SeqCst);
        control
    }

    /// Asks the search to end and answer with what it has.
    pub fn stop(&self) {
        let guard = self.lock();
        self.0.stopped.store(true, Ordering::SeqCst);
        drop(guard);
        self.0.changed.notify_all();
    }

    /// Like [`Control::stop`], and says that nobody will ask anything further.
    pub fn quit(&self) {
        self.0.quitting.store(true, Ordering::SeqCst);
        self.stop();
    }

    /// The predicted move was played. Returns whether the search was pondering: if not, nothing
    /// changes.
    pub fn ponderhit(&self, hit: PonderHit) -> bool {
        let mut guard = self.lock();
        if !self.is_pondering() {
            return false;
        }
        *guard = Some(hit);
        self.0.pondering.store(false, Ordering::SeqCst);
        drop(guard);
        self.0.changed.notify_all();
        true
    }

    /// Whether the search is to end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// Whether nobody will ask anything further.
    pub fn is_quitting(&self) -> bool {
        self.0.quitting.load(Ordering::Relaxed)
    }

    /// Whether the search runs on the opponent's time.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.0.pondering.load(Ordering::Acquire)
    }

    /// The ponder hit, once there was one.
    pub fn hit(&self) -> Option<PonderHit> {
        *self.lock()
    }

    /// Blocks until the answer may be given: at once in an ordinary search, after ponder hit or
    /// stop while pondering, after stop in an infinite search.
    pub fn wait_until_answerable(&self, infinite: bool) {
        let mut guard = self.lock();
        while !self.0.stopped.load(Ordering::SeqCst) && (infinite || self.is_pondering()) {
            guard = self.0.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<PonderHit>> {
        // The guarded value is a plain copy: a panic elsewhere cannot leave it half written.
        self.0.hit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    const HIT: PonderHit = PonderHit { at: Duration::from_secs(3), clocks: None };

    #[test]
    fn stop_reaches_every_clone_and_releases_a_waiting_search() {
        for (ponder, infinite) in [(true, false), (false, true), (true, true)] {
            let control = Control::new(ponder);
            let other = control.clone();
            let waiting = thread::spawn(move || other.wait_until_answerable(infinite));
            control.stop();
            waiting.join().unwrap();
            assert!(control.is_stopped() && !control.is_quitting());
        }
    }

    #[test]
    fn ponderhit_counts_once_and_only_while_pondering() {
        let control = Control::new(true);
        assert!(control.ponderhit(HIT));
        assert!(!control.ponderhit(PonderHit { at: Duration::ZERO, ..HIT }));
        assert_eq!(control.hit(), Some(HIT));
        control.wait_until_answerable(false);
        assert!(!Control::new(false).ponderhit(HIT));
    }

    #[test]
    fn quit_implies_stop() {
        let control = Control::new(false);
        control.quit();
        assert!(control.is_stopped() && control.is_quitting());
    }
}
