//! The server as a whole: on a port of its own, with real engines and dummies.

mod analyse;
mod door;
mod harness;
mod levels;
mod play;
