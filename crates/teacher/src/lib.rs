//! Teacher data: games with scores, from which evaluations learn.
//!
//! What is here: the project's own file format for games ([`Writer`], [`Reader`], [`Cursor`];
//! docs/formats/teacher.md), and the formats of the field: [`psv`], [`hcpe`], [`hcpe3`].
//!
//! What is deliberately absent: playing the games, training on them, and the file system's layout.

mod block;
mod builder;
mod bytes;
mod codes;
mod cursor;
mod error;
mod game;
pub mod hcpe;
pub mod hcpe3;
mod header;
mod labelled;
mod movecode;
mod packed;
mod placement;
pub mod psv;
mod reader;
mod score;
mod writer;

pub use block::Block;
pub use codes::{STORED_REASONS, as_stored};
pub use cursor::{Cursor, Head, Sample};
pub use error::{PackError, TeacherError};
pub use game::{Candidate, Flags, Game, MATE, MATE_BOUND, Ply};
pub use header::{Header, fill, is_teacher};
pub use labelled::{Chain, Labelled, apery_bits, from_apery_bits};
pub use play::{Outcome, Reason};
pub use reader::{Games, Reader, Survey};
pub use score::{mate_score, plain_score};
pub use writer::Writer;

#[cfg(test)]
mod tests;
