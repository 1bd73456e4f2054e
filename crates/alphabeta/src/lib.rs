//! A small alpha-beta search behind the [`think::Engine`] seam.
//!
//! | file | holds |
//! |---|---|
//! | [`engine`] | the seam: one worker thread, options, what happens when the worker fails |
//! | `search` | iterative deepening, negamax, quiescence |
//! | `order` | which move is read first |
//! | `budget` | how much time a move may take |
//! | `material` | the evaluation |
//!
//! Deliberately absent: a transposition table, more than one thread, text of any protocol.

mod budget;
pub mod engine;
mod material;
mod order;
mod search;

pub use engine::{AlphaBeta, Playable};
