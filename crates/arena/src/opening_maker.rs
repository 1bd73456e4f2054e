//! Making openings: random moves, kept where a short search finds the position balanced.
//!
//! Every candidate follows from the seed and its number alone, and candidates are taken in order,
//! so the same settings give the same openings however many are judged at a time.

use crate::opening::{Opening, PlyRange};
use crate::request::{OpeningSource, RequestError};
use crate::runner::{MatchRunner, Plan};
use crate::schedule::{Format, Schedule};
use crate::spec::{EngineSpec, pairs};
use crate::timed_game::Terms;
use durable::Draft;
use engines::{Allowed, EngineFault, Player, PlayerError, SearchRequest};
use rules::Game;
use seed::Rng;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use think::Score;
use thiserror::Error;
use usi::Go;

/// What judges where nothing else is asked for: a table small enough to be cleared every time.
const JUDGE: &str = "cmd=self,option.USI_Hash=16,option.Threads=1";

/// Openings somebody asks for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct OpeningSettings {
    #[serde(with = "crate::as_text")]
    pub game: Game,
    pub count: usize,
    /// How many random moves.
    pub plies: PlyRange,
    /// How far from zero the value may be, in hundredths of a pawn.
    pub margin: u32,
    /// Nodes of the search that judges.
    pub nodes: u64,
    /// The engine that judges, as in a match; our own if missing.
    pub engine: Option<String>,
    /// `startpos`, a handicap or an SFEN.
    pub start: String,
    pub seed: u64,
    /// How many are judged at a time.
    pub concurrency: usize,
}

impl Default for OpeningSettings {
    fn default() -> Self {
        Self {
            game: Game::Shogi,
            count: 500,
            plies: PlyRange { first: 8, last: 8 },
            margin: 100,
            nodes: 10_000,
            engine: None,
            start: "startpos".to_owned(),
            seed: 1,
            concurrency: 1,
        }
    }
}

/// Why there are no openings, or too few.
#[derive(Debug, Error)]
pub enum OpeningMakerError {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("the engine: {0}")]
    Engine(EngineFault),
    #[error("{0}")]
    Elsewhere(String),
    #[error("interrupted")]
    Interrupted,
    #[error("{} exists: --force replaces it", .0.display())]
    Exists(PathBuf),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
}

impl OpeningSettings {
    /// Makes the openings, as the text of their file. `progress` is told how many there are and
    /// how many candidates were needed.
    pub fn make(
        &self,
        runner: &MatchRunner,
        progress: &mut dyn FnMut(usize, u64),
    ) -> Result<MadeOpenings, OpeningMakerError> {
        let plan = self.plan()?;
        runner.try_out(&plan, 0).map_err(OpeningMakerError::Engine)?;
        let judge = || -> Judge<'_> {
            let judge = OpeningJudge::new(self, runner);
            match judge {
                Ok(mut judge) => Box::new(move |number| Ok(judge.value(number)?)),
                Err(error) => {
                    let mut error = Some(error);
                    Box::new(move |_| {
                        Err(error.take().map_or(OpeningMakerError::Interrupted, Into::into))
                    })
                }
            }
        };
        self.make_by(&judge, &runner.abandoned, progress)
    }

    /// The same with candidates judged by whatever `judge` makes, one for each thread.
    pub fn make_by<'j>(
        &self,
        judge: &(dyn Fn() -> Judge<'j> + Sync),
        stop: &AtomicBool,
        progress: &mut dyn FnMut(usize, u64),
    ) -> Result<MadeOpenings, OpeningMakerError> {
        let collector =
            make(OpeningCollector::new(self)?, self.concurrency, judge, stop, progress)?;
        if stop.load(Ordering::Relaxed) {
            return Err(OpeningMakerError::Interrupted);
        }
        Ok(collector.made())
    }

    /// Makes them and writes their file, whole or not at all. Says how many there are.
    pub fn write(
        &self,
        path: &Path,
        force: bool,
        runner: &MatchRunner,
        progress: &mut dyn FnMut(usize, u64),
    ) -> Result<usize, OpeningMakerError> {
        Self::write_made(path, force, || self.make(runner, progress))
    }

    /// Writes the file of openings that `make` makes, whole or not at all.
    pub fn write_made(
        path: &Path,
        force: bool,
        make: impl FnOnce() -> Result<MadeOpenings, OpeningMakerError>,
    ) -> Result<usize, OpeningMakerError> {
        if path.exists() && !force {
            return Err(OpeningMakerError::Exists(path.to_owned()));
        }
        let failed = |source| OpeningMakerError::File { path: path.to_owned(), source };
        // A file that cannot be written is better known before the work than after it.
        let mut draft = Draft::new(path).map_err(failed)?;
        let made = make()?;
        let written = draft.write_all(made.text.as_bytes()).and_then(|()| draft.publish(force));
        written.map_err(failed)?;
        Ok(made.count)
    }

    /// The engine that judges, as in a match.
    pub fn judge(&self) -> &str {
        self.engine.as_deref().unwrap_or(JUDGE)
    }

    fn generator(&self) -> Result<OpeningGenerator, RequestError> {
        if self.count == 0 || self.concurrency == 0 {
            let flag = if self.count == 0 { "--count" } else { "-j" };
            return Err(RequestError::Usage(format!("{flag} takes a number above 0")));
        }
        let source = OpeningSource {
            game: self.game,
            file: None,
            plies: None,
            start: self.start.clone(),
            max_moves: 0,
        };
        Ok(OpeningGenerator {
            start: source.named()?,
            plies: self.plies,
            margin: i32::try_from(self.margin).unwrap_or(i32::MAX),
            count: self.count,
            seed: self.seed,
        })
    }

    fn plan(&self) -> Result<Plan, RequestError> {
        let generator = self.generator()?;
        let given = pairs(&format!("nodes={},{}", self.nodes, self.judge()));
        let engine = EngineSpec::from_pairs(given.iter().map(|(k, v)| (k.as_str(), v.as_str())))
            .map_err(|e| RequestError::Usage(format!("--engine: {e}")))?;
        Ok(Plan {
            game: self.game,
            engines: vec![engine],
            schedule: Schedule::new(Format::RoundRobin, 1, 0, 1, self.seed),
            openings: vec![generator.start],
            terms: Terms::default(),
            concurrency: self.concurrency,
            cpus: Vec::new(),
        })
    }
}

/// Openings that were made: fewer than asked for where the settings are hopeless.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MadeOpenings {
    pub count: usize,
    /// Their file: a line that says how they were made, and one for each.
    pub text: String,
}

/// A number of random moves such as `8`, or a range such as `6-10`.
pub fn parse_plies(text: &str) -> Result<PlyRange, String> {
    PlyRange::within(text, 0..=200).ok_or_else(|| {
        "expected a number such as 8, or a range such as 6-10 (at most 200)".to_owned()
    })
}

/// Where candidates come from.
#[derive(Clone, Debug)]
pub struct OpeningGenerator {
    /// Where all begin.
    pub start: Opening,
    /// How many random moves.
    pub plies: PlyRange,
    /// How far from zero the value may be, in hundredths of a pawn.
    pub margin: i32,
    /// How many to make.
    pub count: usize,
    pub seed: u64,
}

/// An opening that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JudgedOpening {
    pub opening: Opening,
    /// Its value for the side to move, in hundredths of a pawn.
    pub value: i32,
}

/// Candidates that may fail in a row before the settings count as hopeless.
const PATIENCE: u64 = 20_000;

impl OpeningGenerator {
    /// The file of openings made with it: a line that says how, and one for each; `judge` says who
    /// judged them.
    pub fn text(&self, made: &[JudgedOpening], judge: &str) -> String {
        let PlyRange { first: least, last: most } = self.plies;
        let mut text = format!(
            "# {} openings: {least} to {most} random moves, within {} of zero, {judge}, seed {}\n",
            made.len(),
            self.margin,
            self.seed
        );
        for made in made {
            text += &format!("{}\n", made.opening.line());
        }
        text
    }

    /// The candidate of that number; `None` where its moves ran into an end or a check.
    pub fn candidate(&self, number: u64) -> Option<Opening> {
        let mut random = Rng::new(self.seed).split(number);
        let PlyRange { first: least, last: most } = self.plies;
        let plies = least + random.below(most.saturating_sub(least) + 1);
        let mut position = self.start.position().clone();
        let mut moves = self.start.moves().to_vec();
        for _ in 0..plies {
            let legal = position.legal_moves();
            let m = *legal.get(random.below(legal.len()))?;
            position.play(m);
            moves.push(m);
        }
        // A position in check is nobody's choice.
        let quiet = !position.in_check();
        quiet.then(|| Opening::new(self.start.start().clone(), moves).ok()).flatten()
    }
}

/// What a candidate is worth for the side to move, in hundredths of a pawn; `None` where it is none, or where there
/// is no number for it.
pub type Judge<'a> = Box<dyn FnMut(u64) -> Result<Option<i32>, OpeningMakerError> + 'a>;

impl From<PlayerError> for OpeningMakerError {
    fn from(error: PlayerError) -> Self {
        match error {
            PlayerError::Fault(fault) => Self::Engine(fault),
            PlayerError::Abandoned => Self::Interrupted,
        }
    }
}

/// Judges candidates with an engine; belongs to one thread.
pub struct OpeningJudge {
    generator: OpeningGenerator,
    plan: Plan,
    player: Box<dyn Player>,
}

impl OpeningJudge {
    pub fn new(settings: &OpeningSettings, runner: &MatchRunner) -> Result<Self, RequestError> {
        Self::permitted(settings, runner, |_| Ok(()))
    }

    /// The same where somebody looks at the plan, and may change it, before anything of it is started.
    pub fn permitted<E: From<RequestError>>(
        settings: &OpeningSettings,
        runner: &MatchRunner,
        permit: impl FnOnce(&mut Plan) -> Result<(), E>,
    ) -> Result<Self, E> {
        let (generator, mut plan) = (settings.generator()?, settings.plan()?);
        permit(&mut plan)?;
        let player = runner.player(&plan, 0, 0, &[]);
        Ok(Self { generator, plan, player })
    }

    /// The value of the candidate of that number, as [`Judge`] tells it.
    pub fn value(&mut self, number: u64) -> Result<Option<i32>, PlayerError> {
        match self.generator.candidate(number) {
            None => Ok(None),
            Some(opening) => value_of(&opening, &self.plan, &mut *self.player),
        }
    }
}

/// Has candidates judged, so many at a time, until there are enough openings, the settings are hopeless or
/// all is to stop.
fn make<'j>(
    mut collector: OpeningCollector,
    concurrency: usize,
    judge: &(dyn Fn() -> Judge<'j> + Sync),
    stop: &AtomicBool,
    progress: &mut dyn FnMut(usize, u64),
) -> Result<OpeningCollector, OpeningMakerError> {
    let next = AtomicU64::new(0);
    let enough = AtomicBool::new(false);
    let (sender, judged) = channel();
    thread::scope(|scope| {
        for _ in 0..concurrency.max(1) {
            let (sender, next, enough) = (sender.clone(), &next, &enough);
            scope.spawn(move || {
                let mut judge = judge();
                while !enough.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let value = judge(number);
                    let ends = value.is_err();
                    if sender.send((number, value)).is_err() || ends {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut outcome = Ok(());
        while let Ok((number, value)) = judged.recv() {
            match value {
                Ok(value) => collector.judged(number, value),
                // Whoever was broken off says nothing about the others.
                Err(OpeningMakerError::Interrupted) => {}
                Err(error) if outcome.is_ok() => outcome = Err(error),
                Err(_) => {}
            }
            progress(collector.count(), collector.candidates());
            if collector.is_over() || outcome.is_err() {
                enough.store(true, Ordering::Relaxed);
                break;
            }
        }
        outcome
    })?;
    Ok(collector)
}

/// What the judge thinks of a position, without what it thought of others.
fn value_of(
    opening: &Opening,
    plan: &Plan,
    judge: &mut dyn Player,
) -> Result<Option<i32>, PlayerError> {
    judge.prepare(opening.game(), &mut |_| ())?;
    let control = plan.engines[0].control;
    let line = opening.game_line();
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let go = Go {
        nodes: control.nodes,
        depth: control.depth,
        movetime: control.movetime.map(millis),
        ..Go::default()
    };
    let decision = judge.think(&SearchRequest::new(&line, go, Allowed::Untimed), None)?;
    Ok(match decision.info.and_then(|info| info.score) {
        Some((Score::Cp(value), _)) => Some(value),
        _ => None,
    })
}

/// Openings as they are made from candidates that were judged in any order.
pub struct OpeningCollector {
    settings: OpeningSettings,
    generator: OpeningGenerator,
    /// Judged before those in front of them.
    waiting: BTreeMap<u64, Option<i32>>,
    made: Vec<JudgedOpening>,
    seen: HashSet<String>,
    /// Candidates looked at, and how many of them since the last that was kept.
    taken: u64,
    failed_in_a_row: u64,
}

impl OpeningCollector {
    pub fn new(settings: &OpeningSettings) -> Result<Self, RequestError> {
        Ok(Self {
            settings: settings.clone(),
            generator: settings.generator()?,
            waiting: BTreeMap::new(),
            made: Vec::new(),
            seen: HashSet::new(),
            taken: 0,
            failed_in_a_row: 0,
        })
    }

    /// Takes what a candidate is worth. Candidates count in the order of their numbers, and none after the last
    /// opening.
    pub fn judged(&mut self, number: u64, value: Option<i32>) {
        self.waiting.insert(number, value);
        while !self.is_over()
            && let Some(value) = self.waiting.remove(&self.taken)
        {
            let within = value.filter(|value| value.abs() <= self.generator.margin);
            let opening = within.and_then(|_| self.generator.candidate(self.taken));
            let made = within.zip(opening);
            self.take(made.map(|(value, opening)| JudgedOpening { opening, value }));
        }
    }

    fn take(&mut self, made: Option<JudgedOpening>) {
        self.taken += 1;
        self.failed_in_a_row += 1;
        let Some(made) = made else { return };
        // The number of moves does not make a position another one.
        let sfen = made.opening.position().sfen();
        let position = sfen.rsplit_once(' ').map_or(sfen.as_str(), |(position, _)| position);
        if self.seen.insert(position.to_owned()) {
            self.made.push(made);
            self.failed_in_a_row = 0;
        }
    }

    /// How many openings there are.
    pub fn count(&self) -> usize {
        self.made.len()
    }

    /// How many candidates that took.
    pub const fn candidates(&self) -> u64 {
        self.taken
    }

    /// Whether there are enough, or the settings are hopeless.
    pub fn is_over(&self) -> bool {
        self.made.len() >= self.settings.count || self.failed_in_a_row >= PATIENCE
    }

    /// The openings with the text of their file.
    pub fn made(&self) -> MadeOpenings {
        let OpeningSettings { nodes, .. } = self.settings;
        let judge = format!("{nodes} nodes of {}", self.settings.judge());
        MadeOpenings { count: self.made.len(), text: self.generator.text(&self.made, &judge) }
    }
}

#[cfg(test)]
mod tests;
