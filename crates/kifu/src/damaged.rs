//! What to do about a game that cannot be read.

use std::fmt;
use std::str::FromStr;

/// What readers of many games do when one of them cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Damaged {
    /// Report it and go on with the next.
    #[default]
    Skip,
    /// Stop there; what was to be written is not.
    Stop,
}

/// Neither of the two.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected \"skip\" or \"stop\", not {0:?}")]
pub struct UnknownDamaged(pub String);

impl FromStr for Damaged {
    type Err = UnknownDamaged;

    fn from_str(s: &str) -> Result<Self, UnknownDamaged> {
        match s {
            "skip" => Ok(Self::Skip),
            "stop" => Ok(Self::Stop),
            _ => Err(UnknownDamaged(s.to_owned())),
        }
    }
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Skip => "skip",
            Self::Stop => "stop",
        })
    }
}
