//! What an engine did wrong, with the kinds told apart.

use std::fmt;
use std::time::Duration;
use think::quote;
use thiserror::Error;

/// What kind of fault, for counting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// The process ended, or closed its output.
    Crash,
    /// No answer, long past the limit.
    Stall,
    /// An answer, but after the limit.
    Time,
    /// A move that is not legal, or a win declared without right.
    Illegal,
    /// Something that is not the protocol, or a flood of output.
    Protocol,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Crash, Self::Stall, Self::Time, Self::Illegal, Self::Protocol];

    /// One word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Time => "time",
            Self::Illegal => "illegal",
            Self::Protocol => "protocol",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an engine did wrong.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{kind}: {detail}")]
pub struct EngineFault {
    pub kind: FaultKind,
    /// What happened, in words; one line.
    pub detail: String,
    /// The reply that was waited for (`usiok`, `readyok`, `bestmove`), where one was.
    pub expected: Option<&'static str>,
    /// What came instead: the move or the line as the engine sent it.
    pub received: Option<String>,
}

impl EngineFault {
    /// A fault in words.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), expected: None, received: None }
    }

    /// Something that is not the protocol.
    pub fn protocol(detail: impl Into<String>) -> Self {
        Self::new(FaultKind::Protocol, detail)
    }

    /// A line that does not answer the question.
    pub(crate) fn unexpected(expected: &'static str, line: &str) -> Self {
        let mut fault = Self::protocol(format!("answered {}", quote(line)));
        (fault.expected, fault.received) = (Some(expected), Some(line.to_owned()));
        fault
    }

    /// Silence.
    pub(crate) fn stall(expected: &'static str, detail: impl Into<String>) -> Self {
        Self { expected: Some(expected), ..Self::new(FaultKind::Stall, detail) }
    }

    /// A move, or a declaration, that the rules do not allow.
    pub fn illegal(text: &str, why: impl fmt::Display) -> Self {
        let detail = format!("{}: {why}", quote(text));
        Self { received: Some(text.to_owned()), ..Self::new(FaultKind::Illegal, detail) }
    }

    /// An answer after the limit.
    pub fn late(used: Duration, allowed: Duration) -> Self {
        let (used, allowed) = (used.as_millis(), allowed.as_millis());
        Self::new(FaultKind::Time, format!("used {used} ms of {allowed} ms"))
    }
}

/// Why a player gives no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PlayerError {
    /// The engine did something wrong.
    #[error("{0}")]
    Fault(#[from] EngineFault),
    /// It was told to give up; nobody is to blame.
    #[error("abandoned")]
    Abandoned,
}
