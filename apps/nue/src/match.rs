//! `nue match`: games between engines, with statistics.
//!
//! The games are played, counted and written down by room `arena`. Progress goes to the error stream, results to standard output.

mod args;

pub(crate) use args::MatchArgs;

use crate::assemble;
use crate::failure::{CommandResult, Failure};
use arena::progress::{MatchProgress, ProgressError};
use arena::request::RequestError;
use arena::spec::Launch;
use arena::{MatchRunner, Plan};
use assembly::OwnSearch;
use assembly::options::is_always_sent;
use display::{MatchDisplay, say};
use fleet::exchange::run_match;
use fleet::{MatchSpec, Spec};
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

pub(crate) fn run(args: MatchArgs) -> CommandResult {
    let args = args.with_config()?;
    let request = args.request();
    let out = request.out.as_deref().map(|path| (path, request.force));
    let spec = || MatchSpec { request: request.clone(), reference_speed: None };
    if args.fleet.submitted("match", || Spec::Match(Box::new(spec())), None, out)? {
        return Ok(());
    }
    let (plan, mut warnings) = request.plan()?;
    let (logs, silent) = request.logs(&plan)?;
    warnings.extend(silent);
    for warning in &warnings {
        say(&format!("warning: {warning}"));
    }
    let logs = logs.map(Arc::new);
    let runner = MatchRunner { logs: logs.clone(), ..assemble::match_runner() };
    try_out(&plan, &runner)?;
    let mut progress = MatchProgress::begin(&plan, request.options())?;
    let mut display = MatchDisplay::new(args.json);
    let played: CommandResult = match args.fleet.is_local() {
        false => progress.play(&runner, SystemTime::now, &mut display).map_err(Into::into),
        true => run_match(&request, &runner, &mut progress, SystemTime::now, &mut display)
            .map_err(|e| Failure::failed(e.to_string())),
    };
    display.clear();
    if let Some(error) = display.failure {
        return Err(error.into());
    }
    played?;
    let interrupted = runner.abandoned.load(Ordering::Relaxed);
    end(&progress, &args, interrupted, request.out.is_some())?;
    logs.map_or(Ok(()), |logs| logs.check().map_err(Failure::Failed))
}

fn end(
    progress: &MatchProgress<'_>,
    args: &MatchArgs,
    interrupted: bool,
    kept: bool,
) -> CommandResult {
    let over = progress.is_over();
    let broken_off = progress.is_unfinished() && interrupted && over.is_none();
    let ended = over.or_else(|| broken_off.then(|| "interrupted".to_owned()));
    let summary = progress.summary(ended);
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{}", summary.json())?;
    } else {
        write!(out, "{}", summary.text())?;
    }
    match progress.broken_engine() {
        Some(name) => Err(Failure::failed(format!("the match was stopped: {name} does not work"))),
        None if broken_off && kept => {
            let advice = "interrupted; the same command with --resume continues";
            Err(Failure::Interrupted(advice.to_owned()))
        }
        None if broken_off => Err(Failure::Interrupted("interrupted".to_owned())),
        None => Ok(()),
    }
}

/// Starts every engine once: what cannot work is said before the first game.
fn try_out(plan: &Plan, runner: &MatchRunner) -> CommandResult {
    for (index, engine) in plan.engines.iter().enumerate() {
        let failed =
            |why: &dyn Display| Failure::failed(format!("engine {:?}: {why}", engine.name));
        if engine.launch == Launch::Inside {
            OwnSearch::check(&engine.options, plan.game).map_err(|error| failed(&error))?;
        }
        let introduction = runner.try_out(plan, index).map_err(|fault| failed(&fault))?;
        let known = |name: &str| is_always_sent(name) || introduction.declares(name);
        for (name, _) in engine.options.iter().filter(|(name, _)| !known(name)) {
            say(&format!("warning: engine {:?} declares no option {name:?}", engine.name));
        }
        let told = introduction.name.map_or_else(String::new, |name| format!(" ({name})"));
        say(&format!("{}{told}: {}", engine.name, engine.control));
    }
    Ok(())
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
