//! A client of CSA servers: plays with our engine or any USI program, or by hand at a terminal.
//!
//! | file | holds |
//! |---|---|
//! | `session` | the conversation, without sockets or clock: lines in, actions out |
//! | `time_budget` | what the engine is told of the clocks, and the margin for the network |
//! | `fallback` | a move when the engine has none |
//! | `player`, `engine_terms` | the engine, and what it is told of a game's rules |
//! | `connection` | the socket |
//! | `online` | games on a server |
//! | `manual`, `local_game` | a game against somebody whose moves are typed in |
//! | `records` | what is kept: records, a log of the conversation |
//! | `inputs` | what happens to a client, from all sides |
//!
//! Deliberately absent: printing and reading the keyboard, which is the caller's; and the server:
//! a client knows the protocol, not who speaks it.

mod connection;
mod engine_terms;
mod error;
mod fallback;
mod inputs;
mod local_game;
mod manual;
mod online;
mod player;
mod records;
mod session;
mod time_budget;

pub use error::Error;
pub use inputs::{Events, UserInput};
pub use manual::{ManualSettings, play_manually};
pub use online::{OnlineSettings, play_online};
pub use player::EngineSettings;
pub use session::{OngoingGame, SessionSettings};

use rules::AnyPosition;

/// What a client tells its user.
pub enum Report<'a> {
    /// A remark.
    Note(&'a str),
    /// A move was made, or the game began.
    Game(&'a OngoingGame),
    /// The user asked for the board.
    Board(&'a AnyPosition),
}

/// Where reports go; an error ends the client.
pub type Reporter<'a> = &'a mut dyn FnMut(Report<'_>) -> std::io::Result<()>;
