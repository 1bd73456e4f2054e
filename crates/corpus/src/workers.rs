//! Work given to several threads, the results taken in the order it was given.

use crate::error::Error;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Scope};

/// Jobs that wait for a thread, and results that wait to be taken, per thread.
const WAITING: usize = 2;

/// Threads that work on what they are given.
pub(crate) struct WorkerPool<J, R> {
    threads: Threads,
    jobs: Arc<Places<J>>,
    results: Arc<Places<R>>,
    given: usize,
    taken: usize,
}

impl<J: Send, R: Send> WorkerPool<J, R> {
    /// So many threads; `worker` makes what works, in the thread itself.
    pub(crate) fn start<'s, 'e: 's, W: FnMut(J) -> R + 's>(
        scope: &'s Scope<'s, 'e>,
        threads: usize,
        worker: &'e (impl Fn() -> W + Sync),
    ) -> Result<Self, Error>
    where
        J: 's,
        R: 's,
    {
        let places = threads.max(1) * WAITING;
        let (jobs, results) = (Arc::new(Places::new(places)), Arc::new(Places::new(places)));
        let threads = Threads::start(scope, threads, &|| {
            let (jobs, results) = (Arc::clone(&jobs), Arc::clone(&results));
            Box::new(move || {
                let mut work = worker();
                Box::new(move |number| {
                    if let Some(job) = jobs.take(number) {
                        results.put(number, work(job));
                    }
                })
            })
        })?;
        Ok(Self { threads, jobs, results, given: 0, taken: 0 })
    }

    /// Gives a job, and takes a result first where all are busy.
    pub(crate) fn give(
        &mut self,
        job: J,
        take: &mut dyn FnMut(R) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.given - self.taken >= self.threads.0.len() * WAITING {
            self.take(take)?;
        }
        self.jobs.put(self.given, job);
        self.threads.begin(self.given)?;
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
        self.threads.wait_for(self.taken)?;
        let result = self.results.take(self.taken).ok_or_else(Error::thread)?;
        self.taken += 1;
        take(result)
    }
}

/// Where jobs and results lie while their numbers travel: channels and threads are long code, which is compiled
/// once so and not for every kind of job.
struct Places<T>(Vec<Mutex<Option<T>>>);

impl<T> Places<T> {
    fn new(count: usize) -> Self {
        Self((0..count).map(|_| Mutex::new(None)).collect())
    }

    fn put(&self, number: usize, thing: T) {
        let place = &self.0[number % self.0.len()];
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(thing);
    }

    fn take(&self, number: usize) -> Option<T> {
        let place = &self.0[number % self.0.len()];
        place.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Makes, in a thread, what does the job of a number there.
type Make<'s> = Box<dyn FnOnce() -> Box<dyn FnMut(usize) + 's> + Send + 's>;

/// The threads: each is given numbers, in turn, and tells when it is done with one.
struct Threads(Vec<(SyncSender<usize>, Receiver<()>)>);

impl Threads {
    fn start<'s>(
        scope: &'s Scope<'s, '_>,
        threads: usize,
        make: &dyn Fn() -> Make<'s>,
    ) -> Result<Self, Error> {
        let mut started = Vec::new();
        for number in 0..threads.max(1) {
            let (give, jobs) = sync_channel(WAITING);
            let (done, results) = sync_channel(WAITING);
            let make = make();
            let work = move || {
                let mut work = make();
                for job in jobs {
                    work(job);
                    // Nobody takes results after an error: then there is nothing to do.
                    if done.send(()).is_err() {
                        break;
                    }
                }
            };
            let builder = thread::Builder::new().name(format!("data {number}"));
            match builder.stack_size(think::STACK).spawn_scoped(scope, work) {
                Ok(_) => started.push((give, results)),
                // Fewer than asked for are better than none.
                Err(_) if number > 0 => break,
                Err(e) => {
                    return Err(Error::Failed(format!("could not start a thread: {e}")));
                }
            }
        }
        Ok(Self(started))
    }

    fn begin(&self, number: usize) -> Result<(), Error> {
        self.0[number % self.0.len()].0.send(number).map_err(|_| Error::thread())
    }

    fn wait_for(&self, number: usize) -> Result<(), Error> {
        self.0[number % self.0.len()].1.recv().map_err(|_| Error::thread())
    }
}
