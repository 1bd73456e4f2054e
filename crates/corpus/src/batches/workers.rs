//! Threads that decode units and put batches together.

use super::Encoder;
use super::pool::Pool;
use super::rows::{Rows, Sampler};
use super::units::{Unit, UnitReader, Units};
use rules::Variant;
use seed::Rng;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;

/// Something to do; the ticket says where its result belongs.
pub(super) enum Job<W> {
    Decode { ticket: u64, unit: Unit, rng: Rng },
    Gather { ticket: u64, pool: Arc<Pool<W>>, batch: usize },
}

pub(super) enum Done<W, B> {
    Decoded { ticket: u64, rows: Result<Rows<W>, String> },
    Gathered { ticket: u64, batch: B },
}

/// The threads, as whoever gives them work sees them.
pub(super) struct WorkerPool<W, B> {
    jobs: Sender<Job<W>>,
    done: Receiver<Done<W, B>>,
    /// Batches to use again.
    spare: Arc<Mutex<Vec<B>>>,
}

impl<W: Copy + Default + Send + Sync, B: Default + Send> WorkerPool<W, B> {
    /// Starts threads, each with a sampler of its own. They end when the pool is dropped.
    pub(super) fn start<'s, 'e, V: Variant, E: Encoder<V, Word = W, Batch = B>>(
        scope: &'s Scope<'s, 'e>,
        threads: usize,
        units: &'e Units,
        encoder: &'e E,
        sampler: impl Fn() -> Sampler<'e, V, E>,
    ) -> Self
    where
        W: 'e,
        B: 'e,
    {
        let (jobs, inbox) = channel::<Job<W>>();
        let (outbox, done) = channel();
        let inbox = Arc::new(Mutex::new(inbox));
        let spare = Arc::new(Mutex::new(Vec::new()));
        for _ in 0..threads.max(1) {
            let (inbox, outbox, spare) = (Arc::clone(&inbox), outbox.clone(), Arc::clone(&spare));
            let (mut sampler, mut reader) = (sampler(), UnitReader::new(units));
            scope.spawn(move || {
                loop {
                    // The lock is held while waiting: whoever has it is next.
                    let job = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = job else { break };
                    let done = work(job, &mut sampler, &mut reader, encoder, &spare);
                    if outbox.send(done).is_err() {
                        break;
                    }
                }
            });
        }
        Self { jobs, done, spare }
    }
}

impl<W, B> WorkerPool<W, B> {
    /// Hands out a job. If all threads are gone the next result says so.
    pub(super) fn give(&self, job: Job<W>) {
        let _ = self.jobs.send(job);
    }

    /// The next result of any job; `None` if no thread is left.
    pub(super) fn take(&self) -> Option<Done<W, B>> {
        self.done.recv().ok()
    }

    /// Gives a batch back.
    pub(super) fn recycle(&self, batch: B) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(batch);
    }
}

fn work<V: Variant, E: Encoder<V>>(
    job: Job<E::Word>,
    sampler: &mut Sampler<'_, V, E>,
    reader: &mut UnitReader<'_>,
    encoder: &E,
    spare: &Mutex<Vec<E::Batch>>,
) -> Done<E::Word, E::Batch> {
    match job {
        Job::Decode { ticket, unit, rng } => {
            Done::Decoded { ticket, rows: sampler.rows(reader, unit, rng) }
        }
        Job::Gather { ticket, pool, batch } => {
            let spare = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut made = spare.unwrap_or_default();
            encoder.gather(&pool.batch(batch), &mut made);
            Done::Gathered { ticket, batch: made }
        }
    }
}
