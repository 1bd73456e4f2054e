//! The coordinator of a fleet.
//!
//! | file | holds |
//! |---|---|
//! | [`ledger`] | the file that is the truth: runs, tasks, results, workers, owners, faults, orders |
//! | [`coordinator`] | what is handed out, what counts, whom it trusts |
//! | [`service`], [`start`] | a coordinator at work, with workers of its own process; made from what its owner asked for |
//! | [`connections`] | the ways to workers: this process, a broker, a gateway |
//! | [`data_folder`] | the folder of a fleet |
//! | [`orders`] | what people ask a coordinator for, through the ledger |
//! | [`pins`], [`signing`] | files a run names, put into the store; executables signed |
//! | [`export`], [`awaited`] | what a run made, as files; runs that are waited for |
//! | [`leaves`], [`books`] | leaves of a book searched by a fleet; for whoever works on books |
//! | [`players`] | games of reinforcement learning played by a fleet |
//! | [`args`] | the command line of `nue fleet` |
//! | [`status`], [`page`], [`metrics`] | where everything stands, in words, as a page and for Prometheus |
//!
//! A step of the coordinator is one transaction: after a kill it goes on as if nothing had happened, because
//! everything else (the queue, what is known in memory) is made anew from the ledger.
//! Deliberately absent: sockets of its own, printing, and any clock that was not passed in.

pub mod args;
pub mod awaited;
pub mod books;
pub mod connections;
pub mod coordinator;
pub mod data_folder;
pub mod error;
pub mod export;
pub mod leaves;
pub mod ledger;
pub mod metrics;
pub mod orders;
pub mod page;
pub mod pins;
pub mod players;
pub mod service;
pub mod signing;
pub mod start;
pub mod status;

pub use coordinator::{Coordinator, CoordinatorSettings};
pub use data_folder::{DataFolder, Request};
pub use error::FleetError;
pub use ledger::Ledger;
pub use service::Service;
pub use status::Status;
