//! `nue match`: games between engines, with statistics.
//!
//! The games are played, counted and written down by room `arena`; here are the flags and the table
//! that updates in place. Progress goes to the error stream, results to standard output.

mod args;

pub(crate) use args::MatchArgs;

use crate::assemble;
use crate::evaluation::Evaluation;
use crate::failure::{CommandResult, Failure};
use crate::live::Live;
use arena::ledger::Entry;
use arena::progress::{MatchOptions, MatchProgress, ProgressError};
use arena::request::RequestError;
use arena::spec::{EngineSpec, Launch};
use arena::{Event, Finished, Flow, MatchRunner, Plan};
use assembly::options::{EVAL_DIR, is_always_sent};
use rules::Game;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

/// Runs the command.
pub(crate) fn run(args: MatchArgs) -> CommandResult {
    let args = args.with_config()?;
    let (plan, warnings) = args.request().plan()?;
    for warning in &warnings {
        say(&format!("warning: {warning}"));
    }
    let runner = assemble::match_runner();
    try_out(&plan, &runner)?;
    let options = MatchOptions {
        out: args.out.clone(),
        resume: args.resume,
        force: args.force,
        seed: args.seed,
        sprt: args.sprt,
        give_up: args.give_up,
    };
    let progress = MatchProgress::begin(&plan, options)?;
    let done = progress.done().clone();
    if !done.is_empty() {
        say(&format!("{} games are played already", done.len()));
    }
    let played = done.len() as u64;
    let live = Live::new(plan.schedule.games(), played);
    let mut watch = Watch { json: args.json, plan: &plan, progress, live, played, failure: None };
    watch.show();
    if watch.progress.is_over().is_none() {
        runner.run(&plan, &|id| !done.contains(&id), &mut |event| watch.hear(event));
    }
    watch.end(runner.abandoned.load(Ordering::Relaxed), args.out.is_some())
}

/// Starts every engine once: what cannot work is said before the first game.
fn try_out(plan: &Plan, runner: &MatchRunner) -> CommandResult {
    for (index, engine) in plan.engines.iter().enumerate() {
        check_evaluation(engine, plan.game)?;
        let introduction = runner
            .try_out(plan, index)
            .map_err(|fault| Failure::failed(format!("engine {:?}: {fault}", engine.name)))?;
        let known = |name: &str| is_always_sent(name) || introduction.declares(name);
        for (name, _) in engine.options.iter().filter(|(name, _)| !known(name)) {
            say(&format!("warning: engine {:?} declares no option {name:?}", engine.name));
        }
        let told = introduction.name.map_or_else(String::new, |name| format!(" ({name})"));
        say(&format!("{}{told}: {}", engine.name, engine.control));
    }
    Ok(())
}

/// Our own engine plays on with what is inside it when a net cannot be read, which is right at a
/// board and would make a match about something else.
fn check_evaluation(engine: &EngineSpec, game: Game) -> CommandResult {
    if engine.launch != Launch::Inside {
        return Ok(());
    }
    let folder = engine.options.iter().rev().find(|(name, _)| EVAL_DIR.is_called(name));
    let Some((_, path)) = folder else { return Ok(()) };
    let found = Evaluation::load(Path::new(path), game, nnue::DEFAULT_FV_SCALE);
    found.map(drop).map_err(|e| Failure::failed(format!("engine {:?}: {e}", engine.name)))
}

/// Says a line to the user.
fn say(line: &str) {
    // Where nobody reads it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}

/// What is shown of a match.
struct Watch<'a> {
    json: bool,
    plan: &'a Plan,
    progress: MatchProgress<'a>,
    live: Live,
    played: u64,
    failure: Option<Failure>,
}

impl Watch<'_> {
    fn hear(&mut self, event: Event) -> Flow {
        let Event::Finished(finished) = event else { return Flow::Continue };
        if self.failure.is_some() || self.progress.is_over().is_some() {
            // Played to the end while the others were being stopped: it would be one game of a
            // pair too many.
            return Flow::Stop;
        }
        if let Err(failure) = self.add(&finished) {
            self.failure = Some(failure);
            return Flow::Stop;
        }
        self.played += 1;
        self.show();
        if self.progress.is_over().is_some() { Flow::Stop } else { Flow::Continue }
    }

    /// Where the match stands: always in the table, now and then as a plain line.
    fn show(&mut self) {
        let (played, total) = (self.played, self.plan.schedule.games());
        let left = format!("{} left", self.live.time_left(played));
        let summary = self.progress.summary(None);
        let table = || summary.text().trim_end().to_owned();
        let line = || format!("{played}/{total} {}, {left}", summary.line());
        self.live.show(played, &left, table, line);
    }

    fn add(&mut self, finished: &Finished) -> CommandResult {
        let entry = self.progress.add(finished, SystemTime::now())?;
        if self.json {
            writeln!(io::stdout(), "{}", as_json(&entry, finished.scheduled.opening))?;
        }
        if let Some((color, fault)) = finished.played.end.fault() {
            let name = &self.plan.engines[finished.scheduled.players[color.index()]].name;
            self.live.say(&format!("game {}: {name} lost by {fault}", finished.scheduled.id + 1));
        }
        Ok(())
    }

    fn end(mut self, interrupted: bool, kept: bool) -> CommandResult {
        self.live.finish();
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let over = self.progress.is_over();
        let broken_off = self.progress.is_unfinished() && interrupted && over.is_none();
        let ended = over.or_else(|| broken_off.then(|| "interrupted".to_owned()));
        let summary = self.progress.summary(ended);
        let mut out = io::stdout();
        if self.json {
            writeln!(out, "{}", summary.json())?;
        } else {
            write!(out, "{}", summary.text())?;
        }
        if broken_off && kept {
            say("go on with the same command and --resume");
        }
        match self.progress.broken_engine() {
            Some(name) => {
                Err(Failure::failed(format!("the match was given up: {name} does not work")))
            }
            None => Ok(()),
        }
    }
}

fn as_json(entry: &Entry, opening: usize) -> serde_json::Value {
    let mut line = serde_json::to_value(entry).unwrap_or_default();
    if let Some(object) = line.as_object_mut() {
        object.remove("length");
        object.insert("opening".to_owned(), opening.into());
    }
    line
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Usage(text) => Self::usage(text),
            RequestError::Failed(text) => Self::failed(text),
        }
    }
}

impl From<ProgressError> for Failure {
    fn from(error: ProgressError) -> Self {
        let text = error.to_string();
        if error.is_usage() { Self::usage(text) } else { Self::failed(text) }
    }
}
