//! Why a run of generations could not go on.

use crate::nets::PlayerError;
use crate::records::RecordError;
use crate::settings::SettingsError;
use balance::{BalanceError, MeasureError};
use lab::LabError;
use std::path::PathBuf;
use thiserror::Error;

/// Why a run could not go on.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("{}: {difference}; a run goes on with the settings it began with, others need another folder", path.display())]
    Other { path: PathBuf, difference: String },
    #[error(transparent)]
    Balance(#[from] BalanceError),
    #[error(transparent)]
    Measure(#[from] MeasureError),
    #[error(transparent)]
    Lab(Box<LabError>),
    #[error(transparent)]
    Records(Box<RecordError>),
    #[error(transparent)]
    Player(Box<PlayerError>),
    /// The trainer says what is wrong.
    #[error("training failed: {reason}; the command was {command}")]
    Training { command: String, reason: String },
    /// It was asked to end, and goes on when the same is asked for again.
    #[error("interrupted; the same command continues")]
    Interrupted,
}

impl From<LabError> for RunError {
    fn from(error: LabError) -> Self {
        Self::Lab(Box::new(error))
    }
}

impl From<RecordError> for RunError {
    fn from(error: RecordError) -> Self {
        Self::Records(Box::new(error))
    }
}

impl From<PlayerError> for RunError {
    fn from(error: PlayerError) -> Self {
        Self::Player(Box::new(error))
    }
}
