//! What can go wrong with a client.

use std::path::{Path, PathBuf};

/// Why a client cannot play.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server does not let us in.
    #[error("the server refused the name or the password")]
    Refused,
    /// The connection was lost as often as it may be.
    #[error("{0}")]
    Connection(String),
    /// The certificates to be trusted cannot be used.
    #[error(transparent)]
    Certificate(#[from] transport::CertificateError),
    /// A file cannot be written: a record, the log.
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: String },
    /// The moves given do not fit the start position.
    #[error("these moves cannot be played")]
    Moves,
    /// A thread could not be started, or what is reported could not be printed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Error {
    pub(crate) fn file(path: &Path, why: impl std::fmt::Display) -> Self {
        Self::File { path: path.to_owned(), why: why.to_string() }
    }
}
