//! What can go wrong with a server.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Why a server cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Something is wrong with a file: the settings, the data, the log.
    #[error("{}: {why}", path.display())]
    File { path: PathBuf, why: String },
    /// What a new server would be written over.
    #[error("{} exists: name another folder, or remove it to begin anew", path.display())]
    Exists { path: PathBuf },
    /// A certificate or a key cannot be used.
    #[error(transparent)]
    Certificate(#[from] transport::CertificateError),
    /// An address is taken or not ours.
    #[error("cannot listen on {address}: {source}")]
    Listen { address: String, source: std::io::Error },
    /// A name that cannot be an account's.
    #[error(transparent)]
    Name(#[from] csa::names::NameError),
    /// A password that the protocol cannot carry.
    #[error("a password has 1 to {longest} letters, digits and signs of ASCII and no spaces")]
    Password { longest: usize },
    /// The password could not be hashed.
    #[error("the password could not be hashed: {0}")]
    Hash(String),
    /// Another server has the data file.
    #[error("{} is in use by another server: stop that one first", data.display())]
    InUse { data: PathBuf },
    /// There is no server to give an order to.
    #[error("no server runs on {}: start one with the same settings", data.display())]
    NotRunning { data: PathBuf },
    /// The server did not do what it was ordered.
    #[error("{0}")]
    Refused(String),
    /// The data file takes nothing more, so that no game can go on.
    #[error("the data file cannot be written: {0}")]
    Store(#[from] rusqlite::Error),
    /// A thread, a runtime or a socket could not be set up.
    #[error("the server could not be set up: {0}")]
    Setup(#[from] std::io::Error),
    /// The server loop panicked.
    #[error("internal error in the server loop (please report it)")]
    Internal,
}

impl Error {
    pub(crate) fn file(path: &Path, why: impl Display) -> Self {
        Self::File { path: path.to_owned(), why: why.to_string() }
    }
}
