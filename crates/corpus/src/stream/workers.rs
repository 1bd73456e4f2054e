//! Threads that decode units and put batches together.

use super::frame;
use super::pool::Pool;
use super::rows::{Maker, Plan, Rows};
use super::units::{Unit, UnitReader};
use crate::source::Source;
use features::FeatureSet;
use rules::Variant;
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
    Gathered { ticket: u64, bytes: Vec<u8> },
}

/// The threads, as whoever gives them work sees them.
pub(super) struct WorkerPool {
    jobs: Sender<Job>,
    done: Receiver<Done>,
    /// Buffers to use again.
    spare: Arc<Mutex<Vec<Vec<u8>>>>,
    /// Numbers of a row.
    pub(super) width: usize,
}

impl WorkerPool {
    /// Starts threads, each with a maker of its own. They end when the workers is dropped.
    pub(super) fn start<'s, 'e, V: Variant, F: FeatureSet<V>>(
        scope: &'s Scope<'s, 'e>,
        threads: usize,
        sources: &'e [Source],
        plan: &'e Plan,
        maker: impl Fn() -> Maker<'e, V, F>,
    ) -> Self {
        let (jobs, inbox) = channel::<Job>();
        let (outbox, done) = channel();
        let inbox = Arc::new(Mutex::new(inbox));
        let spare = Arc::new(Mutex::new(Vec::new()));
        for _ in 0..threads {
            let (inbox, outbox, spare) = (Arc::clone(&inbox), outbox.clone(), Arc::clone(&spare));
            let (mut maker, mut reader) = (maker(), UnitReader::new(sources));
            scope.spawn(move || {
                loop {
                    // The lock is held while waiting: whoever has it is next.
                    let job = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = job else { break };
                    let done = work(job, &mut maker, &mut reader, plan, &spare);
                    if outbox.send(done).is_err() {
                        break;
                    }
                }
            });
        }
        Self { jobs, done, spare, width: plan.width() }
    }

    /// Hands out a job. If all threads are gone the next result says so.
    pub(super) fn give(&self, job: Job) {
        let _ = self.jobs.send(job);
    }

    /// The next result of any job; `None` if no thread is left.
    pub(super) fn take(&self) -> Option<Done> {
        self.done.recv().ok()
    }

    /// Gives a buffer back.
    pub(super) fn recycle(&self, bytes: Vec<u8>) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
    }
}

fn work<V: Variant, F: FeatureSet<V>>(
    job: Job,
    maker: &mut Maker<'_, V, F>,
    reader: &mut UnitReader<'_>,
    plan: &Plan,
    spare: &Mutex<Vec<Vec<u8>>>,
) -> Done {
    match job {
        Job::Decode { ticket, unit, rng } => {
            Done::Decoded { ticket, rows: maker.make(reader, unit, rng) }
        }
        Job::Gather { ticket, pool, batch } => {
            let mut bytes =
                spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
            let (epoch, flags) = (pool.epoch, pool.flags(batch));
            frame::fill(&mut bytes, plan.slots, pool.batch(batch), epoch, flags);
            Done::Gathered { ticket, bytes }
        }
    }
}
