//! Whole games in virtual time, against children that do everything wrong.
//!
//! Nothing waits: an hour of play takes as long as the master needs to think about it. Every child
//! is a small script with a seed; what goes wrong, when, and how long anything takes on its way
//! are drawn from it, so that a game that fails can be played again.

mod game;
mod script;
mod world;

pub use game::{GameReport, GameSettings, play_game};
pub use script::Misdeed;
