//! Teacher data: games with scores, from which evaluations learn.
//!
//! What is here: the project's own file format for games ([`Writer`], [`Reader`], [`Cursor`]).
//!
//! What is deliberately absent: playing the games, training on them, and the file system's layout.

mod block;
mod builder;
mod bytes;
mod cursor;
mod error;
mod game;
mod header;
mod movecode;
mod reader;
mod writer;

pub use block::Block;
pub use cursor::{Cursor, Head, Sample};
pub use error::{PackError, TeacherError};
pub use game::{Candidate, Ending, Flags, Game, MATE, MATE_BOUND, Outcome, Ply};
pub use header::{Header, is_teacher};
pub use reader::{Games, Reader, Survey};
pub use writer::Writer;

#[cfg(test)]
mod file_tests;
