//! A tuning as somebody asks for it, made into a plan.

use crate::adjudication::{Adjudication, DrawRule, ResignRule};
use crate::game::game_rules;
use crate::parameters::{self, Tunable};
use crate::request::{OpeningSource, RequestError};
use crate::runner::{MatchRunner, Plan};
use crate::schedule::{Format, Schedule};
use crate::spec::EngineSpec;
use crate::spsa::{Gains, Parameter};
use crate::timed_game::Terms;
use rules::Declaration;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use think::key::universal::{HASH, THREADS};

/// What our own engine calls the numbers of its search, as options.
const OPTION: &str = "Param.";
/// What every engine is given unless told otherwise: as many as there are processors must fit.
pub const HASH_MIB: usize = 16;
/// What a player may overstep its time by.
const MARGIN: Duration = Duration::from_millis(50);

/// A tuning somebody asks for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningRequest {
    /// Another engine, as a list of `key=value`; `None` for our own.
    pub engine: Option<String>,
    /// Numbers to tune with commas between them, or `all`; each may have its own gains.
    pub params: String,
    /// Where numbers begin, as `NAME=VALUE`.
    pub set: Vec<String>,
    pub iterations: Option<u64>,
    /// Games instead of iterations.
    pub games: Option<u64>,
    /// Pairs of games of an iteration.
    pub pairs: u64,
    /// Nodes of a move, or a clock.
    pub nodes: Option<String>,
    pub tc: Option<String>,
    /// Options of the engine, as `NAME=VALUE`.
    pub options: Vec<String>,
    /// Step at the end, as a share of a number's range.
    pub c: f64,
    /// What a won game moves a number by at the end, as a share of the step.
    pub r: f64,
    /// Stability constant, as a share of the iterations.
    pub a: f64,
    pub openings: OpeningSource,
    pub seed: u64,
    /// Games at a time.
    pub concurrency: usize,
    #[serde(with = "crate::as_text::option")]
    pub resign: Option<ResignRule>,
    #[serde(with = "crate::as_text::option")]
    pub draw: Option<DrawRule>,
    #[serde(with = "crate::as_text")]
    pub declaration: Declaration,
    /// The numbers of another engine, where somebody has asked it for them already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<Tunable>,
}

/// A tuning, and what the user should know about it.
pub struct TuningPlan {
    pub plan: Plan,
    pub parameters: Vec<Parameter>,
    /// The options they are, in the same order.
    pub options: Vec<String>,
    /// What stands before a number's name in the name of its option.
    pub prefix: &'static str,
    pub gains: Gains,
    pub warnings: Vec<String>,
}

fn usage(text: impl Into<String>) -> RequestError {
    RequestError::Usage(text.into())
}

impl TuningRequest {
    /// The numbers another engine lets others set, asked of it if they are not known; `None` if it is our own.
    pub fn declared(&self, runner: &MatchRunner) -> Result<Option<Vec<Tunable>>, RequestError> {
        if self.engine.is_none() {
            return Ok(None);
        }
        if !self.numbers.is_empty() {
            return Ok(Some(self.numbers.clone()));
        }
        let spec = self.engine("the engine", &[])?;
        let introduction = runner
            .introduction(&spec)
            .map_err(|fault| RequestError::Failed(format!("engine {:?}: {fault}", spec.name)))?;
        let mut table = parameters::declared(&introduction);
        // What it is given anyway is where it begins.
        for number in &mut table {
            let given = spec.options.iter().rev().find(|(name, _)| *name == number.name);
            let value = given.and_then(|(_, value)| value.parse().ok());
            number.default = value.unwrap_or(number.default).clamp(number.min, number.max);
        }
        Ok(Some(table))
    }

    /// The tuning that is meant, of numbers in this table.
    pub fn plan(&self, table: &[Tunable]) -> Result<TuningPlan, RequestError> {
        if self.engine.is_some() && self.params.split(',').any(|name| name.trim() == "all") {
            // Among them are sizes and times, which are no matter of taste.
            let known: Vec<&str> = table.iter().map(|number| &*number.name).collect();
            let known = known.join(", ");
            return Err(usage(format!("which numbers? --params names some of its: {known}")));
        }
        let iterations = match (self.iterations, self.games) {
            (Some(n), _) => n,
            (None, Some(games)) => games.div_ceil(2 * self.pairs),
            (None, None) => {
                return Err(usage("how long to tune is missing: give --iterations or --games"));
            }
        };
        if iterations == 0 {
            let flag = if self.iterations.is_some() { "--iterations" } else { "--games" };
            return Err(usage(format!("{flag} takes a number above 0")));
        }
        let rounds = iterations.checked_mul(self.pairs).filter(|n| *n <= 1 << 40);
        let rounds = rounds.ok_or_else(|| usage("too many games: at most 2^41 are played"))?;
        let positive = |name: &str, n: f64| match n.is_finite() && n > 0.0 {
            true => Ok(n),
            false => Err(usage(format!("--{name} takes a number above 0, not {n}"))),
        };
        let (c, r) = (positive("c", self.c)?, positive("r", self.r)?);
        let set = parameters::given(table, &self.set).map_err(usage)?;
        let parameters = parameters::chosen(table, &self.params, &set, c, r).map_err(usage)?;
        let prefix = self.prefix();
        let options = parameters.iter().map(|p| format!("{prefix}{}", p.name)).collect();
        let gains = Gains { stability: positive("a", self.a)?, ..Gains::new(iterations) };
        let mut warnings = Vec::new();
        if let (None, Some(games)) = (self.iterations, self.games)
            && games != 2 * rounds
        {
            let (played, each) = (2 * rounds, 2 * self.pairs);
            warnings.push(format!("{played} games instead of {games}: an iteration has {each}"));
        }
        let openings = self.openings.read(&mut warnings)?;
        let schedule = Schedule::new(Format::RoundRobin, 2, rounds, openings.len(), self.seed);
        if self.openings.file.is_none() {
            warnings.push("every game begins alike: give --openings".to_owned());
        }
        let plan = Plan {
            game: self.openings.game,
            engines: vec![self.engine("plus", &set)?, self.engine("minus", &set)?],
            schedule,
            openings,
            terms: Terms {
                rules: game_rules(self.declaration, self.openings.max_moves),
                adjudication: Adjudication { resign: self.resign, draw: self.draw },
                margin: MARGIN,
            },
            concurrency: self.concurrency,
            cpus: Vec::new(),
        };
        Ok(TuningPlan { plan, parameters, options, prefix, gains, warnings })
    }

    /// What stands before a number's name in the name of its option.
    const fn prefix(&self) -> &'static str {
        if self.engine.is_some() { "" } else { OPTION }
    }

    fn engine(&self, name: &str, set: &[(String, i64)]) -> Result<EngineSpec, RequestError> {
        let mut pairs = match &self.engine {
            Some(text) => crate::spec::pairs(text),
            None => vec![("cmd".to_owned(), "self".to_owned())],
        };
        if self.engine.is_none() {
            let usual = [HASH.to(HASH_MIB), THREADS.to(1)];
            pairs.extend(usual.map(|(name, value)| (format!("option.{name}"), value)));
        }
        pairs.push(("name".to_owned(), name.to_owned()));
        match (&self.nodes, &self.tc) {
            (Some(nodes), _) => pairs.push(("nodes".to_owned(), nodes.clone())),
            (None, Some(tc)) => pairs.push(("tc".to_owned(), tc.clone())),
            // Another engine may have its limit among its keys.
            (None, None) if self.engine.is_some() => {}
            (None, None) => {
                return Err(usage("how long to think is missing: give --nodes or --tc"));
            }
        }
        for option in &self.options {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            pairs.push((format!("option.{name}"), value.to_owned()));
        }
        for (name, value) in set {
            pairs.push((format!("option.{}{name}", self.prefix()), value.to_string()));
        }
        EngineSpec::from_pairs(pairs.iter().map(|(k, v)| (k.as_str(), v.as_str())))
            .map_err(|e| usage(e.to_string()))
    }
}
