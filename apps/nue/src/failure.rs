//! How a command ends when it does not end well.

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
    /// Whoever read our output has gone, which is its right: a quiet end with exit code 0.
    ReaderGone,
}

/// What every command returns.
pub(crate) type CommandResult = Result<(), Failure>;

impl Failure {
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

    /// Tells the user and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (message, code) = match self {
            Self::ReaderGone => return ExitCode::SUCCESS,
            Self::Usage(message) => (message, 2),
            Self::Failed(message) => (message, 1),
            Self::Nothing(message) => (message, Self::NOTHING),
        };
        // Where even the error stream is closed there is nobody left to tell.
        let _ = writeln!(io::stderr(), "nue: {message}");
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
