//! What can go wrong on the way to a generation.

use arena::opening_maker::OpeningMakerError;
use arena::progress::ProgressError;
use arena::request::RequestError;
use arena::selfplay::file::FileError;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Why a generation could not go on.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("{}: the last number, 9999, is used up; learn in another folder", .0.display())]
    Full(PathBuf),
    #[error("{}: another run of nue learn is using this folder; wait for it, or choose another", .0.display())]
    InUse(PathBuf),
    #[error("this step ended with {status}: {command}")]
    Step { status: std::process::ExitStatus, command: String },
    /// It was asked to end, and goes on when the same is asked for again.
    #[error("interrupted; the same command continues")]
    Interrupted,
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Games(#[from] FileError),
    #[error(transparent)]
    Split(#[from] corpus::Error),
    #[error(transparent)]
    Training(#[from] trainer::RunError),
    #[error(transparent)]
    Net(#[from] trainer::StoredError),
    #[error(transparent)]
    Import(#[from] trainer::ImportError),
    #[error(transparent)]
    Openings(OpeningMakerError),
    #[error("the gate: {0}")]
    Gate(String),
    #[error(transparent)]
    Match(#[from] ProgressError),
    #[error(transparent)]
    Evaluation(#[from] assembly::LoadError),
    #[error(transparent)]
    Search(#[from] assembly::own::OwnSearchError),
    /// An entry of a ledger is not there, or not to be repeated.
    #[error("{0}")]
    Entries(String),
    #[error("the entry cannot be written: {0}")]
    Entry(#[from] toml::ser::Error),
    #[error("\"{0}\" is not a net that PyTorch trains; write one like halfkp-256x2-32-32")]
    Shape(String),
}

impl LabError {
    /// Something is wrong with a file.
    pub fn at(path: &Path, reason: &dyn Display) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string() }
    }
}

impl From<OpeningMakerError> for LabError {
    fn from(error: OpeningMakerError) -> Self {
        match error {
            OpeningMakerError::Interrupted => Self::Interrupted,
            error => Self::Openings(error),
        }
    }
}
