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
//! The search is compiled in its own room, once for each game and for an evaluation of any kind (`eval::AnyEvaluator`). Above this room an engine is `Box<dyn Engine>`.
//! Deliberately absent: command lines and printing.

// In a browser there are no files, programs or libraries to find, and nets come over the wire: what looks for
// them is left out there, and with it the tree search.
pub mod bench;
#[cfg(not(target_family = "wasm"))]
pub mod books;
#[cfg(not(target_family = "wasm"))]
pub mod deep;
#[cfg(not(target_family = "wasm"))]
pub mod equipped;
pub mod evaluation;
#[cfg(not(target_family = "wasm"))]
pub mod health;
#[cfg(not(target_family = "wasm"))]
pub mod leaves;
#[cfg(not(target_family = "wasm"))]
pub mod options;
#[cfg(not(target_family = "wasm"))]
pub mod own;
mod search;
#[cfg(not(target_family = "wasm"))]
mod shipped;

#[cfg(not(target_family = "wasm"))]
pub use deep::{shipped_tree_search, tree_search};
#[cfg(not(target_family = "wasm"))]
pub use equipped::{Equipped, engine};
pub use evaluation::{Evaluation, LoadError};
#[cfg(not(target_family = "wasm"))]
pub use own::OwnSearch;
pub use search::{Judge, judge, search};
#[cfg(not(target_family = "wasm"))]
pub use shipped::{shipped, shipped_file};
