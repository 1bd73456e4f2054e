//! Batches that never leave their thread: the net computes on it and answers them where they lie.

use super::{Cargo, Flight};
use crate::search::lock;
use infer::Fault;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering;

impl Flight {
    /// The batch that a thread fills, if there is anything in it and the net answers it where it lies. Nobody
    /// else has to know of it: who winds up waits for the lock.
    pub(crate) fn own(&self, thread: usize) -> Option<MutexGuard<'_, Cargo>> {
        self.in_place.then(|| lock(self.building(thread))).filter(|own| !own.leaves.is_empty())
    }

    /// Has a thread's own batch answered where it lies; says whether there is an answer.
    pub(crate) fn answer(&self, own: &mut Cargo) -> bool {
        self.counts.batches.fetch_add(1, Ordering::Relaxed);
        self.counts.positions.fetch_add(own.leaves.len() as u64, Ordering::Relaxed);
        let gone = || Err(Fault::Ended("the net does not answer any more".to_owned()));
        let answer = self.backend.answer(&mut own.batch).unwrap_or_else(gone);
        let answered = answer.map_err(|fault| self.note(&fault)).is_ok();
        if answered {
            self.forget_faults();
        }
        answered
    }

    /// A thread's own batch is seen to: those who ran into a leaf of it may go on.
    pub(crate) fn done(&self) {
        if self.counts.waiting.load(Ordering::Relaxed) > 0 {
            self.has_landed.notify_all();
        }
    }
}
