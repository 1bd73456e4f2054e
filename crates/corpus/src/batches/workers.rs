//! Threads that decode units and put batches together.

use super::pool::{Batcher, Pool};
use super::rows::{Rows, Sampler};
use super::units::{Unit, UnitReader};
use super::{Batch, Encoder};
use rules::{Game, Minishogi, Shogi, Variant};
use seed::Rng;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;

/// Something to do; the ticket says where its result belongs.
pub(super) enum Job {
    Decode { ticket: u64, unit: Unit, rng: Rng },
    Gather { ticket: u64, pool: Arc<Pool>, batch: usize },
}

pub(super) enum Done {
    Decoded { ticket: u64, rows: Result<Rows, String> },
    Gathered { ticket: u64, batch: Batch },
}

/// The threads, as whoever gives them work sees them.
pub(super) struct WorkerPool {
    jobs: Sender<Job>,
    done: Receiver<Done>,
    /// Batches to use again.
    spare: Arc<Mutex<Vec<Batch>>>,
}

impl WorkerPool {
    /// Starts threads, each with a sampler of its own. They end when the pool is dropped.
    pub(super) fn start<'s, 'e>(
        scope: &'s Scope<'s, 'e>,
        batcher: &'e Batcher<'e>,
        encoder: &'e dyn Encoder,
    ) -> Self {
        let (jobs, inbox) = channel::<Job>();
        let (outbox, done) = channel();
        let inbox = Arc::new(Mutex::new(inbox));
        let spare = Arc::new(Mutex::new(Vec::new()));
        for _ in 0..batcher.threads.max(1) {
            let (inbox, outbox, spare) = (Arc::clone(&inbox), outbox.clone(), Arc::clone(&spare));
            scope.spawn(move || {
                let next = || inbox.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
                let tell = |done| outbox.send(done).is_ok();
                match batcher.units.game() {
                    Game::Shogi => work::<Shogi>(batcher, encoder, &spare, &next, &tell),
                    Game::Minishogi => work::<Minishogi>(batcher, encoder, &spare, &next, &tell),
                }
            });
        }
        Self { jobs, done, spare }
    }

    /// Hands out a job. If all threads are gone the next result says so.
    pub(super) fn give(&self, job: Job) {
        let _ = self.jobs.send(job);
    }

    /// The next result of any job; `None` if no thread is left.
    pub(super) fn take(&self) -> Option<Done> {
        self.done.recv().ok()
    }

    /// Gives a batch back.
    pub(super) fn recycle(&self, batch: Batch) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(batch);
    }
}

/// Does jobs as long as there are any and somebody wants to know.
fn work<V: Variant>(
    batcher: &Batcher<'_>,
    encoder: &dyn Encoder,
    spare: &Mutex<Vec<Batch>>,
    next: &dyn Fn() -> Option<Job>,
    tell: &dyn Fn(Done) -> bool,
) {
    let mut sampler = Sampler::<V>::new(batcher.selection, encoder);
    let mut reader = UnitReader::new(batcher.units);
    // The lock is held while waiting: whoever has it is next.
    while let Some(job) = next() {
        let done = match job {
            Job::Decode { ticket, unit, rng } => {
                Done::Decoded { ticket, rows: sampler.rows(&mut reader, unit, rng) }
            }
            Job::Gather { ticket, pool, batch } => {
                let spare = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let mut made = spare.unwrap_or_default();
                encoder.gather(&pool.batch(batch), &mut made);
                Done::Gathered { ticket, batch: made }
            }
        };
        if !tell(done) {
            break;
        }
    }
}
