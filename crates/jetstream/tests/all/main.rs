//! The queue over a real broker. Each test starts a `nats-server` of its own where one is installed.

mod contract;
mod deaths;
mod lines;
mod login;
