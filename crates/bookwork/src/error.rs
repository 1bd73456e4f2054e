//! What can go wrong with work on books.

use book::BookError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a command could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: BookError },
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{} exists: --force replaces it", .0.display())]
    Exists(PathBuf),
    /// The position asked for is none.
    #[error("{0}")]
    Position(String),
    /// The book has faults.
    #[error("{0}")]
    Faulty(String),
    /// Whoever searches could not.
    #[error("search failed: {0}")]
    Search(String),
}

impl WorkError {
    /// Whether the user asked to end.
    pub const fn is_interrupt(&self) -> bool {
        matches!(
            self,
            Self::Book(BookError::Interrupted) | Self::File { source: BookError::Interrupted, .. }
        )
    }

    /// The user asked to end.
    pub const fn interrupted() -> Self {
        Self::Book(BookError::Interrupted)
    }

    /// Why nothing was found.
    pub fn search(why: impl std::fmt::Display) -> Self {
        Self::Search(why.to_string())
    }

    /// An error with the file it concerns.
    pub(crate) fn at(path: &Path) -> impl Fn(BookError) -> Self + '_ {
        move |source| match source {
            BookError::Io(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Self::Exists(path.to_owned())
            }
            source => Self::File { path: path.to_owned(), source },
        }
    }
}
