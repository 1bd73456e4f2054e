//! Forced mates.
//!
//! | file | holds |
//! |---|---|
//! | [`one`] | mate in one without playing a move |
//! | [`three`] | mate in three for the leaves of a search |
//! | [`solve`] | the solver: questions and answers |
//! | [`engine`] | the same for engines: `go mate` |
//! | [`study`] | everything asked about one problem, and the answers in words |
//! | `verdict_counts` | what became of many problems |
//! | [`futile`] | which interpositions do not count in composed problems |
//! | [`verify`] | the checker of proof files |
//! | `dfpn`, `node`, `expand`, `leaf`, `hands`, `table` | depth-first proof-number search |
//! | `tree`, `refutation`, `proof` | from the table to proofs and disproofs, and to files |
//! | `counted` | length and line by a definition of futile replies |
//! | `budget` | when to stop |
//!
//! Deliberately absent: evaluation, text protocols, files, printing, and any clock that was not
//! passed in.

mod budget;
mod counted;
mod dfpn;
pub mod engine;
mod expand;
pub mod futile;
mod hands;
mod leaf;
mod node;
pub mod one;
mod proof;
mod refutation;
pub mod solve;
pub mod study;
mod table;
pub mod three;
mod tree;
mod verdict_counts;
pub mod verify;

pub use budget::Unknown;
pub use counted::Counted;
pub use engine::{answer, report_answer, solve_any};
pub use futile::Futile;
pub use one::{Pressure, mate_in_one, mate_threat, pressure};
pub use solve::{Bounds, Memory, Solution, Solver, Try, Verdict, solve};
pub use study::{Questions, Study, study};
pub use three::mate_in_three;
pub use tree::Branch;
pub use verdict_counts::VerdictCounts;
pub use verify::{Claim, ProofError, Verified, verify};
