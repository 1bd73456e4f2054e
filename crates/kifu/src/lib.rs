//! Game records: CSA, KIF, KI2, JKF and USI lines, read into one [`Record`] and written from it.
//!
//! What is here: the record (headers, start position, tree of moves with times, comments,
//! evaluations and endings), a [`Reader`] that goes through archives and recovers from broken
//! games, a [`Writer`] for every format, detection of formats and encodings.
//!
//! Readers and writers know no files; [`archive`] converts files and folders of records with them.
//!
//! What is deliberately absent: rules (asked of `rules`), and any judgement of play.

mod analysis;
pub mod archive;
mod clock;
mod csa;
mod damaged;
mod diagram;
mod encoding;
mod error;
mod evaluation;
mod format;
mod headers;
mod jkf;
mod kakinoki;
mod movetext;
mod notation;
mod options;
mod placement;
mod problems;
mod reach;
mod reader;
mod record;
mod relative;
mod replay;
mod termination;
mod usi;
mod writer;

pub use csa::wire;
pub use damaged::{Damaged, UnknownDamaged};
pub use diagram::{diagram, move_list};
pub use encoding::decode_text;
pub use error::{Problem, ReadError, WriteError};
pub use evaluation::{BlackScore, Evaluation};
pub use format::{Format, UnknownFormat};
pub use headers::{DATE_FORM, Headers, Key};
pub use movetext::write_line;
pub use options::{CsaVersion, Encoding, Losses, UnknownCsaVersion, UnknownEncoding, WriteOptions};
pub use play::Outcome;
pub use problems::MateProblem;
pub use reader::{ReadOptions, Reader, read};
pub use record::{Lines, Node, NodeId, Record, Step};
pub use replay::Replay;
pub use termination::Termination;
pub use writer::{Writer, to_bytes};
