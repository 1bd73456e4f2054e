//! A fleet as the page sees it: its runs with their curves, its workers, its faults.

use crate::watch::Interval;
use serde::Serialize;

/// The fleet of a folder.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WatchFleet {
    /// The name of its folder.
    pub source: String,
    /// Whether a coordinator is running.
    pub live: bool,
    pub error: Option<String>,
    /// Games a minute of all runs under way together.
    pub games_a_minute: f64,
    /// Tasks that workers have, and tasks that wait for one.
    pub leased: u64,
    pub waiting: u64,
    /// Whether no task is handed out.
    pub draining: bool,
    /// The newest first: all that are under way, and the latest of those that have ended.
    pub runs: Vec<FleetRun>,
    /// How many have ended and are not among them.
    pub earlier: u64,
    pub workers: Vec<FleetWorker>,
    /// How many more workers there are.
    pub more_workers: u64,
    /// The newest first.
    pub faults: Vec<FleetFault>,
}

/// Where a run stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FleetRunState {
    Active,
    Done,
    Stopped,
}

/// A run.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetRun {
    pub id: String,
    pub name: String,
    pub owner: String,
    /// `match`, `sprt`, `tune`, `selfplay`, …
    pub kind: String,
    pub state: FleetRunState,
    /// Why it ended.
    pub reason: Option<String>,
    /// What it waits for, where somebody can do something about it.
    pub obstacle: Option<String>,
    pub priority: String,
    /// Seconds since 1970.
    pub created: i64,
    pub ended: Option<i64>,
    pub done: u64,
    /// How many there will be at most; null without an end.
    pub total: Option<u64>,
    pub positions: u64,
    /// Lately; of a run that has ended, from its beginning to its end.
    pub games_a_minute: f64,
    /// Tasks handed out and not finished.
    pub tasks: u64,
    /// What came of it, by a word for each.
    pub tally: Vec<FleetCount>,
    pub score: Option<FleetScore>,
    pub tuning: Option<FleetTuning>,
    pub faults: u64,
    /// The newest of them.
    pub last_faults: Vec<FleetFault>,
}

/// How many of something.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetCount {
    pub what: String,
    pub count: u64,
}

/// The first engine of a match against the second.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetScore {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Pairs by points: 0, ½, 1, 1½, 2.
    pub pairs: [u64; 5],
    pub elo: Option<Interval>,
    /// Every engine against all others together.
    pub engines: Vec<FleetEngine>,
    pub sprt: Option<FleetSprt>,
}

/// One engine of a match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetEngine {
    pub name: String,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Games it lost otherwise than on the board, by kind.
    pub faults: Vec<FleetCount>,
}

/// A sequential test.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetSprt {
    /// What is tested, as it was asked for.
    pub test: String,
    /// What it says so far.
    pub verdict: String,
    /// Log-likelihood ratio, and where it ends.
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    /// As it went, thinned out.
    pub curve: Vec<SprtPoint>,
}

/// The ratio after so many games.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SprtPoint {
    pub games: u64,
    pub ratio: f64,
}

/// Numbers as SPSA moves them.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetTuning {
    pub iteration: u64,
    pub iterations: u64,
    pub numbers: Vec<FleetNumber>,
    /// As they went, thinned out.
    pub curve: Vec<SpsaPoint>,
}

/// A number that is tuned.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetNumber {
    pub name: String,
    pub start: f64,
    pub value: f64,
}

/// All numbers after an iteration, in their order.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SpsaPoint {
    pub iteration: u64,
    pub values: Vec<f64>,
}

/// What a worker may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FleetStanding {
    Probation,
    Admitted,
    Barred,
}

/// A worker.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetWorker {
    pub id: String,
    pub owner: String,
    /// Processors it lends.
    pub cores: u32,
    /// Nodes a second of one thread.
    pub speed: u64,
    pub version: String,
    pub standing: FleetStanding,
    /// Why it stands there.
    pub reason: Option<String>,
    /// Seconds since 1970, in whole minutes.
    pub last_seen: i64,
    /// Tasks it has now.
    pub tasks: u64,
    /// How far its results are from the others', in deviations, in the run where it is furthest.
    pub residual: Option<f64>,
}

/// Something that went wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetFault {
    /// Seconds since 1970.
    pub at: i64,
    pub run: Option<String>,
    pub worker: Option<String>,
    pub kind: String,
    pub reason: String,
}
