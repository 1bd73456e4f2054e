//! One queue of work for one machine or a thousand.
//!
//! | file | holds |
//! |---|---|
//! | [`names`] | names of runs, tasks, workers, owners, pools; blobs by their hash |
//! | [`task`] | what is to be done: [`Spec`], [`Unit`], [`Task`] |
//! | [`batch`] | what came of it: [`Batch`], [`Product`], [`Fault`] |
//! | [`worker`] | who does it |
//! | [`queue`] | the one trait, [`Queue`], with its contract |
//! | [`in_process`] | the queue inside one process |
//! | [`blobs`] | bytes by their hash, in memory or in a folder |
//! | [`wire`] | the trait's calls as values, and a queue at the other end of a connection |
//! | [`conformance`] | the tests every queue must pass, to be called with a harness |
//!
//! Deliberately absent: sockets, databases, printing, and any clock that was not passed in.

pub mod batch;
pub mod blobs;
pub mod conformance;
pub mod in_process;
pub mod names;
pub mod queue;
pub mod task;
pub mod wire;
pub mod worker;

pub use batch::{Batch, Fault, FaultKind, Product, Usage};
pub use in_process::InProcess;
pub use names::{BlobHash, OwnerName, Pool, RunId, TaskId, WorkerId};
pub use queue::{
    Cursor, Event, Finished, Lease, LeaseKey, Occupancy, Offered, Queue, QueueError, Settings,
};
pub use task::{Needs, Pins, Priority, Spec, Task, Unit};
pub use worker::{Standing, Worker};
