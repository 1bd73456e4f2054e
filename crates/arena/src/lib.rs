//! Games between engines: matches, openings, statistics.
//!
//! | file | holds |
//! |---|---|
//! | [`game`] | one game by our own rules, whoever thinks |
//! | [`timed_game`] | the same between two players with clocks |
//! | [`ending`], [`adjudication`] | how games end |
//! | [`spec`], [`time_control`] | how engines are started and how long they think |
//! | [`opening`], [`opening_maker`] | where games begin; making openings |
//! | [`request`], [`config_file`] | what somebody asks for, made into a plan |
//! | [`schedule`], [`runner`] | which games, several at a time |
//! | [`progress`], [`summary`] | a match under way: counted, written down, told |
//! | [`stats`], [`standings`], [`time_use`] | Elo, pentanomial pairs, SPRT; where a match stands; time used |
//! | [`engine_logs`] | what is said to and by the engines |
//! | [`record`], [`ledger`], [`journal`] | games as records; a match on disk, to be resumed |
//! | [`live`] | the games being played, in a file for whoever looks on |
//! | [`spsa`], [`parameters`], [`tuning`], [`tuning_log`], [`tuning_table`], [`tuning_request`] | numbers of the engine tuned by games against itself |
//! | [`selfplay`] | one engine against itself, for teacher data |
//!
//! Who plays comes from room `engines` and is judged by what it sends, never trusted: it may crash,
//! hang, lie or flood, and loses one game by it. Deliberately absent: printing, command lines, and any clock that was not
//! passed in.

pub mod adjudication;
mod as_text;
pub mod config_file;
pub mod ending;
pub mod engine_logs;
pub mod game;
pub mod ledger;
pub mod live;
pub mod opening;
pub mod opening_maker;
pub mod parameters;
mod plan;
pub mod progress;
pub mod record;
pub mod request;
pub mod runner;
pub mod schedule;
pub mod selfplay;
pub mod spec;
pub mod spsa;
pub mod standings;
pub mod stats;
pub mod summary;
pub mod time_control;
pub mod time_use;
pub mod timed_game;
pub mod tuning;
pub mod tuning_log;
pub mod tuning_request;
pub mod tuning_table;

pub use engine_logs::EngineLogs;
pub use game::game_rules;
pub use opening::Opening;
pub use runner::{Event, Finished, Flow, MatchRunner, Plan, Seat};
pub use schedule::{Format, Schedule, ScheduledGame};
pub use spec::EngineSpec;
