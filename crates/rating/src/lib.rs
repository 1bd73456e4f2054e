//! Strength from results: ratings of all players at once, by what they scored against each other.
//!
//! The model is Bradley and Terry's on the Elo scale: a player 400 points above another scores ten
//! times as much against it. Draws are half a win and half a loss. Ratings are those under which
//! the results are likeliest; errors come from how much the results scatter around them, so draws
//! and pairs of games from one opening make them as small as they are, not as small as coin flips
//! would.
//!
//! | file | holds |
//! |---|---|
//! | [`results`] | who scored what against whom |
//! | [`elo`] | the scale itself |
//! | [`fit`] | the ratings under which that is likeliest, with errors |
//! | `group` | who can be compared at all |
//! | `matrix` | linear equations |
//!
//! Deliberately absent: names, files, clocks, and games themselves.

pub mod elo;
pub mod fit;
mod group;
mod matrix;
pub mod results;

pub use elo::{elo_of, score_of};
pub use fit::{Fit, Rating, Terms};
pub use results::Results;
