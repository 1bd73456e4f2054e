//! Who plays, and from where: arguments made into a plan.

use super::args::{MatchArgs, shown};
use crate::failure::Failure;
use crate::start;
use arena::adjudication::Adjudication;
use arena::referee::HouseRules;
use arena::spec::pairs;
use arena::timed_game::Terms;
use arena::{EngineSpec, Opening, Plan, Schedule};
use engines::affinity;
use kifu::{Format, ReadOptions, Reader};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::Duration;

/// Moves of a game record that count as its opening.
const RECORD_PLIES: usize = 24;

/// A plan, and what the user should know about it.
pub(crate) struct Entered {
    pub(crate) plan: Plan,
    pub(crate) warnings: Vec<String>,
}

/// The match the arguments ask for.
pub(crate) fn enter(args: &MatchArgs) -> Result<Entered, Failure> {
    let engines = engines(args)?;
    let mut warnings = Vec::new();
    let beginning = Beginning {
        game: args.game.game,
        openings: args.openings.as_deref(),
        plies: args.plies,
        start: &args.start,
        max_moves: args.max_moves,
    };
    let openings = beginning.openings(&mut warnings)?;
    let rounds = args.games.div_ceil(2);
    if args.games == 0 {
        return Err(Failure::usage("no games to play: --games is 0"));
    }
    let schedule = Schedule::new(args.format, engines.len(), rounds, openings.len(), args.seed);
    if schedule.repeats_openings() {
        warnings.push(format!(
            "{} openings for {rounds} pairs of games: they will be repeated",
            openings.len()
        ));
    }
    if args.sprt.is_some() && schedule.pairings().len() != 1 {
        return Err(Failure::usage("--sprt is for a match of two engines"));
    }
    let mut plan = Plan {
        game: args.game.game,
        engines,
        schedule,
        openings,
        terms: Terms {
            rules: HouseRules { declaration: args.declaration, max_moves: args.max_moves },
            adjudication: Adjudication { resign: args.resign, draw: args.draw },
            margin: Duration::from_millis(args.margin),
        },
        concurrency: args.concurrency,
        cpus: Vec::new(),
    };
    let cpus = affinity::available();
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if plan.threads() > count {
        warnings.push(format!(
            "oversubscribed: up to {} threads think at the same time on {count} processors; \
             times and results will suffer",
            plan.threads()
        ));
    }
    if args.pin {
        match shares(&cpus, plan.threads() / plan.concurrency, plan.concurrency) {
            Some(shares) => plan.cpus = shares,
            None => warnings.push("not pinned: too few processors, or none to choose".to_owned()),
        }
    }
    Ok(Entered { plan, warnings })
}

/// Processors for each game at a time, none used twice.
fn shares(cpus: &[usize], each: usize, games: usize) -> Option<Vec<Vec<usize>>> {
    let shares: Vec<Vec<usize>> =
        cpus.chunks_exact(each.max(1)).take(games).map(<[usize]>::to_vec).collect();
    (shares.len() == games).then_some(shares)
}

fn engines(args: &MatchArgs) -> Result<Vec<EngineSpec>, Failure> {
    if args.engines.len() < 2 {
        return Err(Failure::usage("a match needs two engines: give --engine twice or more"));
    }
    let shared: Vec<_> = args.each.iter().flat_map(|text| pairs(text)).collect();
    let mut engines: Vec<EngineSpec> = Vec::new();
    for text in &args.engines {
        let own = pairs(text);
        let all = shared.iter().chain(&own).map(|(key, value)| (key.as_str(), value.as_str()));
        let mut engine = EngineSpec::from_pairs(all)
            .map_err(|e| Failure::usage(format!("--engine {text}: {e}")))?;
        let taken = |name: &str| engines.iter().any(|other| other.name == name);
        if taken(&engine.name) {
            let free = (2..).map(|n| format!("{} {n}", engine.name)).find(|name| !taken(name));
            engine.name = free.unwrap_or_default();
        }
        engines.push(engine);
    }
    Ok(engines)
}

/// Where games begin, as a command line says it.
pub(crate) struct Beginning<'a> {
    pub(crate) game: rules::Game,
    pub(crate) openings: Option<&'a Path>,
    pub(crate) plies: Option<usize>,
    pub(crate) start: &'a str,
    pub(crate) max_moves: u32,
}

impl Beginning<'_> {
    /// The openings; those that are none are left out with a warning.
    pub(crate) fn openings(&self, warnings: &mut Vec<String>) -> Result<Vec<Opening>, Failure> {
        let Some(path) = self.openings else {
            let position = start::resolve(self.game, self.start, &[])?;
            let opening = Opening::new(position, Vec::new())
                .map_err(|e| Failure::failed(format!("--start {:?}: {e}", self.start)))?;
            return Ok(vec![opening]);
        };
        let (openings, problems) = self.read(path)?;
        if openings.is_empty() {
            let why = problems.first().map_or_else(|| "the file is empty".to_owned(), Clone::clone);
            return Err(Failure::failed(format!("no opening in {}: {why}", shown(path))));
        }
        if let Some(first) = problems.first() {
            warnings.push(format!("{} openings left out, the first: {first}", problems.len()));
        }
        Ok(openings)
    }

    fn read(&self, path: &Path) -> Result<(Vec<Opening>, Vec<String>), Failure> {
        let file =
            File::open(path).map_err(|e| Failure::failed(format!("{}: {e}", shown(path))))?;
        let options = ReadOptions { format: None, game: Some(self.game) };
        let reader = Reader::new(shown(path), BufReader::with_capacity(1 << 16, file), options);
        let whole_lines = is_lines(path);
        let plies = self.plies.or((!whole_lines).then_some(RECORD_PLIES));
        let (mut openings, mut problems) = (Vec::new(), Vec::new());
        for (index, read) in reader.enumerate() {
            let opening = read.map_err(|e| e.to_string()).and_then(|record| {
                let opening = Opening::from_record(&record, plies).map_err(|e| e.to_string())?;
                if opening.game() != self.game {
                    return Err(format!("a position of {}", opening.game()));
                }
                let played = opening.position().ply().saturating_sub(1);
                if self.max_moves > 0 && played >= self.max_moves {
                    return Err(format!("{played} moves are the limit of the game or more"));
                }
                Ok(opening)
            });
            match opening {
                Ok(opening) => openings.push(opening),
                Err(problem) => problems.push(format!("opening {}: {problem}", index + 1)),
            }
        }
        Ok((openings, problems))
    }
}

/// Whether the file holds lines of openings rather than records of games.
fn is_lines(path: &Path) -> bool {
    let mut beginning = String::new();
    let read = File::open(path).map(|file| {
        let mut file = std::io::Read::take(file, 4096);
        let mut bytes = Vec::new();
        let _ = std::io::Read::read_to_end(&mut file, &mut bytes);
        beginning = String::from_utf8_lossy(&bytes).into_owned();
    });
    let by_name = || Format::from_file_name(&path.to_string_lossy());
    let format = read.ok().and_then(|()| Format::detect(&beginning)).or_else(by_name);
    format.is_none_or(|format| format == Format::Usi)
}
