//! Work given to several threads, the results taken in the order it was given.

use crate::failure::Failure;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

/// Jobs that wait for a thread, and results that wait to be taken, per thread.
const WAITING: usize = 2;

/// Threads that work on what they are given.
pub(super) struct Desks<J, R> {
    desks: Vec<(SyncSender<J>, Receiver<R>)>,
    given: usize,
    taken: usize,
}

impl<J: Send, R: Send> Desks<J, R> {
    /// So many threads; `worker` makes what works, in the thread itself.
    pub(super) fn open<'s, 'e: 's, W: FnMut(J) -> R>(
        scope: &'s Scope<'s, 'e>,
        threads: usize,
        worker: &'e (impl Fn() -> W + Sync),
    ) -> Result<Self, Failure>
    where
        J: 's,
        R: 's,
    {
        let mut desks = Vec::new();
        for number in 0..threads.max(1) {
            let (give, jobs) = sync_channel::<J>(WAITING);
            let (done, results) = sync_channel(WAITING);
            let work = move || {
                let mut work = worker();
                for job in jobs {
                    // Nobody takes results after an error: then there is nothing to do.
                    if done.send(work(job)).is_err() {
                        break;
                    }
                }
            };
            let builder = thread::Builder::new().name(format!("data {number}"));
            match builder.stack_size(think::STACK).spawn_scoped(scope, work) {
                Ok(_) => desks.push((give, results)),
                // Fewer than asked for are better than none.
                Err(_) if number > 0 => break,
                Err(e) => return Err(Failure::failed(format!("no thread can be started: {e}"))),
            }
        }
        Ok(Self { desks, given: 0, taken: 0 })
    }

    /// Gives a job, and takes a result first where all are busy.
    pub(super) fn give(
        &mut self,
        job: J,
        take: &mut dyn FnMut(R) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.given - self.taken >= self.desks.len() * WAITING {
            self.take(take)?;
        }
        let desk = self.given % self.desks.len();
        self.desks[desk].0.send(job).map_err(|_| stopped())?;
        self.given += 1;
        Ok(())
    }

    /// Takes all results that are still to come.
    pub(super) fn finish(
        &mut self,
        take: &mut dyn FnMut(R) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        while self.taken < self.given {
            self.take(take)?;
        }
        Ok(())
    }

    fn take(&mut self, take: &mut dyn FnMut(R) -> Result<(), Failure>) -> Result<(), Failure> {
        let result = self.desks[self.taken % self.desks.len()].1.recv().map_err(|_| stopped())?;
        self.taken += 1;
        take(result)
    }
}

fn stopped() -> Failure {
    Failure::failed("a thread stopped unexpectedly")
}
