//! What goes wrong in a coordinator.

use arena::request::RequestError;
use fleet::{QueueError, RunId, WorkerId};
use std::path::PathBuf;
use thiserror::Error;

/// Why something was not done.
#[derive(Debug, Error)]
pub enum FleetError {
    #[error("the ledger: {0}")]
    Ledger(#[from] rusqlite::Error),
    #[error("the ledger: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{}: the ledger has tables of version {found}, this program knows {known}", path.display())]
    Version { path: PathBuf, found: i64, known: i64 },
    #[error("{}: another coordinator has this ledger open", .0.display())]
    InUse(PathBuf),
    #[error("{}: there is no ledger; nue fleet serve makes one", .0.display())]
    NoLedger(PathBuf),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("there is no run {0}")]
    NoRun(RunId),
    #[error("there is no worker {0}")]
    NoWorker(WorkerId),
    #[error("{0}")]
    Refused(String),
    /// Whoever waited was interrupted.
    #[error("{0}")]
    Interrupted(String),
}

impl FleetError {
    /// Whether another command line would help.
    pub const fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::NoLedger(_)
                | Self::NoRun(_)
                | Self::NoWorker(_)
                | Self::Refused(_)
                | Self::Request(RequestError::Usage(_))
        )
    }
}
