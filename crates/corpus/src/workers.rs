//! Work given to several threads, the results taken in the order it was given.

use crate::error::Error;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

/// Jobs that wait for a thread, and results that wait to be taken, per thread.
const WAITING: usize = 2;

/// Threads that work on what they are given.
pub(crate) struct WorkerPool<J, R> {
    workers: Vec<(SyncSender<J>, Receiver<R>)>,
    given: usize,
    taken: usize,
}

impl<J: Send, R: Send> WorkerPool<J, R> {
    /// So many threads; `worker` makes what works, in the thread itself.
    pub(crate) fn start<'s, 'e: 's, W: FnMut(J) -> R>(
        scope: &'s Scope<'s, 'e>,
        threads: usize,
        worker: &'e (impl Fn() -> W + Sync),
    ) -> Result<Self, Error>
    where
        J: 's,
        R: 's,
    {
        let mut workers = Vec::new();
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
                Ok(_) => workers.push((give, results)),
                // Fewer than asked for are better than none.
                Err(_) if number > 0 => break,
                Err(e) => {
                    return Err(Error::Failed(format!("could not start a thread: {e}")));
                }
            }
        }
        Ok(Self { workers, given: 0, taken: 0 })
    }

    /// Gives a job, and takes a result first where all are busy.
    pub(crate) fn give(
        &mut self,
        job: J,
        take: &mut dyn FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.given - self.taken >= self.workers.len() * WAITING {
            self.take(take)?;
        }
        let worker = self.given % self.workers.len();
        self.workers[worker].0.send(job).map_err(|_| Error::thread())?;
        self.given += 1;
        Ok(())
    }

    /// Takes all results that are still to come.
    pub(crate) fn finish(
        &mut self,
        take: &mut dyn FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        while self.taken < self.given {
            self.take(take)?;
        }
        Ok(())
    }

    fn take(&mut self, take: &mut dyn FnMut(R) -> Result<(), Error>) -> Result<(), Error> {
        let result =
            self.workers[self.taken % self.workers.len()].1.recv().map_err(|_| Error::thread())?;
        self.taken += 1;
        take(result)
    }
}
