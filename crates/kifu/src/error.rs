//! What can go wrong, in words.

use crate::movetext::NotAMove;
use rules::SfenError;
use thiserror::Error;

/// Why a game could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Problem {
    /// The start position is none.
    #[error(transparent)]
    Position(#[from] SfenError),
    /// A line of the start position cannot be read.
    #[error("unreadable board line {0:?}")]
    Board(String),
    /// A piece that cannot be held is in a hand.
    #[error("{0} cannot be held in hand")]
    NotInHand(String),
    /// A handicap nobody knows.
    #[error("unknown handicap {0:?}")]
    Handicap(String),
    /// A variation that does not follow from anything.
    #[error("variation at move {0} has no line to branch from")]
    Variation(u32),
    /// A move that cannot be played, in the middle of a game.
    #[error("move {number}, {text:?}, {why}, and the game goes on after it")]
    Move { number: u32, text: String, why: NotAMove },
    /// A line among the moves that is neither a move nor anything else of the format.
    #[error("line {0:?} among the moves cannot be read")]
    Statement(String),
    /// There is no game in the text.
    #[error("no game found")]
    Nothing,
    /// The text is not JSON, or not a record in it.
    #[error("bad JSON: {0}")]
    Json(String),
    /// The JSON lacks something or has something else in its place.
    #[error("expected {expected} at {path}")]
    Shape { path: String, expected: &'static str },
    /// A game is larger than anything sensible.
    #[error("game larger than {0} MiB")]
    TooLarge(usize),
    /// The text is UTF-16, which none of the formats uses.
    #[error("UTF-16 text: save the file as UTF-8 or Shift_JIS")]
    Utf16,
    /// The format could not be told from the content or the name.
    #[error("unknown format: name it, or use an extension such as .csa or .kif")]
    Format,
    /// The input could not be read.
    #[error("cannot read: {0}")]
    Io(String),
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

/// A game that could not be read, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{source_name}:{line}: {reason}")]
pub struct ReadError {
    /// The file, or what the caller called the input.
    pub source_name: String,
    /// The line where it went wrong, counted from 1.
    pub line: usize,
    pub reason: Problem,
}

/// A problem and the line of the game's text (counted from 0) where it was met.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) line: usize,
    pub(crate) reason: Problem,
}

impl Problem {
    pub(crate) const fn at(self, line: usize) -> Located {
        Located { line, reason: self }
    }
}

/// Why a record could not be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The output failed.
    #[error("cannot write: {0}")]
    Io(#[from] std::io::Error),
    /// JKF nests variations, and no reader accepts any depth.
    #[error("variations nested {0} deep: JKF holds at most {1}")]
    Nesting(usize, usize),
}
