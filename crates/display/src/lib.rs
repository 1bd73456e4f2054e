//! What is seen of long work: lines that move on a terminal, plain lines now and then elsewhere.
//!
//! | display | of |
//! |---|---|
//! | [`InputBar`] | files being read |
//! | [`OpeningsBar`] | openings being made |
//! | [`PositionsBar`] | positions a net computes |
//! | [`MatchDisplay`], [`Live`] | matches and tunings |
//! | [`SelfPlayDisplay`] | games for a teacher file |
//! | [`TrainingDisplay`] | a training run |
//! | [`GenerationDisplay`] | all of these, one after another |
//! | [`ReinforceDisplay`] | generations of reinforcement learning |
//! | [`mates`] | what is found about problems: a page, a row, JSON |
//!
//! Rooms tell an observer how far they are; these are the observers for people. Everything goes to
//! standard error, but for games as lines of JSON. Deliberately absent: deciding anything.

mod game_match;
mod generation;
mod input;
mod live;
pub mod mates;
mod openings;
mod positions;
mod reinforce;
mod selfplay;
mod training;

pub use game_match::MatchDisplay;
pub use generation::GenerationDisplay;
pub use input::InputBar;
pub use live::Live;
pub use openings::OpeningsBar;
pub use positions::PositionsBar;
pub use reinforce::ReinforceDisplay;
pub use selfplay::SelfPlayDisplay;
pub use training::TrainingDisplay;

use std::io::{self, Write};

/// Says a line to the user.
pub fn say(line: &str) {
    // Where nobody reads it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}
