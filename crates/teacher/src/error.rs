//! What can be wrong with teacher data.

use std::io;

/// Why a file, a block or a record could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TeacherError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The input is not a teacher file.
    #[error("not a teacher file: {0}")]
    NotTeacher(String),
    /// A teacher file of a later version of the format.
    #[error("version {0} of the teacher format is not known (this program reads version 1)")]
    Version(u16),
    /// A teacher file of the other game.
    #[error("the file holds games of {found}, expected {wanted}")]
    Game { found: rules::Game, wanted: rules::Game },
    /// The file is damaged from this byte on. Everything before was read.
    #[error("damaged at byte {offset}: {reason}")]
    Damaged {
        /// Where the last whole block ended.
        offset: u64,
        reason: String,
    },
    /// A game that the format cannot hold.
    #[error("game refused: {0}")]
    Refused(String),
    /// A file that was begun with other settings.
    #[error("the file is of other settings: {0}; give another name, or the same settings")]
    Another(String),
    /// A header that cannot be written.
    #[error("bad header: {0}")]
    Header(String),
}

/// Why a packed position, a move or a record of a foreign format cannot be read or written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PackError {
    /// The bits are no position.
    #[error("not a packed position: {0}")]
    Bits(String),
    /// The pieces are no position one could play from.
    #[error(transparent)]
    Position(#[from] rules::SfenError),
    /// The position does not fit the format.
    #[error("the position cannot be packed: {0}")]
    Unfit(String),
    /// The 16 bits are no legal move of the position.
    #[error("move {bits:#06x} of a record is not legal: {why}")]
    Move {
        /// The bits as they stand in the file.
        bits: u16,
        why: &'static str,
    },
    /// A result code nobody knows.
    #[error("unknown result code {0}")]
    Result(u8),
    /// The record ends too early, or says something else impossible.
    #[error("bad record: {0}")]
    Record(String),
}
