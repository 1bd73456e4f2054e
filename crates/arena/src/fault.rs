//! How a player loses a game otherwise than on the board, with the causes told apart.

use std::fmt;
use std::time::Duration;
use think::quote;

/// What kind of fault, for counting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
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

impl Cause {
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

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a player did wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The kind.
    pub cause: Cause,
    /// What happened, in words; one line.
    pub detail: String,
    /// The move as the player sent it, where that is what was wrong.
    pub text: Option<String>,
}

impl Fault {
    /// A fault with its story.
    pub fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Self { cause, detail: detail.into(), text: None }
    }

    /// Something that is not the protocol.
    pub fn protocol(detail: impl Into<String>) -> Self {
        Self::new(Cause::Protocol, detail)
    }

    /// A move, or a declaration, that the rules do not allow.
    pub fn illegal(text: &str, why: impl fmt::Display) -> Self {
        let detail = format!("{}: {why}", quote(text));
        Self { cause: Cause::Illegal, detail, text: Some(text.to_owned()) }
    }

    /// An answer after the limit.
    pub fn late(used: Duration, allowed: Duration) -> Self {
        let (used, allowed) = (used.as_millis(), allowed.as_millis());
        Self::new(Cause::Time, format!("used {used} ms of {allowed} ms"))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cause, self.detail)
    }
}

/// Why a player gives no move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Halt {
    /// It loses by this.
    Fault(Fault),
    /// The game is broken off from outside and counts for nothing.
    Abandoned,
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
