//! One queue of work for one machine or a thousand.
//!
//! | file | holds |
//! |---|---|
//! | [`names`] | names of runs, tasks, workers, owners, pools; blobs by their hash |
//! | [`task`], [`needs`] | what is to be done: [`Spec`], [`Unit`], [`Task`]; what it takes: [`Needs`] |
//! | [`batch`], [`bytes`] | what came of it: [`Batch`], [`Product`], [`Fault`] |
//! | [`game_record`] | games as they travel, and replayed by the rules before they count |
//! | [`leaves`], [`books`] | leaves of books: searched, and as they travel; for whoever works on books |
//! | [`mates`] | answers to problems of mate as they travel, and what is checked of them |
//! | [`worker`] | who does it |
//! | [`queue`] | the one trait, [`Queue`], with its contract |
//! | [`in_process`] | the queue inside one process |
//! | [`blobs`] | bytes by their hash, in memory or in a folder |
//! | [`perform`], [`files`] | a task done by the rooms that can, with the files it names |
//! | [`signed`] | executables that come with a run, and where they run |
//! | [`work`] | a worker: lease, do, extend, finish |
//! | [`driver`] | a run: what is to be handed out, what counts, when it is over |
//! | [`residuals`] | workers whose results differ from the others' |
//! | [`exchange`] | one command's work through a queue in the same process |
//! | [`wire`] | the trait's calls as values, and a queue at the other end of a connection |
//! | [`conformance`] | the tests every queue must pass, to be called with a harness |
//!
//! Deliberately absent: sockets, databases, printing, and any clock that was not passed in.

pub mod batch;
pub mod blobs;
pub mod books;
pub mod bytes;
pub mod conformance;
pub mod driver;
pub mod exchange;
pub mod files;
pub mod game_record;
pub mod in_process;
pub mod leaves;
pub mod mates;
pub mod names;
pub mod needs;
pub mod perform;
pub mod queue;
pub mod residuals;
pub mod signed;
pub mod task;
pub mod wire;
pub mod work;
pub mod worker;

pub use batch::{Batch, Fault, FaultKind, Product, Usage};
pub use in_process::InProcess;
pub use names::{BlobHash, OwnerName, Pool, RunId, TaskId, WorkerId};
pub use needs::Needs;
pub use queue::{
    Cursor, Event, Finished, Lease, LeaseKey, Occupancy, Offered, Queue, QueueError, Settings,
};
pub use task::{
    Input, LeavesSpec, MatchSpec, MateSpec, Pins, Priority, RescoreSpec, SelfPlaySpec, Spec, Task,
    Unit,
};
pub use worker::{Standing, Worker};
