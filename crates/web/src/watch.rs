//! What can be watched besides the games here: a CSA server, matches, learning. Where it comes from is
//! the executable's affair.

use crate::trouble::Trouble;
use kifu::Record;
use serde_json::Value;

/// What is watched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum What {
    /// `nue server`
    Server,
    /// `nue match`
    Match,
    /// `nue learn`
    Learn,
}

impl What {
    /// Everything.
    pub const ALL: [Self; 3] = [Self::Server, Self::Match, Self::Learn];

    /// The word in messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Match => "match",
            Self::Learn => "learn",
        }
    }

    /// What that word means.
    pub fn of(word: &str) -> Result<Self, Trouble> {
        let unknown =
            || Trouble::bad(format!("cannot watch {word:?}: expected server, match or learn"));
        Self::ALL.into_iter().find(|what| what.word() == word).ok_or_else(unknown)
    }
}

/// Looks at files or asks other programs. Calls may block.
pub trait Watch: Send + Sync {
    /// Whether the owner has said where it is.
    fn has(&self, what: What) -> bool;

    /// How it stands now.
    fn look(&self, what: What) -> Result<Value, Trouble>;

    /// A game of the server, running or over.
    fn server_game(&self, id: &str) -> Result<Record, Trouble>;

    /// A game of a match.
    fn match_game(&self, name: &str, number: u64) -> Result<Record, Trouble>;
}

/// There is nothing to watch.
pub struct Nothing;

impl Watch for Nothing {
    fn has(&self, _: What) -> bool {
        false
    }

    fn look(&self, what: What) -> Result<Value, Trouble> {
        Err(Trouble::missing(format!("no {} is watched", what.word())))
    }

    fn server_game(&self, id: &str) -> Result<Record, Trouble> {
        Err(Trouble::missing(format!("there is no game {id:?}")))
    }

    fn match_game(&self, name: &str, number: u64) -> Result<Record, Trouble> {
        Err(Trouble::missing(format!("there is no game {number} of {name:?}")))
    }
}
