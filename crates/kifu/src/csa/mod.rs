//! The CSA standard format, versions 1 to 3.0, and the logs of shogi-server.
//!
//! Line-oriented and ASCII but for names and comments. It has no variations and no bookmarks.

mod moves;
mod position;
mod read;
mod words;
mod write;

pub(crate) use moves::{kind, name, read as read_move, write as write_move};
pub(crate) use read::{begins_game, read, separates};
pub(crate) use words::{special, word};
pub(crate) use write::write;
