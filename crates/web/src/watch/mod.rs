//! What can be watched besides the games here: a CSA server, matches, learning, a fleet, a cluster.

mod cluster;
mod fleet;
mod labs;
mod matches;
mod sources;
mod status_page;

pub use sources::{ServerFile, WatchPlaces, WatchSources};

use board::error::ApiError;
use board::watch::{WatchData, WatchKind};
use kifu::Record;

/// Looks at files or asks other programs. Calls may block.
pub trait WatchSource: Send + Sync {
    /// Whether the owner has said where it is.
    fn has(&self, what: WatchKind) -> bool;

    /// How it stands now.
    fn look(&self, what: WatchKind) -> Result<WatchData, ApiError>;

    /// A game of the server, running or over.
    fn server_game(&self, id: &str) -> Result<Record, ApiError>;

    /// A game of a match.
    fn match_game(&self, name: &str, number: u64) -> Result<Record, ApiError>;
}

/// There is nothing to watch.
pub struct NoWatch;

impl WatchSource for NoWatch {
    fn has(&self, _: WatchKind) -> bool {
        false
    }

    fn look(&self, what: WatchKind) -> Result<WatchData, ApiError> {
        Err(ApiError::missing(format!("no {} is watched", what.word())))
    }

    fn server_game(&self, id: &str) -> Result<Record, ApiError> {
        Err(ApiError::missing(format!("there is no game {id:?}")))
    }

    fn match_game(&self, name: &str, number: u64) -> Result<Record, ApiError> {
        Err(ApiError::missing(format!("there is no game {number} of {name:?}")))
    }
}
