//! The engines of this program, put together.
//!
//! | file | holds |
//! |---|---|
//! | [`evaluation`] | what evaluates, and finding it on disk |
//! | [`search()`] | the one `match` on the game and on what evaluates |
//! | [`shipped()`] | the nets inside the executable |
//! | [`deep`] | policy-value nets for the tree search |
//! | [`own`] | either search with what it plays by, loaded once for many engines |
//! | [`equipped`] | an engine that loads its evaluation by options |
//! | [`books`] | opening books in play |
//! | [`bench`] | fixed positions at a fixed depth, for the signature |
//! | [`health`] | whether machine, nets and engine are as they should be |
//! | [`options`] | every option of our engine, by key |
//!
//! The search is generic over its evaluation and compiled once for each: all of that happens here,
//! so that whoever uses engines compiles none. Above this room an engine is `Box<dyn Engine>`.
//! Deliberately absent: command lines and printing.

pub mod bench;
pub mod books;
pub mod deep;
pub mod equipped;
pub mod evaluation;
pub mod health;
pub mod leaves;
pub mod options;
pub mod own;
mod search;
mod shipped;

pub use equipped::Equipped;
pub use evaluation::{Evaluation, LoadError};
pub use own::OwnSearch;
pub use search::{Judge, engine, judge, search, shipped_tree_search, tree_search};
pub use shipped::shipped;
