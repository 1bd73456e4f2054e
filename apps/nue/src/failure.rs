//! How a command ends when it does not end well.

use arena::selfplay::file::FileError;
use lab::LabError;
use reinforce::RunError;
use std::io::{self, Write};
use std::process::ExitCode;

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was asked wrongly: exit code 2.
    Usage(String),
    /// It could not be done: exit code 1.
    Failed(String),
    /// It was done and led to nothing, which a calling program may want to know: exit code 3.
    Nothing(String),
    /// The user asked to end before it was done: exit code 130, as shells have it.
    Interrupted(String),
    /// Whoever read our output has gone, which is its right: a quiet end with exit code 0.
    ReaderGone,
}

/// What every command returns.
pub(crate) type CommandResult = Result<(), Failure>;

impl Failure {
    /// Exit code after an interrupt.
    pub(crate) const INTERRUPTED: u8 = 130;

    /// Exit code of work that led to nothing.
    pub(crate) const NOTHING: u8 = 3;

    /// Wrong usage, with what to do instead.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// Something that failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// Tells the user and gives the exit code. A window that closes with us stays until it was read.
    pub(crate) fn report(self, in_own_window: bool) -> ExitCode {
        let (message, code) = match self {
            Self::ReaderGone => return ExitCode::SUCCESS,
            Self::Usage(message) => (message, 2),
            Self::Failed(message) => (message, 1),
            Self::Nothing(message) => (message, Self::NOTHING),
            Self::Interrupted(message) => (message, Self::INTERRUPTED),
        };
        // Where even the error stream is closed there is nobody left to tell.
        let _ = writeln!(io::stderr(), "nue: {message}");
        if in_own_window {
            let _ = writeln!(io::stderr(), "Press Enter to close this window.");
            let _ = io::stdin().read_line(&mut String::new());
        }
        ExitCode::from(code)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ReaderGone,
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Exists(_) => {
                Self::usage(format!("{error}: --resume continues it, --force replaces it"))
            }
            _ => Self::failed(error.to_string()),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Interrupted => Self::Interrupted(error.to_string()),
            RunError::Settings(_) | RunError::Other { .. } => Self::usage(error.to_string()),
            error => Self::failed(error.to_string()),
        }
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Shape(_) => Self::usage(error.to_string()),
            LabError::Interrupted => Self::Interrupted(error.to_string()),
            LabError::Request(error) => Self::from(error),
            LabError::Games(error) => Self::from(error),
            LabError::Split(error) => Self::from(error),
            LabError::Training(error) => Self::from(error),
            LabError::Openings(error) => Self::from(error),
            LabError::Match(error) => Self::from(error),
            error => Self::failed(error.to_string()),
        }
    }
}
