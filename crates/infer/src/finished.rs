//! Batches that are done, until somebody asks for them.

use crate::backend::{Backend, Fault, Ticket};
use crate::batch::Batch;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The half of a back-end that all of them share: tickets, the count of what is in flight, the
/// queue of what is finished. No answer leaves it unchecked.
#[derive(Debug, Default)]
pub struct Finished {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    in_flight: usize,
    done: VecDeque<Result<(Ticket, Batch), Fault>>,
    ended: Option<Fault>,
}

impl Finished {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here can be left half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A ticket for one more batch, unless the back-end has ended.
    pub fn begin(&self) -> Result<Ticket, Fault> {
        let mut state = self.state();
        if let Some(fault) = &state.ended {
            return Err(fault.clone());
        }
        let ticket = Ticket(state.next);
        state.next += 1;
        state.in_flight += 1;
        Ok(ticket)
    }

    /// What `submit` of a back-end is that computes in [`Backend::answer`].
    pub(crate) fn submit_to(&self, net: &dyn Backend, mut batch: Batch) -> Result<Ticket, Fault> {
        // What is no answer is a fault under its ticket, by those who check it below.
        if let Some(Err(fault)) = net.answer(&mut batch)
            && fault.ticket().is_none()
        {
            return Err(fault);
        }
        let ticket = self.begin()?;
        self.finish(ticket, batch);
        Ok(ticket)
    }

    /// A batch has been answered. What is no answer becomes a fault.
    pub fn finish(&self, ticket: Ticket, batch: Batch) {
        let checked = batch.verify(ticket).map(|()| (ticket, batch));
        self.state().done.push_back(checked);
        self.changed.notify_all();
    }

    /// A batch is lost.
    pub fn fail(&self, fault: Fault) {
        self.state().done.push_back(Err(fault));
        self.changed.notify_all();
    }

    /// Nothing more will be answered. What is finished still comes.
    pub fn end(&self, reason: &str) {
        let mut state = self.state();
        state.ended.get_or_insert_with(|| Fault::Ended(reason.to_owned()));
        drop(state);
        self.changed.notify_all();
    }

    /// As [`crate::Backend::poll`].
    pub fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        let waiting = |state: &mut State| {
            state.done.is_empty() && state.ended.is_none() && state.in_flight > 0
        };
        let state = self.state();
        let (mut state, _) = self
            .changed
            .wait_timeout_while(state, wait, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(done) = state.done.pop_front() {
            state.in_flight = state.in_flight.saturating_sub(1);
            if state.in_flight == 0 {
                // Others that wait have nothing to wait for any more.
                self.changed.notify_all();
            }
            return done.map(Some);
        }
        match state.ended.clone() {
            Some(fault) => {
                state.in_flight = 0;
                Err(fault)
            }
            None => Ok(None),
        }
    }

    /// As [`crate::Backend::in_flight`].
    pub fn in_flight(&self) -> usize {
        let state = self.state();
        // After the end nothing comes but what is finished, whoever hears of it first.
        if state.ended.is_some() { state.done.len() } else { state.in_flight }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_in_flight_after_the_end() {
        let finished = Finished::default();
        finished.begin().unwrap();
        finished.begin().unwrap();
        assert_eq!(finished.in_flight(), 2);
        finished.end("the device is gone");
        // A thread that submits may be the first to hear of it.
        assert!(matches!(finished.begin(), Err(Fault::Ended(_))));
        assert_eq!(finished.in_flight(), 0);
        assert!(matches!(finished.poll(Duration::ZERO), Err(Fault::Ended(_))));
        assert_eq!(finished.in_flight(), 0);
    }
}
