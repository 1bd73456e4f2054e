//! The command line of `nue tune`.

use crate::flags::{FleetFlag, GameEndFlags};
use crate::start::GameArg;
use arena::adjudication::ResignRule;
use arena::request::OpeningSource;
use arena::tuning_request::TuningRequest;
use clap::Args;
use std::path::PathBuf;

/// Tune numbers of an engine by games against itself (SPSA)
///
/// Every iteration plays all numbers a step one way against all a step the other way, the same
/// opening from both sides, and moves them towards the winner.
#[derive(Args)]
pub(crate) struct TuneArgs {
    /// Another engine, whose options of type spin are tuned: KEY=VALUE pairs as in nue match
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub(crate) engine: Option<String>,

    /// Numbers to tune, with commas between them, or "all" of our own engine; one may have its own
    /// gains and a part of its range: rfp_margin:c=8:r=0.002:min=50:max=200
    #[arg(long, value_name = "NAMES", default_value = "all")]
    pub(crate) params: String,

    /// Where a number begins, if not at its default; repeated. What is not tuned keeps it too
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,

    /// Iterations to play in all
    #[arg(long, value_name = "N", conflicts_with = "games")]
    pub(crate) iterations: Option<u64>,

    /// Games instead of iterations, which have two times --pairs of them
    #[arg(long, value_name = "N")]
    pub(crate) games: Option<u64>,

    /// Pairs of games of an iteration
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) pairs: u64,

    /// Nodes for each move
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<String>,

    /// Clock in seconds, such as 10+0.1
    #[arg(long, value_name = "CLOCK", conflicts_with = "nodes")]
    pub(crate) tc: Option<String>,

    /// An option of the engine, such as EvalDir=nets/big; repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) option: Vec<String>,

    /// Step at the end, as a share of a number's range (at least half a unit)
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) c: f64,

    /// What a won game moves a number by at the end, as a share of the step
    #[arg(long, value_name = "SHARE", default_value_t = 0.002)]
    pub(crate) r: f64,

    /// Stability constant, as a share of the iterations
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    pub(crate) a: f64,

    /// Positions, lines or game records to begin from
    #[arg(long, value_name = "FILE")]
    pub(crate) openings: Option<PathBuf>,

    /// Moves to take from each opening; by default all of USI lines, 24 of game records
    #[arg(long, value_name = "N")]
    pub(crate) plies: Option<usize>,

    /// Where games begin without --openings: startpos, a handicap or an SFEN
    #[arg(long, value_name = "POSITION", default_value = "startpos")]
    pub(crate) start: String,

    /// Seed of directions, roundings and the order of openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Games at a time
    #[arg(long, short = 'j', value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) concurrency: u16,

    /// End games that are lost by score: score=3000,moves=4[,both=false]
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub(crate) resign: Option<ResignRule>,

    #[command(flatten)]
    pub(crate) end: GameEndFlags,

    /// Log, a line of JSON for every iteration
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Go on with the tuning in --out
    #[arg(long)]
    pub(crate) resume: bool,

    /// Replace the tuning in --out
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,

    /// Folder for logs: every line to and from each program, with the time
    #[arg(long, value_name = "FOLDER")]
    pub(crate) log: Option<PathBuf>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) fleet: FleetFlag,

    #[command(flatten)]
    pub(crate) game: GameArg,
}

impl TuneArgs {
    /// The tuning the arguments ask for.
    pub(super) fn request(&self) -> TuningRequest {
        let openings = OpeningSource {
            game: self.game.game,
            file: self.openings.clone(),
            plies: self.plies,
            start: self.start.clone(),
            max_moves: self.end.max_moves,
        };
        TuningRequest {
            engine: self.engine.clone(),
            params: self.params.clone(),
            set: self.set.clone(),
            iterations: self.iterations,
            games: self.games,
            pairs: self.pairs,
            nodes: self.nodes.clone(),
            tc: self.tc.clone(),
            options: self.option.clone(),
            c: self.c,
            r: self.r,
            a: self.a,
            openings,
            seed: self.seed,
            concurrency: usize::from(self.concurrency),
            resign: self.resign,
            draw: self.end.draw,
            declaration: self.end.declaration,
            numbers: Vec::new(),
        }
    }
}
