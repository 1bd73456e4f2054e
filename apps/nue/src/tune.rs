//! `nue tune`: the numbers of the search tuned by games of the engine against itself.
//!
//! The method and the games are in crate `arena`; here are the flags, the log and the table.

mod args;
mod dials;
mod live;
mod table;

pub(crate) use args::TuneArgs;

use crate::assemble;
use crate::failure::{Failure, Outcome};
use arena::journal::{Journal, JournalError};
use arena::spsa::Spsa;
use arena::tuning::{self, Duel, Sitter, Step, tune};
use arena::{Flow, Plan};
use live::Live;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::atomic::Ordering;

/// What the engine calls the numbers of the table.
const OPTION: &str = "Param.";

/// Runs the command.
pub(crate) fn run(args: &TuneArgs) -> Outcome {
    let entered = args.enter()?;
    let plan = &entered.plan;
    for warning in &entered.warnings {
        say(&format!("warning: {warning}"));
    }
    let at_a_time = tuning::games_at_a_time(args.pairs);
    if plan.concurrency as u64 > at_a_time {
        say(&format!("warning: no more than {at_a_time} games run at a time; raise --pairs"));
    }
    let runner = assemble::match_runner();
    let tried = runner.try_out(plan, 0);
    tried.map_err(|fault| Failure::failed(format!("the engine: {fault}")))?;
    let mut spsa = Spsa::new(entered.dials, entered.gains, args.seed);
    let mut log = open_log(args, plan, &mut spsa)?;
    let names: Vec<String> = spsa.dials().iter().map(|d| format!("{OPTION}{}", d.name)).collect();
    let mut live = Live::new(&spsa, args.pairs);
    let mut failure = None;
    let workers = plan.concurrency.min(usize::try_from(at_a_time).unwrap_or(usize::MAX));
    let sitter = |_| -> Sitter<'_> {
        let mut duel = Duel::new(plan, &runner, names.clone());
        Box::new(move |question| duel.play(question))
    };
    let begun = spsa.clone();
    tune(&mut spsa, args.pairs, workers, &sitter, &mut |step| {
        if let Some(log) = &mut log
            && let Err(error) = log.append(step)
        {
            failure = Some(Failure::failed(error.to_string()));
            runner.abandoned.store(true, Ordering::Relaxed);
            return Flow::Stop;
        }
        live.show(step, begun.dials());
        Flow::Continue
    });
    live.finish();
    match failure {
        Some(failure) => Err(failure),
        None => end(args, &spsa),
    }
}

/// Says how it ended.
fn end(args: &TuneArgs, spsa: &Spsa) -> Outcome {
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{}", table::json(spsa))?;
    } else {
        write!(out, "{}", table::text(spsa))?;
    }
    if spsa.applied() < spsa.gains().iterations {
        let (done, all) = (spsa.applied(), spsa.gains().iterations);
        say(&format!("interrupted after {done} of {all} iterations"));
        if args.out.is_some() {
            say("go on with the same command and --resume");
        }
    }
    Ok(())
}

/// Everything that decides what an iteration is.
fn identity(args: &TuneArgs, plan: &Plan, spsa: &Spsa) -> Value {
    let gains = spsa.gains();
    let dials: Vec<Value> = spsa
        .dials()
        .iter()
        .map(|d| json!([d.name, d.start, d.min, d.max, d.c_end, d.r_end]))
        .collect();
    let mut identity = plan.identity(args.seed);
    identity["params"] = json!(dials);
    identity["iterations"] = json!(gains.iterations);
    identity["gains"] = json!([gains.stability, gains.alpha, gains.gamma]);
    identity["pairs"] = json!(args.pairs);
    identity
}

/// The log, and what it holds already applied.
fn open_log(args: &TuneArgs, plan: &Plan, spsa: &mut Spsa) -> Result<Option<Journal>, Failure> {
    let Some(path) = &args.out else {
        return match args.resume {
            true => Err(Failure::usage("--resume needs --out, the log of the tuning")),
            false => Ok(None),
        };
    };
    let failed = |error: JournalError| match error {
        JournalError::Exists(_) => Failure::usage(format!(
            "{error}: --resume goes on with it, --force replaces it, --out chooses another file"
        )),
        other => Failure::failed(other.to_string()),
    };
    let identity = identity(args, plan, spsa);
    if !args.resume {
        if args.force
            && let Err(error) = std::fs::remove_file(path)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(Failure::failed(format!("{}: {error}", path.display())));
        }
        return Ok(Some(Journal::create(path, &identity, 0).map_err(failed)?));
    }
    let (journal, held) = Journal::resume::<Step>(path, &identity, 0).map_err(failed)?;
    for (step, _) in held.map_or_else(Vec::new, |held| held.entries) {
        let (iteration, name) = (spsa.applied(), path.display());
        if step.iteration != iteration || iteration >= spsa.gains().iterations {
            let found = step.iteration;
            let why = format!("{name}: iteration {found} stands where {iteration} should");
            return Err(Failure::failed(why));
        }
        spsa.apply(step.result());
    }
    say(&format!("{} iterations are done already", spsa.applied()));
    Ok(Some(journal))
}

/// Says a line to the user.
fn say(line: &str) {
    // Where nobody reads it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}
