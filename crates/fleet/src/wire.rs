//! The calls of [`Queue`] as values, for whatever carries them: one definition for every connection.
//!
//! A [`Remote`] is a queue at the other end of a [`Transport`]; [`answer_to`] is what the other end does.

use crate::batch::{Batch, Fault};
use crate::names::{BlobHash, Pool, RunId, WorkerId};
use crate::queue::{
    Cursor, Event, Finished, Holding, Lease, LeaseKey, Occupancy, Offered, Queue, QueueError,
    Settings,
};
use crate::task::Task;
use crate::worker::{Standing, Worker};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::time::{Duration, Instant};

/// A call.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    Announce {
        worker: Box<Worker>,
    },
    Lease {
        worker: WorkerId,
        pools: Vec<Pool>,
        wait_ms: u64,
    },
    Extend {
        key: LeaseKey,
    },
    Finish {
        key: LeaseKey,
        batch: Box<Batch>,
    },
    Fail {
        key: LeaseKey,
        fault: Fault,
    },
    Offer {
        task: Box<Task>,
    },
    Withdraw {
        run: RunId,
    },
    Stand {
        worker: WorkerId,
        standing: Standing,
    },
    Drain {
        draining: bool,
    },
    Watch {
        after: Cursor,
        most: usize,
        wait_ms: u64,
    },
    Acknowledge {
        upto: Cursor,
    },
    Occupancy,
    Leases,
    /// The settings the queue keeps to.
    Settings,
}

/// What a call gave.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    Done,
    Offered(Offered),
    Leased(Option<Box<Lease>>),
    Finished(Finished),
    Events(Vec<(Cursor, Event)>),
    Occupancy(Occupancy),
    Leases(Vec<Holding>),
    Settings(Box<Settings>),
}

impl Call {
    /// In a word.
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Announce { .. } => "announce",
            Self::Lease { .. } => "lease",
            Self::Extend { .. } => "extend",
            Self::Finish { .. } => "finish",
            Self::Fail { .. } => "fail",
            Self::Offer { .. } => "offer",
            Self::Withdraw { .. } => "withdraw",
            Self::Stand { .. } => "stand",
            Self::Drain { .. } => "drain",
            Self::Watch { .. } => "watch",
            Self::Acknowledge { .. } => "acknowledge",
            Self::Occupancy => "occupancy",
            Self::Leases => "leases",
            Self::Settings => "settings",
        }
    }

    /// The worker that speaks; `None` for calls that only the coordinator makes, and for what anybody may ask.
    pub const fn worker(&self) -> Option<&WorkerId> {
        match self {
            Self::Announce { worker } => Some(&worker.id),
            Self::Lease { worker, .. } => Some(worker),
            Self::Extend { key } | Self::Finish { key, .. } | Self::Fail { key, .. } => {
                Some(&key.worker)
            }
            _ => None,
        }
    }

    /// Whether only the coordinator may make it.
    pub const fn is_coordinators(&self) -> bool {
        self.worker().is_none() && !matches!(self, Self::Settings)
    }

    /// How long the other end may take to answer of its own will.
    pub const fn wait(&self) -> Duration {
        match self {
            Self::Lease { wait_ms, .. } | Self::Watch { wait_ms, .. } => {
                Duration::from_millis(*wait_ms)
            }
            _ => Duration::ZERO,
        }
    }
}

/// Makes a call of a queue. Blocks as long as the call says.
pub fn answer_to(queue: &dyn Queue, call: Call) -> Result<Answer, QueueError> {
    let wait = call.wait();
    Ok(match call {
        Call::Announce { worker } => done(queue.announce(&worker)?),
        Call::Lease { worker, pools, .. } => {
            Answer::Leased(queue.lease(&worker, &pools, wait)?.map(Box::new))
        }
        Call::Extend { key } => done(queue.extend(&key)?),
        Call::Finish { key, batch } => Answer::Finished(queue.finish(&key, &batch)?),
        Call::Fail { key, fault } => done(queue.fail(&key, &fault)?),
        Call::Offer { task } => Answer::Offered(queue.offer(&task)?),
        Call::Withdraw { run } => done(queue.withdraw(run)?),
        Call::Stand { worker, standing } => done(queue.stand(&worker, standing)?),
        Call::Drain { draining } => done(queue.drain(draining)?),
        Call::Watch { after, most, .. } => Answer::Events(queue.watch(after, most, wait)?),
        Call::Acknowledge { upto } => done(queue.acknowledge(upto)?),
        Call::Occupancy => Answer::Occupancy(queue.occupancy()?),
        Call::Leases => Answer::Leases(queue.leases()?),
        Call::Settings => Answer::Settings(Box::new(queue.settings().clone())),
    })
}

const fn done((): ()) -> Answer {
    Answer::Done
}

/// What carries calls and blobs to a queue elsewhere.
pub trait Transport: Send + Sync {
    /// Carries a call there and its answer back.
    fn call(&self, call: &Call) -> Result<Answer, QueueError>;

    /// As [`Queue::put_blob`].
    fn put_blob(&self, bytes: &[u8]) -> Result<BlobHash, QueueError>;

    /// As [`Queue::blob_length`].
    fn blob_length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError>;

    /// As [`Queue::get_blob`].
    fn get_blob(&self, hash: &BlobHash, range: Range<u64>) -> Result<Vec<u8>, QueueError>;

    /// The longest one call may wait for something to happen: who waits longer asks again, so that a connection that
    /// broke unnoticed costs no more than this.
    fn patience(&self) -> Duration;
}

/// A queue elsewhere.
#[derive(Debug)]
pub struct Remote<T> {
    transport: T,
    settings: Settings,
}

impl<T: Transport> Remote<T> {
    /// Asks the other end for its settings.
    pub fn new(transport: T) -> Result<Self, QueueError> {
        match transport.call(&Call::Settings)? {
            Answer::Settings(settings) => Ok(Self { transport, settings: *settings }),
            other => Err(strange(&other)),
        }
    }

    /// What carries the calls.
    pub const fn transport(&self) -> &T {
        &self.transport
    }

    fn done(&self, call: &Call) -> Result<(), QueueError> {
        match self.transport.call(call)? {
            Answer::Done => Ok(()),
            other => Err(strange(&other)),
        }
    }

    /// Makes a call that waits, in pieces, until `ready` finds something in the answer.
    fn until<R>(
        &self,
        wait: Duration,
        call: impl Fn(u64) -> Call,
        ready: impl Fn(Answer) -> Result<Option<R>, QueueError>,
    ) -> Result<Option<R>, QueueError> {
        let begun = Instant::now();
        loop {
            let left = wait.saturating_sub(begun.elapsed());
            let piece = left.min(self.transport.patience());
            let millis = u64::try_from(piece.as_millis()).unwrap_or(u64::MAX);
            let found = ready(self.transport.call(&call(millis))?)?;
            if found.is_some() || left <= piece {
                return Ok(found);
            }
        }
    }
}

fn strange(answer: &Answer) -> QueueError {
    QueueError::Unavailable { reason: format!("it gave an answer to something else: {answer:?}") }
}

impl<T: Transport> Queue for Remote<T> {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn offer(&self, task: &Task) -> Result<Offered, QueueError> {
        match self.transport.call(&Call::Offer { task: Box::new(task.clone()) })? {
            Answer::Offered(offered) => Ok(offered),
            other => Err(strange(&other)),
        }
    }

    fn withdraw(&self, run: RunId) -> Result<(), QueueError> {
        self.done(&Call::Withdraw { run })
    }

    fn announce(&self, worker: &Worker) -> Result<(), QueueError> {
        self.done(&Call::Announce { worker: Box::new(worker.clone()) })
    }

    fn stand(&self, worker: &WorkerId, standing: Standing) -> Result<(), QueueError> {
        self.done(&Call::Stand { worker: worker.clone(), standing })
    }

    fn lease(
        &self,
        worker: &WorkerId,
        pools: &[Pool],
        wait: Duration,
    ) -> Result<Option<Lease>, QueueError> {
        let call = |wait_ms| Call::Lease { worker: worker.clone(), pools: pools.to_vec(), wait_ms };
        self.until(wait, call, |answer| match answer {
            Answer::Leased(lease) => Ok(lease.map(|lease| *lease)),
            other => Err(strange(&other)),
        })
    }

    fn extend(&self, key: &LeaseKey) -> Result<(), QueueError> {
        self.done(&Call::Extend { key: key.clone() })
    }

    fn finish(&self, key: &LeaseKey, batch: &Batch) -> Result<Finished, QueueError> {
        let call = Call::Finish { key: key.clone(), batch: Box::new(batch.clone()) };
        match self.transport.call(&call)? {
            Answer::Finished(finished) => Ok(finished),
            other => Err(strange(&other)),
        }
    }

    fn fail(&self, key: &LeaseKey, fault: &Fault) -> Result<(), QueueError> {
        self.done(&Call::Fail { key: key.clone(), fault: fault.clone() })
    }

    fn drain(&self, draining: bool) -> Result<(), QueueError> {
        self.done(&Call::Drain { draining })
    }

    fn watch(
        &self,
        after: Cursor,
        most: usize,
        wait: Duration,
    ) -> Result<Vec<(Cursor, Event)>, QueueError> {
        let call = |wait_ms| Call::Watch { after, most, wait_ms };
        let events = self.until(wait, call, |answer| match answer {
            Answer::Events(events) => Ok((!events.is_empty()).then_some(events)),
            other => Err(strange(&other)),
        });
        Ok(events?.unwrap_or_default())
    }

    fn acknowledge(&self, upto: Cursor) -> Result<(), QueueError> {
        self.done(&Call::Acknowledge { upto })
    }

    fn put_blob(&self, bytes: &[u8]) -> Result<BlobHash, QueueError> {
        self.transport.put_blob(bytes)
    }

    fn blob_length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError> {
        self.transport.blob_length(hash)
    }

    fn get_blob(&self, hash: &BlobHash, range: Range<u64>) -> Result<Vec<u8>, QueueError> {
        self.transport.get_blob(hash, range)
    }

    fn occupancy(&self) -> Result<Occupancy, QueueError> {
        match self.transport.call(&Call::Occupancy)? {
            Answer::Occupancy(occupancy) => Ok(occupancy),
            other => Err(strange(&other)),
        }
    }

    fn leases(&self) -> Result<Vec<Holding>, QueueError> {
        match self.transport.call(&Call::Leases)? {
            Answer::Leases(leases) => Ok(leases),
            other => Err(strange(&other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InProcess;
    use crate::conformance::{self, Harness};
    use std::sync::Arc;
    use think::{ManualTime, TimeSource};

    /// Everything said becomes text and is read again.
    struct Spoken(InProcess);

    impl Transport for Spoken {
        fn call(&self, call: &Call) -> Result<Answer, QueueError> {
            let text = serde_json::to_string(call).unwrap();
            let heard: Call = serde_json::from_str(&text).unwrap();
            assert_eq!(heard, *call);
            let text = serde_json::to_string(&answer_to(&self.0, heard)).unwrap();
            serde_json::from_str(&text).unwrap()
        }

        fn put_blob(&self, bytes: &[u8]) -> Result<BlobHash, QueueError> {
            self.0.put_blob(bytes)
        }

        fn blob_length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError> {
            self.0.blob_length(hash)
        }

        fn get_blob(&self, hash: &BlobHash, range: Range<u64>) -> Result<Vec<u8>, QueueError> {
            self.0.get_blob(hash, range)
        }

        fn patience(&self) -> Duration {
            Duration::from_millis(10)
        }
    }

    struct Virtual(Arc<ManualTime>);

    impl Harness for Virtual {
        fn queue(&self, settings: Settings) -> Arc<dyn Queue> {
            let time = Arc::clone(&self.0) as Arc<dyn TimeSource>;
            Arc::new(Remote::new(Spoken(InProcess::new(settings, time))).unwrap())
        }

        fn settings(&self) -> Settings {
            Settings::default()
        }

        fn pass(&self, time: Duration) {
            self.0.advance(time);
        }
    }

    #[test]
    fn a_queue_elsewhere_keeps_the_contract() {
        conformance::all(&Virtual(Arc::new(ManualTime::new())));
    }

    #[test]
    fn every_call_has_one_side() {
        let worker = conformance::name("a");
        let lease = Call::Lease { worker: worker.clone(), pools: vec![], wait_ms: 5 };
        assert_eq!((lease.worker(), lease.is_coordinators()), (Some(&worker), false));
        assert_eq!(lease.wait(), Duration::from_millis(5));
        assert!(Call::Drain { draining: true }.is_coordinators());
        assert!(!Call::Settings.is_coordinators());
    }
}
