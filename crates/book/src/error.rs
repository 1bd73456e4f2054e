//! What can be wrong with a book.

use crate::Format;
use rules::Game;
use std::io;

/// Why a book cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("not a book in format {format}: {why}")]
    NotThis { format: Format, why: String },
    /// Neither the first bytes nor the name of the file say what it is.
    #[error(
        "cannot tell which kind of book this is; name it *.nbk, *.db, *.ybb, *.bin or *.sbk, or give \
         the format"
    )]
    Unknown,
    #[error("the book holds positions of {found}, expected {wanted}")]
    Game { found: Game, wanted: Game },
    /// Everything before this byte was read.
    #[error("damaged at byte {offset}: {why}")]
    Damaged { offset: u64, why: String },
    /// A text book whose positions do not ascend cannot be searched where it lies.
    #[error(
        "not sorted: {later:?} comes after {earlier:?}; sort it with \"nue book convert\", or set \
         BookOnTheFly to false"
    )]
    Unsorted { earlier: String, later: String },
    /// Something no book can hold.
    #[error("cannot be stored in a book: {0}")]
    Unfit(String),
    /// The user asked to end.
    #[error("interrupted")]
    Interrupted,
}

impl BookError {
    pub(crate) fn damaged(offset: u64, why: impl Into<String>) -> Self {
        Self::Damaged { offset, why: why.into() }
    }

    pub(crate) fn not(format: Format, why: impl Into<String>) -> Self {
        Self::NotThis { format, why: why.into() }
    }
}
