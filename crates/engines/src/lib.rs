//! One way to play with an engine, wherever it runs: inside this process, or in a process of its
//! own that speaks USI.
//!
//! | file | holds |
//! |---|---|
//! | [`player`] | [`Player`]: what whoever plays must be able to do; questions and answers |
//! | [`handle`] | [`SearchHandle`]: stop, ponder hit and abandon while it thinks |
//! | [`fault`] | crash, stall, time, illegal, protocol: what an engine did wrong |
//! | [`local`] | [`LocalPlayer`]: an engine of this process |
//! | [`usi_player`] | [`UsiPlayer`]: a USI program |
//! | [`settings`] | how a player is set up, and how its process is started |
//! | `process`, `reader` | the process and what it says |
//! | `running` | the end of a process, with all it started, and its last words |
//! | [`lines`] | conversations line by line, for who leads many at a time |
//! | [`answers`] | what the last line of a search means |
//! | [`traffic`] | the conversation with a program, line by line in a file |
//! | [`game_rules`] | what an engine is told of the rules, by its options |
//! | [`introduction`] | what an engine says about itself |
//! | [`line`] | a game as engines are told of it |
//! | [`background`] | [`BackgroundPlayer`]: the same without blocking, for event loops |
//! | [`shell`] | the other side: an engine of this process that speaks USI |
//! | [`search_table`] | what a search says, as a table for people |
//! | [`valuation`] | static values of positions, a line each |
//! | `run_delay` | how long a processor was waited for |
//!
//! An engine is judged by what it sends, never trusted: it may crash, hang, lie or flood, and all of
//! that comes back as a value. Deliberately absent: games, results, printing, and any clock that
//! was not passed in.

pub mod answers;
pub mod background;
pub mod fault;
pub mod game_rules;
pub mod handle;
pub mod introduction;
pub mod line;
pub mod lines;
pub mod local;
pub mod player;
mod process;
mod reader;
mod run_delay;
mod running;
pub mod search_table;
pub mod settings;
pub mod shell;
pub mod traffic;
pub mod usi_player;
pub mod valuation;

pub use background::{BackgroundPlayer, PlayerEvent};
pub use fault::{EngineFault, FaultKind, PlayerError};
pub use game_rules::rule_options;
pub use handle::SearchHandle;
pub use introduction::Introduction;
pub use line::GameLine;
pub use local::{EngineFactory, LocalPlayer};
pub use player::{Allowed, Conclusion, Decision, Player, SearchRequest};
pub use settings::{Increments, PlayerSettings, ProgramCommand};
pub use traffic::TrafficLog;
pub use usi_player::UsiPlayer;
pub use valuation::Valuation;
