//! Whole games in virtual time, against children that do everything wrong.
//!
//! Nothing waits: an hour of play takes as long as the master needs to think about it. Every child
//! is a small script with a seed; what goes wrong, when, and how long anything takes on its way
//! are drawn from it, so that a game that fails can be played again.
//!
//! | file | holds |
//! |---|---|
//! | `world` | virtual time: everything that is on its way, in order |
//! | `script`, `game` | a child that does everything wrong, and a game with such children |
//! | `thinker`, `duel` | an engine whose time is counted in nodes, and a game between two masters |

mod duel;
mod game;
mod script;
mod thinker;
mod world;

pub use duel::{DuelReport, DuelSettings, Side, SideReport, play_duel, play_logged_duel};
pub use game::{GameReport, GameSettings, play_game};
pub use script::Misbehaviour;
pub use thinker::Thinker;
