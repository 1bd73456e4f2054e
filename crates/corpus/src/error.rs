//! What can go wrong.

use durable::ResumableError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why something could not be done with teacher files.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It was asked wrongly: no file was touched.
    #[error("{0}")]
    Request(String),
    /// Nothing tells the format of an input.
    #[error("{}: unknown format: neither its content nor its name says which", .0.display())]
    UnclearInput(PathBuf),
    /// Nothing tells the format of an output.
    #[error("{}: unknown format: its name does not say which", .0.display())]
    UnclearOutput(PathBuf),
    /// The output is there already.
    #[error("{}: exists", .0.display())]
    Exists(PathBuf),
    /// More memory is needed, so many MiB.
    #[error("{0} MiB of memory are needed")]
    Memory(u64),
    /// A file could not be used.
    #[error("{}: {reason}", path.display())]
    File {
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// An input is damaged, and nobody asked to use what is whole.
    #[error("{0}")]
    Damaged(String),
    /// An input is damaged, and the work was to stop there.
    #[error("{0}")]
    Stopped(String),
    /// Somebody wanted the work to end.
    #[error("interrupted")]
    Interrupted,
    /// An output that can be resumed cannot be written, or waits for a decision.
    #[error(transparent)]
    Output(#[from] ResumableError),
    /// What is given out could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
    /// The work failed, but what was done is kept and can be resumed.
    #[error("{0}")]
    Resumable(#[source] Box<Self>),
}

impl Error {
    /// Whether it was asked wrongly, so that asking otherwise helps.
    pub const fn is_request(&self) -> bool {
        matches!(
            self,
            Self::Request(_)
                | Self::UnclearInput(_)
                | Self::UnclearOutput(_)
                | Self::Exists(_)
                | Self::Output(ResumableError::NoName(_) | ResumableError::Interrupted(_))
                | Self::Memory(_)
        )
    }

    pub(crate) fn request(text: impl Into<String>) -> Self {
        Self::Request(text.into())
    }

    pub(crate) fn file(path: &Path, reason: &dyn fmt::Display) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn cannot_write(path: &Path, reason: &dyn fmt::Display) -> Self {
        Self::file(path, &format_args!("cannot write: {reason}"))
    }

    pub(crate) fn thread() -> Self {
        Self::Failed("internal error: a worker thread stopped unexpectedly".to_owned())
    }
}
