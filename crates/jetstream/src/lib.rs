//! The fleet's queue over NATS JetStream, for work that outgrows one machine.
//!
//! The coordinator is the [`Host`]: it decides who gets what, as the queue inside one process does, and
//! answers nothing before the broker has stored what the answer promises. Workers [`join`] by the broker and
//! ask there. Host, workers and broker may die at any point and come back.
//!
//! | file | holds |
//! |---|---|
//! | [`options`] | where the broker is, and how to log in to it |
//! | `link` | one connection: streams, publishing, reading back |
//! | `journal` | what is written of leases, and what it adds up to |
//! | `writer` | writes events and journal, in order, until it is done |
//! | [`host`] | the queue itself |
//! | `blobs` | bytes by their hash, in pieces |
//! | [`lines`] | the same connection for conversations with engines |
//! | [`joined`] | the other end: a queue reached through the broker |
//!
//! Deliberately absent: who may do what (the broker's accounts and the coordinator know), printing.

mod blobs;
pub mod host;
pub mod joined;
mod journal;
pub mod lines;
mod link;
pub mod options;
mod writer;

pub use host::Host;
pub use joined::{Joined, join};
pub use options::{Options, StartError, new_nkey};
