//! `nue tune`: numbers of an engine tuned by games against itself.
//!
//! The method and the games are in crate `arena`; here are the flags, the log and the table.

mod args;

pub(crate) use args::TuneArgs;

use crate::assemble;
use crate::failure::{CommandResult, Failure};
use arena::request::logs_in;
use arena::spsa::Spsa;
use arena::tuning::{self, EnginePair, PlayGame, Step, tune};
use arena::tuning_log::{self, TuningLogError};
use arena::{Flow, Plan, tuning_table};
use display::Live;
use display::say;
use durable::Journal;
use fleet::Spec;
use fleet::exchange::tune_by_fleet;
use fleet::perform::own_numbers;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(crate) fn run(args: &TuneArgs) -> CommandResult {
    let request = args.request();
    let spec = || Spec::Tune(Box::new(request.clone()));
    if args.fleet.submitted("tune", spec, None, None)? {
        return Ok(());
    }
    let mut runner = assemble::match_runner();
    let own = || own_numbers(request.openings.game);
    let entered = request.plan(&request.declared(&runner)?.unwrap_or_else(own))?;
    let plan = &entered.plan;
    let (logs, silent) = logs_in(args.log.as_deref(), plan)?;
    runner.logs = logs.map(Arc::new);
    for warning in entered.warnings.iter().chain(&silent) {
        say(&format!("warning: {warning}"));
    }
    let at_a_time = tuning::games_at_a_time(args.pairs);
    if plan.concurrency as u64 > at_a_time {
        say(&format!("warning: no more than {at_a_time} games run at a time; raise --pairs"));
    }
    let tried = runner.try_out(plan, 0);
    tried.map_err(|fault| Failure::failed(format!("the engine: {fault}")))?;
    let mut spsa = Spsa::new(entered.parameters, entered.gains, args.seed);
    let mut log = open_log(args, plan, &mut spsa)?;
    let names = entered.options;
    let mut live = Live::new(spsa.gains().iterations, spsa.applied());
    let mut faults = 0;
    let mut failure = None;
    let workers = plan.concurrency.min(usize::try_from(at_a_time).unwrap_or(usize::MAX));
    let player = |slot| -> PlayGame<'_> {
        let mut pair = EnginePair::new(plan, &runner, slot, names.clone());
        Box::new(move |game| pair.play(game))
    };
    let begun = spsa.clone();
    let mut watch = |step: &Step| {
        if let Some(log) = &mut log
            && let Err(error) = log.append(step)
        {
            failure = Some(Failure::failed(error.to_string()));
            runner.abandoned.store(true, Ordering::Relaxed);
            return Flow::Stop;
        }
        faults += u64::from(step.faults);
        let done = step.iteration + 1;
        let pace = pace(&live, done, args.pairs, faults);
        let moved = || tuning_table::moved(step, begun.parameters());
        let total = begun.gains().iterations;
        live.show(done, &pace, moved, || format!("{done}/{total} {pace}: {}", moved()));
        Flow::Continue
    };
    if args.fleet.is_local() {
        let done =
            tune_by_fleet(spec(), plan, &runner, &mut spsa, (args.pairs, workers), &mut watch);
        done.map_err(|e| Failure::failed(e.to_string()))?;
    } else {
        tune(&mut spsa, args.pairs, workers, &player, &mut watch);
    }
    live.finish();
    if let Some(failure) = failure {
        return Err(failure);
    }
    end(args, &spsa, entered.prefix)?;
    runner.logs.map_or(Ok(()), |logs| logs.check().map_err(Failure::Failed))
}

fn pace(live: &Live, done: u64, pairs: u64, faults: u64) -> String {
    let each = live.seconds_each(done).unwrap_or_default();
    let games = 2.0 * pairs as f64 / each.max(1e-9);
    let lost = match faults {
        0 => String::new(),
        n => format!(", {n} games lost by faults"),
    };
    format!("iterations, {games:.1} games/s, {} left{lost}", live.time_left(done))
}

/// Says how it ended.
fn end(args: &TuneArgs, spsa: &Spsa, prefix: &str) -> CommandResult {
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{}", tuning_table::json(spsa))?;
    } else {
        write!(out, "{}", tuning_table::text(spsa, prefix))?;
    }
    if spsa.applied() < spsa.gains().iterations {
        let (done, all) = (spsa.applied(), spsa.gains().iterations);
        let kept = args.out.is_some();
        let advice = if kept { "; the same command with --resume continues" } else { "" };
        let message = format!("interrupted after {done} of {all} iterations{advice}");
        return Err(Failure::Interrupted(message));
    }
    Ok(())
}

/// The log, and what it holds already applied.
fn open_log(args: &TuneArgs, plan: &Plan, spsa: &mut Spsa) -> Result<Option<Journal>, Failure> {
    let Some(path) = &args.out else {
        return match args.resume {
            true => Err(Failure::usage("--resume needs --out, the log of the tuning")),
            false => Ok(None),
        };
    };
    let (seed, pairs) = (args.seed, args.pairs);
    if !args.resume {
        return Ok(Some(tuning_log::create(path, args.force, plan, seed, pairs, spsa)?));
    }
    let journal = tuning_log::resume(path, plan, seed, pairs, spsa)?;
    say(&format!("{} iterations are done already", spsa.applied()));
    Ok(Some(journal))
}

impl From<TuningLogError> for Failure {
    fn from(error: TuningLogError) -> Self {
        let text = error.to_string();
        match error {
            TuningLogError::Exists(_) => Self::usage(text),
            _ => Self::failed(text),
        }
    }
}
