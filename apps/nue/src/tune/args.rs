//! The command line of `nue tune`.

use crate::failure::Failure;
use crate::start::GameArg;
use alphabeta::{ParamSpec, Params};
use arena::adjudication::{Adjudication, DrawRule, ResignRule};
use arena::game_rules;
use arena::parameters::{self, Tunable};
use arena::request::OpeningSource;
use arena::spsa::{Gains, Parameter};
use arena::timed_game::Terms;
use arena::{EngineSpec, Format, Plan, Schedule};
use assembly::options::{HASH, THREADS};
use clap::Args;
use rules::{Declaration, Game};
use std::path::PathBuf;
use std::time::Duration;

/// What every engine is given unless told otherwise: as many as there are processors must fit.
const HASH_MIB: usize = 16;

/// Tune the numbers of the search by games of the engine against itself (SPSA)
///
/// Every iteration plays all numbers a step one way against all a step the other way, the same
/// opening from both sides, and moves them towards the winner.
#[derive(Args)]
pub(crate) struct TuneArgs {
    /// Numbers to tune, with commas between them, or "all"; one may have its own gains:
    /// rfp_margin:c=8:r=0.002
    #[arg(long, value_name = "NAMES", default_value = "all")]
    pub(crate) params: String,

    /// Where a number begins, if not at its default; repeated. What is not tuned keeps it too
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,

    /// Iterations
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

    /// End games that are drawn by score: score=10,moves=20[,from=100]
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub(crate) draw: Option<DrawRule>,

    /// Moves after which a game is drawn; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = 320)]
    pub(crate) max_moves: u32,

    /// Entering-king rule
    #[arg(long, value_name = "RULE", default_value = "CSARule27", value_parser = |s: &str| s.parse::<Declaration>())]
    pub(crate) declaration: Declaration,

    /// Log, a line of JSON for every iteration
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Go on with the tuning in --out
    #[arg(long)]
    pub(crate) resume: bool,

    /// Replace the tuning in --out
    #[arg(long, conflicts_with = "resume")]
    pub(crate) force: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) game: GameArg,
}

/// The numbers of the search, as the tuner sees them.
fn tunable(game: Game) -> Vec<Tunable> {
    let params = Params::of(game);
    let tunable = |p: &ParamSpec| Tunable {
        name: p.name,
        default: params.get(p.name).unwrap_or(p.default),
        min: p.min,
        max: p.max,
    };
    Params::TABLE.iter().map(tunable).collect()
}

/// A tuning, and what the user should know about it.
pub(super) struct Entered {
    pub(super) plan: Plan,
    pub(super) parameters: Vec<Parameter>,
    pub(super) gains: Gains,
    pub(super) warnings: Vec<String>,
}

impl TuneArgs {
    /// The tuning the arguments ask for.
    pub(super) fn enter(&self) -> Result<Entered, Failure> {
        let iterations = match (self.iterations, self.games) {
            (Some(n), _) => n,
            (None, Some(games)) => games.div_ceil(2 * self.pairs),
            (None, None) => {
                return Err(Failure::usage(
                    "how long to tune is missing: give --iterations or --games",
                ));
            }
        };
        let rounds = iterations.checked_mul(self.pairs).filter(|n| (1..=1 << 40).contains(n));
        let rounds = rounds.ok_or_else(|| Failure::usage("--games is too large"))?;
        let positive = |name: &str, n: f64| match n.is_finite() && n > 0.0 {
            true => Ok(n),
            false => Err(Failure::usage(format!("--{name} takes a number above 0, not {n}"))),
        };
        let (c, r) = (positive("c", self.c)?, positive("r", self.r)?);
        let table = tunable(self.game.game);
        let set = parameters::given(&table, &self.set).map_err(Failure::usage)?;
        let tuned = parameters::chosen(&table, &self.params, &set, c, r).map_err(Failure::usage)?;
        let gains = Gains { stability: positive("a", self.a)?, ..Gains::new(iterations) };
        let mut warnings = Vec::new();
        let source = OpeningSource {
            game: self.game.game,
            file: self.openings.clone(),
            plies: self.plies,
            start: self.start.clone(),
            max_moves: self.max_moves,
        };
        let openings = source.read(&mut warnings)?;
        let schedule = Schedule::new(Format::RoundRobin, 2, rounds, openings.len(), self.seed);
        if self.openings.is_none() {
            warnings.push("every game begins alike: give --openings".to_owned());
        }
        let plan = Plan {
            game: self.game.game,
            engines: vec![self.engine("plus", &set)?, self.engine("minus", &set)?],
            schedule,
            openings,
            terms: Terms {
                rules: game_rules(self.declaration, self.max_moves),
                adjudication: Adjudication { resign: self.resign, draw: self.draw },
                margin: Duration::from_millis(50),
            },
            concurrency: usize::from(self.concurrency),
            cpus: Vec::new(),
        };
        Ok(Entered { plan, parameters: tuned, gains, warnings })
    }

    fn engine(&self, name: &str, set: &[(String, i64)]) -> Result<EngineSpec, Failure> {
        let mut pairs = vec![("cmd".to_owned(), "self".to_owned())];
        for (name, value) in [HASH.to(HASH_MIB), THREADS.to(1)] {
            pairs.push((format!("option.{name}"), value));
        }
        pairs.push(("name".to_owned(), name.to_owned()));
        match (&self.nodes, &self.tc) {
            (Some(nodes), _) => pairs.push(("nodes".to_owned(), nodes.clone())),
            (None, Some(tc)) => pairs.push(("tc".to_owned(), tc.clone())),
            (None, None) => {
                return Err(Failure::usage("how long to think is missing: give --nodes or --tc"));
            }
        }
        for option in &self.option {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            pairs.push((format!("option.{name}"), value.to_owned()));
        }
        for (name, value) in set {
            pairs.push((format!("option.{}{name}", super::OPTION), value.to_string()));
        }
        EngineSpec::from_pairs(pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())))
            .map_err(|e| Failure::usage(e.to_string()))
    }
}
