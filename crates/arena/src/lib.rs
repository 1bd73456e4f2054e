//! Games between engines: matches, openings, statistics.
//!
//! | file | holds |
//! |---|---|
//! | [`game`] | one game by our own rules, whoever thinks |
//! | [`timed_game`] | the same between two players with clocks |
//! | [`referee`], [`adjudication`] | how games end |
//! | [`spec`], [`clock`] | how engines are started and how long they think |
//! | [`opening`], [`making`] | where games begin; making such places |
//! | [`schedule`], [`runner`] | which games, several at a time |
//! | [`stats`], [`standings`] | Elo, pentanomial pairs, SPRT; where a match stands |
//! | [`record`], [`ledger`], [`journal`] | games as records; a match on disk, to be resumed |
//! | [`spsa`], [`tuning`] | numbers of the engine tuned by games against itself |
//! | [`selfplay`] | one engine against itself, for teacher data |
//!
//! Who plays comes from room `engines` and is judged by what it sends, never trusted: it may crash,
//! hang, lie or flood, and loses one game by it. Deliberately absent: printing, command lines, and any clock that was not
//! passed in.

pub mod adjudication;
pub mod clock;
pub mod game;
pub mod ledger;
pub mod making;
pub mod opening;
mod plan;
pub mod record;
pub mod referee;
pub mod runner;
pub mod schedule;
pub mod seed;
pub mod selfplay;
pub mod spec;
pub mod spsa;
pub mod standings;
pub mod stats;
pub mod timed_game;
pub mod tuning;

pub use durable as journal;
pub use opening::Opening;
pub use runner::{Event, Finished, Flow, MatchRunner, Plan};
pub use schedule::{Format, Schedule, Ticket};
pub use spec::EngineSpec;
