//! Forced mates.
//!
//! | file | holds |
//! |---|---|
//! | [`one`] | mate in one without playing a move |
//! | [`three`] | mate in three for the leaves of a search |
//!
//! Deliberately absent: evaluation, text protocols, files, printing, and any clock that was not
//! passed in.

pub mod one;
pub mod three;

pub use one::mate_in_one;
pub use three::mate_in_three;
mod budget;
mod dfpn;
mod expand;
mod hands;
mod node;
pub mod solve;
mod table;
mod tree;
pub use budget::Unknown;
pub use solve::{Bounds, Solution, Verdict, solve};
