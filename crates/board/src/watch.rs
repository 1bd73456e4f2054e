//! What can be watched besides the games here: a CSA server, matches, learning, a fleet, a cluster, as the page
//! sees them.

use crate::watch_cluster::WatchCluster;
use crate::watch_fleet::WatchFleet;
use crate::words::Color;
use serde::{Deserialize, Serialize};

/// What is watched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WatchKind {
    /// `nue server`
    Server,
    /// `nue match`
    Match,
    /// `nue learn`
    Learn,
    /// `nue fleet serve`
    Fleet,
    /// `nue cluster`
    Cluster,
}

impl WatchKind {
    pub const ALL: [Self; 5] = [Self::Server, Self::Match, Self::Learn, Self::Fleet, Self::Cluster];

    /// The word in messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Match => "match",
            Self::Learn => "learn",
            Self::Fleet => "fleet",
            Self::Cluster => "cluster",
        }
    }
}

/// How something that is watched stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum WatchData {
    Server(Box<WatchServer>),
    Match(WatchMatch),
    Learn(WatchLearn),
    Fleet(Box<WatchFleet>),
    Cluster(Box<WatchCluster>),
}

/// A CSA server, from its data file or its status page; a part that is not known is null.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WatchServer {
    /// The name of the file or the address of the page.
    pub source: String,
    /// Whether it could be read just now.
    pub live: bool,
    /// When it was read, in whole minutes: milliseconds since 1970.
    pub at: u64,
    pub error: Option<String>,
    #[serde(flatten)]
    pub parts: ServerParts,
}

/// What is known of a server.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerParts {
    pub status: Option<ServerStatus>,
    pub games: Option<Vec<ServerGame>>,
    pub standings: Option<Vec<EventStandings>>,
    pub ratings: Option<Vec<RatingRow>>,
    pub records: Option<Vec<RecordRow>>,
}

/// A server as a whole; connections and players are known from a status page alone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerStatus {
    pub connections: Option<u32>,
    pub players: Option<Vec<ServerPlayer>>,
    /// Games that go on.
    pub running: u32,
}

/// Somebody logged in to the server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerPlayer {
    pub name: String,
    pub waits_for: Option<String>,
}

/// A game of the server. Clocks and watchers are known from a status page alone.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ServerGame {
    pub id: String,
    pub event: String,
    pub black: String,
    pub white: String,
    pub moves: u32,
    pub sfen: String,
    pub turn: Color,
    pub running: bool,
    pub black_seconds: Option<f64>,
    pub white_seconds: Option<f64>,
    /// Seconds since it became the turn of whoever is to move; while the clock stands, null.
    #[serde(default)]
    pub elapsed: Option<f64>,
    pub watchers: Option<u32>,
    #[serde(alias = "last_move")]
    pub last: Option<String>,
}

/// The table of an event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EventStandings {
    pub event: String,
    pub stage: u32,
    pub round: Option<u32>,
    pub standings: Vec<Standing>,
}

/// A row of the table of an event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Standing {
    pub rank: u32,
    pub name: String,
    pub points: f64,
    pub solkoff: f64,
    pub berger: f64,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

/// The rating of a player, with its error.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RatingRow {
    pub name: String,
    pub rating: f64,
    pub error: Option<f64>,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

/// A finished game of the server.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecordRow {
    pub id: String,
    pub event: String,
    pub black: String,
    pub white: String,
    /// Seconds since 1970.
    pub started: i64,
    pub ended: i64,
    /// The word of the CSA protocol.
    pub reason: String,
    pub winner: Option<Color>,
    pub moves: Option<u32>,
}

/// Matches between engines.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WatchMatch {
    pub matches: Vec<Match>,
}

/// Low, middle and high of the 95 % interval; null where there is no bound (all games won).
pub type Interval = [Option<f64>; 3];

/// A match from its files.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Match {
    pub name: String,
    /// Whether it was written to lately.
    pub live: bool,
    pub error: Option<String>,
    pub games: u32,
    pub planned: Option<u32>,
    pub engines: Vec<EngineScore>,
    pub pairings: Vec<PairingScore>,
    /// Points of the first engine in the first pairing after each game, at most 500 of them.
    pub curve: Vec<CurvePoint>,
    pub latest: Vec<MatchGame>,
    /// Being played now.
    pub running: Vec<RunningGame>,
}

/// Games won, drawn and lost, and what they say.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MatchScore {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    pub elo: Option<Interval>,
    /// Likelihood of superiority.
    pub los: Option<f64>,
}

/// How an engine stands in a match.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EngineScore {
    pub name: String,
    #[serde(flatten)]
    pub score: MatchScore,
}

/// How the first engine of a pairing stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PairingScore {
    pub engines: [String; 2],
    #[serde(flatten)]
    pub score: MatchScore,
}

/// Points of the first engine after so many games.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CurvePoint {
    pub game: u32,
    pub points: f64,
}

/// A game of a match that is being played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunningGame {
    pub game: u64,
    pub players: [String; 2],
    pub moves: u32,
    pub sfen: String,
    pub last: Option<String>,
    pub turn: Color,
    /// Milliseconds both have left, the move that is thought about not counted; null without a clock.
    pub left: [Option<u64>; 2],
    /// When it became the turn of whoever is to move, in milliseconds since 1970.
    pub since: u64,
}

/// A finished game of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MatchGame {
    pub game: u64,
    pub players: [String; 2],
    /// `black`, `white` or `draw`.
    pub winner: String,
    pub end: String,
    pub plies: u64,
    pub millis: u64,
}

/// Learning in its folders; a ledger of both games is told as two labs.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WatchLearn {
    pub labs: Vec<Lab>,
}

/// A folder of `nue learn`.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Lab {
    pub name: String,
    pub game: Option<String>,
    pub error: Option<String>,
    /// The generation that is being made, or was made last.
    pub current: Option<u32>,
    pub generations: Vec<Generation>,
    pub losses: Vec<LossCurve>,
    pub steps: Vec<LabStep>,
}

/// A generation that is over; what its ledger entry does not say is null.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Generation {
    pub generation: Option<u32>,
    pub accepted: Option<bool>,
    pub verdict: Option<String>,
    /// Against its parent.
    pub elo: Option<Interval>,
    /// Elo over the first parent: the sum along accepted generations.
    pub total: f64,
    pub wins: Option<u32>,
    pub draws: Option<u32>,
    pub losses: Option<u32>,
    pub games: Option<u64>,
    pub positions: Option<u64>,
    pub loss: Option<f64>,
    pub epochs: Option<f64>,
    pub seconds: Option<f64>,
    pub net: Option<String>,
    pub parent: Option<String>,
}

/// How the loss fell while a net was trained.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LossCurve {
    pub generation: u32,
    pub points: Vec<LossPoint>,
}

/// The losses at one step of the training.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LossPoint {
    pub epoch: Option<f64>,
    pub steps: Option<u64>,
    pub train: Option<f64>,
    pub validation: Option<f64>,
}

/// A command a generation has run.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LabStep {
    pub generation: u32,
    pub step: String,
    pub seconds: Option<f64>,
}
