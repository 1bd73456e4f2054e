//! The CSA server protocol 1.2.1 as a grammar: lines of text to values and back, both ways.
//!
//! | file | holds |
//! |---|---|
//! | [`lines`] | bytes of a stream cut into lines, whatever the packets were |
//! | [`client`] | what a client says to a server |
//! | [`extended`] | the `%%` commands of extended mode |
//! | [`server`] | what a server says to a client |
//! | [`ending`] | the two lines that end a game |
//! | [`summary`], [`reader`] | the `Game_Summary` block; whole messages out of lines |
//! | [`times`], `clock` | the `Time` blocks, and how a clock counts by them |
//! | [`names`] | user names, passwords, game names such as `floodgate-300-10F` |
//! | [`comment`] | evaluation and line that clients add to a move |
//! | [`record`] | a game played by the protocol, as a record |
//!
//! The dialect of shogi-server (floodgate) is part of it: game name in the password, extended
//! mode, comments. Deliberately absent: playing, judging, clocks, input and output.

pub mod client;
mod clock;
pub mod comment;
pub mod ending;
pub mod extended;
pub mod lines;
pub mod names;
pub mod reader;
pub mod record;
pub mod server;
pub mod summary;
pub mod times;

pub use client::{ClientLine, Special};
pub use comment::Comment;
pub use ending::{ReasonWord, Verdict};
pub use extended::Extended;
pub use lines::{Received, Splitter};
pub use names::{GameName, Secret, UserName};
pub use reader::{Message, MessageReader};
pub use server::ServerLine;
pub use summary::{Played, Summary, SummaryError};
pub use times::{TimeRule, Times};
