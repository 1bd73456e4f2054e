//! `nue match`: games between engines, with statistics.
//!
//! The games are played by crate `arena`; here are the flags, the table that updates in place, and
//! the files. Progress goes to the error stream, results to standard output.

pub(crate) mod args;
pub(crate) mod entries;
mod live;
mod summary;

pub(crate) use args::MatchArgs;

use crate::assemble;
use crate::evaluation::Evaluation;
use crate::failure::{Failure, Outcome};
use arena::journal::JournalError;
use arena::ledger::{Entry, Ledger, LedgerError, journal_path};
use arena::record::{Caption, record};
use arena::spec::{EngineSpec, Launch};
use arena::standings::{self, Standings};
use arena::stats::Verdict;
use arena::{Event, Finished, Flow, MatchRunner, Plan};
use live::Live;
use rules::{Color, Game};
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};
use summary::Summary;

/// Runs the command.
pub(crate) fn run(args: MatchArgs) -> Outcome {
    let args = args.with_config()?;
    let entered = entries::enter(&args)?;
    let plan = &entered.plan;
    for warning in &entered.warnings {
        say(&format!("warning: {warning}"));
    }
    let runner = assemble::match_runner();
    try_out(plan, &runner)?;
    let mut course = Course::begin(&args, plan)?;
    let done: HashSet<u64> = course.done.iter().copied().collect();
    course.live.show(&course.summary(None));
    let stop_already = course.is_over().is_some();
    if !stop_already {
        runner.run(plan, &|id| !done.contains(&id), &mut |event| course.watch(event));
    }
    course.end(runner.abandoned.load(Ordering::Relaxed))
}

/// Starts every engine once: what cannot work is said before the first game.
fn try_out(plan: &Plan, runner: &MatchRunner) -> Outcome {
    for (index, engine) in plan.engines.iter().enumerate() {
        check_evaluation(engine, plan.game)?;
        let introduction = runner
            .try_out(plan, index)
            .map_err(|fault| Failure::failed(format!("engine {:?}: {fault}", engine.name)))?;
        // Every engine may be sent these, declared or not.
        let always = |name: &str| ["USI_Hash", "USI_Ponder"].contains(&name);
        let declared = |name: &str| introduction.options.iter().any(|o| o.is_called(name));
        let known = |name: &str| always(name) || declared(name);
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
fn check_evaluation(engine: &EngineSpec, game: Game) -> Outcome {
    if engine.launch != Launch::Inside {
        return Ok(());
    }
    let called = |name: &str| name.eq_ignore_ascii_case(assembly::equipped::FOLDER);
    let Some((_, path)) = engine.options.iter().rev().find(|(name, _)| called(name)) else {
        return Ok(());
    };
    let found = Evaluation::load(Path::new(path), game, nnue::DEFAULT_FV_SCALE);
    found.map(drop).map_err(|e| Failure::failed(format!("engine {:?}: {e}", engine.name)))
}

/// Says a line to the user.
fn say(line: &str) {
    // Where nobody reads it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}

/// A match under way.
struct Course<'a> {
    args: &'a MatchArgs,
    plan: &'a Plan,
    standings: Standings,
    ledger: Option<Ledger>,
    /// Games of an earlier run.
    done: Vec<u64>,
    live: Live,
    /// The runner's greatest delay in reading an answer.
    worst_lag: Duration,
    /// Moves that came late because the machine was too busy.
    starved: u64,
    failure: Option<Failure>,
    gave_up: Option<usize>,
}

impl<'a> Course<'a> {
    fn begin(args: &'a MatchArgs, plan: &'a Plan) -> Result<Self, Failure> {
        let mut standings = Standings::new(&plan.schedule, plan.engines.len());
        let (ledger, entries) = open_ledger(args, plan)?;
        let mut done = Vec::new();
        for entry in &entries {
            let Some(ticket) = plan.schedule.ticket(entry.game) else { continue };
            standings.add(&ticket, outcome_of(entry));
            done.push(entry.game);
        }
        if !done.is_empty() {
            say(&format!("{} games are played already", done.len()));
        }
        let live = Live::new(plan.schedule.games(), done.len() as u64);
        Ok(Self {
            args,
            plan,
            standings,
            ledger,
            done,
            live,
            worst_lag: Duration::ZERO,
            starved: 0,
            failure: None,
            gave_up: None,
        })
    }

    fn watch(&mut self, event: Event) -> Flow {
        let Event::Finished(finished) = event else { return Flow::Continue };
        if self.failure.is_some() || self.is_over().is_some() {
            // Played to the end while the others were being stopped: it would be one game of a
            // pair too many.
            return Flow::Stop;
        }
        if let Err(failure) = self.take(&finished) {
            self.failure = Some(failure);
            return Flow::Stop;
        }
        self.gave_up = self.standings.hopeless(self.args.give_up);
        self.live.count();
        self.live.show(&self.summary(None));
        if self.is_over().is_some() { Flow::Stop } else { Flow::Continue }
    }

    /// Writes a game down and counts it.
    fn take(&mut self, finished: &Finished) -> Outcome {
        let (ticket, played) = (&finished.ticket, &finished.played);
        let names = ticket.players.map(|index| self.plan.engines[index].name.clone());
        let fault = played.end.fault().map(|(_, fault)| fault);
        let entry = Entry {
            game: ticket.id,
            players: names.clone(),
            winner: winner_name(played.winner()).to_owned(),
            end: played.end.name().to_owned(),
            fault: fault.map(ToString::to_string),
            plies: played.plies() as u64,
            millis: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
            length: 0,
        };
        if self.args.json {
            let mut line = serde_json::to_value(&entry).unwrap_or_default();
            if let Some(object) = line.as_object_mut() {
                object.remove("length");
                object.insert("opening".to_owned(), ticket.opening.into());
            }
            writeln!(io::stdout(), "{line}")?;
        }
        if let Some(ledger) = &mut self.ledger {
            let caption = Caption {
                names,
                controls: ticket.players.map(|index| self.plan.engines[index].control),
                event: format!("nue match, game {}", ticket.id + 1),
                began: Some(summary::date(SystemTime::now() - finished.duration)),
                max_moves: self.plan.terms.rules.max_moves,
            };
            ledger.add(&record(played, &caption), entry).map_err(failed)?;
        }
        if let Some((color, fault)) = played.end.fault() {
            let name = &self.plan.engines[ticket.players[color.index()]].name;
            self.live.say(&format!("game {}: {name} lost by {fault}", ticket.id + 1));
        }
        let outcome =
            standings::Outcome { winner: played.winner(), fault: fault.map(|fault| fault.kind) };
        self.standings.add(ticket, outcome);
        self.worst_lag = self.worst_lag.max(played.worst_lag);
        self.starved += u64::from(played.starved);
        Ok(())
    }

    /// Why the match ends before its last game.
    fn is_over(&self) -> Option<String> {
        if let Some(engine) = self.gave_up {
            let name = &self.plan.engines[engine].name;
            return Some(format!("{name} lost {} games in a row by faults", self.args.give_up));
        }
        let sprt = self.args.sprt.as_ref()?;
        let (_, score) = self.standings.pairings().next()?;
        match sprt.verdict(score) {
            Verdict::Undecided => None,
            Verdict::Accepted => Some("SPRT: accepted".to_owned()),
            Verdict::Rejected => Some("SPRT: rejected".to_owned()),
        }
    }

    fn summary(&self, ended: Option<String>) -> Summary<'_> {
        Summary {
            plan: self.plan,
            standings: &self.standings,
            sprt: self.args.sprt.as_ref(),
            worst_lag: self.worst_lag,
            starved: self.starved,
            ended,
        }
    }

    fn end(mut self, interrupted: bool) -> Outcome {
        self.live.finish();
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let over = self.is_over();
        let left = self.standings.games() < self.plan.schedule.games();
        let broken_off = left && interrupted && over.is_none();
        let ended = over.or_else(|| (interrupted && left).then(|| "interrupted".to_owned()));
        let summary = self.summary(ended);
        let mut out = io::stdout();
        if self.args.json {
            writeln!(out, "{}", summary.json())?;
        } else {
            write!(out, "{}", summary.text())?;
        }
        if broken_off && self.args.out.is_some() {
            say("go on with the same command and --resume");
        }
        match self.gave_up {
            Some(engine) => {
                let name = &self.plan.engines[engine].name;
                Err(Failure::failed(format!("the match was given up: {name} does not work")))
            }
            None => Ok(()),
        }
    }
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::failed(error.to_string())
}

fn winner_name(winner: Option<Color>) -> &'static str {
    match winner {
        Some(Color::Black) => "black",
        Some(Color::White) => "white",
        None => "draw",
    }
}

/// A journalled game as it counts.
fn outcome_of(entry: &Entry) -> standings::Outcome {
    let winner = match entry.winner.as_str() {
        "black" => Some(Color::Black),
        "white" => Some(Color::White),
        _ => None,
    };
    let fault = engines::FaultKind::ALL.into_iter().find(|kind| kind.name() == entry.end);
    standings::Outcome { winner, fault }
}

fn open_ledger(args: &MatchArgs, plan: &Plan) -> Result<(Option<Ledger>, Vec<Entry>), Failure> {
    let Some(path) = &args.out else {
        if args.resume {
            return Err(Failure::usage("--resume needs --out, the file of the match"));
        }
        return Ok((None, Vec::new()));
    };
    let identity = plan.identity(args.seed);
    if args.resume {
        let (ledger, entries) = Ledger::resume(path, &identity).map_err(failed)?;
        return Ok((Some(ledger), entries));
    }
    if args.force {
        for old in [path.clone(), journal_path(path)] {
            remove(&old)?;
        }
    }
    let ledger = Ledger::create(path, &identity).map_err(|error| match error {
        LedgerError::Journal(JournalError::Exists(_)) => Failure::usage(format!(
            "{error}: --resume goes on with it, --force replaces it, --out chooses another file"
        )),
        other => failed(other),
    })?;
    Ok((Some(ledger), Vec::new()))
}

fn remove(path: &Path) -> Outcome {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            Err(Failure::failed(format!("{}: {e}", path.display())))
        }
        _ => Ok(()),
    }
}
