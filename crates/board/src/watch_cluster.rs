//! Many engines as one, as the page sees them: what each child is asked and thinks, the replies foreseen, the last
//! decisions and faults. A master writes a [`ClusterView`] to a file, and whoever serves the page reads it.

use crate::notation::Notation;
use serde::{Deserialize, Serialize};

/// The cluster of a file.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WatchCluster {
    /// The name of the file.
    pub source: String,
    /// Whether its master is running.
    pub live: bool,
    pub error: Option<String>,
    /// How everything stands or stood last; null where it cannot be read.
    pub view: Option<ClusterView>,
}

/// A master at one moment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClusterView {
    pub name: String,
    /// The position that is thought or was last thought about, and its ply.
    pub sfen: String,
    pub ply: u32,
    pub doing: ClusterDoing,
    /// Whether a group had pondered on this position.
    pub foreseen: bool,
    /// Milliseconds since the question, if it thinks about its move.
    pub elapsed: Option<u64>,
    pub children: Vec<ClusterChild>,
    /// Likely replies of the opponent, the likeliest first.
    pub replies: Vec<ClusterReply>,
    /// The newest first.
    pub decisions: Vec<ClusterDecision>,
    /// The newest first.
    pub faults: Vec<ClusterFault>,
}

/// What a master does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ClusterDoing {
    /// Nothing.
    Idle,
    /// It thinks about its move.
    Thinking,
    /// The interface has it ponder.
    Pondering,
    /// It is the opponent's turn, and replies are pondered on.
    Waiting,
}

/// Where a child stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ClusterChildState {
    /// It is started again soon.
    Down,
    Starting,
    Loading,
    Ready,
    /// Out for the rest of the game.
    Out,
}

/// What a child is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ClusterTask {
    Nothing,
    /// It has answered.
    Answered,
    /// It is told to stop.
    Stopping,
    Thinks,
    /// On the reply in `about`.
    Ponders,
    Predicts,
    Mate,
    /// Somebody else's move, in `about`.
    Values,
    /// Between the moves in `about`.
    Decides,
}

/// Moves in both notations and as engines write them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClusterMoves {
    pub usi: Vec<String>,
    pub ja: Vec<String>,
    pub en: Vec<String>,
}

impl From<Notation> for ClusterMoves {
    fn from(Notation { usi, ja, en }: Notation) -> Self {
        Self { usi, ja, en }
    }
}

/// A child at one moment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClusterChild {
    pub name: String,
    /// As the cluster's file says it: `player`, `mate`, …
    pub role: String,
    pub state: ClusterChildState,
    /// Milliseconds until it is started again.
    pub again: Option<u64>,
    pub task: ClusterTask,
    /// The moves its task is about.
    pub about: ClusterMoves,
    /// As it said: `cp 52`.
    pub score: Option<String>,
    /// For the side to move where it thinks, between 0 and 1, by its own scale.
    pub win_rate: Option<f64>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub nps: Option<u64>,
    /// The line it last told.
    pub line: ClusterMoves,
    /// Milliseconds it may take to answer `stop`.
    pub slow: u64,
}

/// A reply the opponent may play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClusterReply {
    pub reply: ClusterMoves,
    /// Between 0 and 1.
    pub chance: f64,
    /// The groups that ponder on it.
    pub groups: Vec<String>,
}

/// A move that was decided.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClusterDecision {
    pub game: u32,
    pub ply: u32,
    /// The move; empty where it is `resign` or `win`.
    pub played: ClusterMoves,
    /// As it was told: a move, `resign` or `win`.
    pub answer: String,
    /// The child that wanted it, or `own`.
    pub by: String,
    /// `majority`, `mate`, `arbiter` …
    pub why: String,
    pub foreseen: bool,
    /// Different moves that were wanted.
    pub wanted: u32,
    /// Milliseconds from the question.
    pub time: u64,
}

/// What a child did wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClusterFault {
    pub game: u32,
    pub child: String,
    /// `crash`, `stall`, `illegal`, `protocol` or `time`.
    pub fault: String,
    pub detail: String,
}
