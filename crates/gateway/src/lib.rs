//! The fleet's queue over HTTPS, for workers that nobody has to trust.
//!
//! A worker has a token; the gateway knows whose it is, lets it speak for itself alone, keeps it within limits, and
//! counts and names whatever it refuses. Behind it is any [`fleet::Queue`].
//!
//! | file | holds |
//! |---|---|
//! | [`tokens`] | who may come in |
//! | [`limits`] | how much and how often |
//! | [`refusals`] | what was refused to whom, counted |
//! | `listener` | connections, encrypted, with bounds |
//! | [`server`] | the addresses |
//! | `stored` | blobs over HTTP: whole, in ranges, put |
//! | [`client`] | the worker's side: a queue over HTTPS |
//!
//! Deliberately absent: what tasks and results mean. Results are judged by the coordinator.

pub mod client;
pub mod limits;
mod listener;
pub mod refusals;
pub mod server;
mod stored;
pub mod tokens;

pub use client::{Https, connect};
pub use limits::Limits;
pub use refusals::{Refusal, Refusals};
pub use server::{Config, Gateway, StartError};
pub use tokens::{Identity, TokenError, Tokens};
