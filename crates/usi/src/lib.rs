//! The USI protocol as a grammar: lines of text to values and back, both ways.
//!
//! | file | holds |
//! |---|---|
//! | [`command`] | what a GUI says to an engine |
//! | [`position`] | the `position` command and the position it means |
//! | [`go`] | the `go` and `ponderhit` commands and the limits they mean |
//! | [`reply`] | what an engine says to a GUI |
//! | [`info`] | the `info` line |
//! | [`option`] | the `option` line |
//! | [`words`] | words, numbers, and why a line is not USI |
//!
//! A line is first read as typed (moves stay text, every parameter its own field) and only then
//! interpreted, where a position is at hand. Both halves of the conversation are here because a
//! match runner reads what an engine writes.
//!
//! Deliberately absent: playing, input and output, waiting, any state.

pub mod command;
pub mod go;
pub mod info;
pub mod option;
pub mod position;
pub mod reply;
pub mod words;

pub use command::{Command, GameResult};
pub use go::{Go, GoError, MateTime, Times};
pub use info::Info;
pub use position::{PositionError, SetPosition, Start};
pub use reply::{BestMove, Checkmate, Reply};
pub use words::ParseError;
