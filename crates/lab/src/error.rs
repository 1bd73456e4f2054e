//! What can go wrong in the folder.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Why a generation could not go on.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("{}: 9999 generations are over", .0.display())]
    Full(PathBuf),
    #[error("this step ended with {status}: {command}")]
    Step { status: std::process::ExitStatus, command: String },
    #[error(transparent)]
    Split(#[from] corpus::Error),
    #[error(transparent)]
    Evaluation(#[from] assembly::LoadError),
    #[error("the entry cannot be written: {0}")]
    Entry(#[from] toml::ser::Error),
    #[error("\"{0}\" is not a net that PyTorch trains; write one like halfkp-256x2-32-32")]
    Shape(String),
}

impl LabError {
    pub(crate) fn at(path: &Path, reason: &dyn Display) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string() }
    }
}
