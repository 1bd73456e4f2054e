//! What is seen of long work: lines that move on a terminal, plain lines now and then elsewhere.

mod game_match;
mod input;
mod openings;
mod selfplay;
mod training;

pub(crate) use game_match::MatchDisplay;
pub(crate) use input::InputBar;
pub(crate) use openings::OpeningsBar;
pub(crate) use selfplay::SelfPlayDisplay;
pub(crate) use training::TrainingDisplay;

use std::io::{self, Write};

/// Says a line to the user.
pub(crate) fn say(line: &str) {
    // Where nobody reads it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}
