//! What results mean: scores, Elo with error bars, likelihoods, and when to stop.
//!
//! Games come in pairs, the same opening from both sides. A pair is the unit of observation: its
//! two games share an opening that may favour one colour, so they are not independent, and counting
//! them singly makes error bars too wide. The five possible pair results are the pentanomial
//! distribution.

mod elo;
mod score;
mod sprt;

pub use elo::{CI95, Estimate, Interval};
pub use rating::{elo_of, score_of};
pub use score::{MatchScore, PairCounter};
pub use sprt::{EloModel, Sprt, SprtError, Verdict};
