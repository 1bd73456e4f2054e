//! A match under way: what was played is counted and written down, and it is known when to stop.

use crate::game::Played;
use crate::ledger::{Entry, Ledger, LedgerError, journal_path};
use crate::record::{Caption, record};
use crate::runner::{Finished, Plan};
use crate::standings::{CountedGame, Standings};
use crate::stats::{Sprt, Verdict};
use crate::summary::Summary;
use durable::JournalError;
use engines::FaultKind;
use rules::Color;
use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use thiserror::Error;

/// Where a match is kept, and when it ends early.
#[derive(Clone, Debug, Default)]
pub struct MatchOptions {
    /// CSA file all games are appended to, with a journal beside it.
    pub out: Option<PathBuf>,
    /// Go on with the match in that file.
    pub resume: bool,
    /// Replace it.
    pub force: bool,
    /// Of the order of openings; part of what the match is.
    pub seed: u64,
    /// Stop when the difference is known.
    pub sprt: Option<Sprt>,
    /// Stop when an engine loses this many games in a row by faults; 0 for never.
    pub give_up: u64,
}

/// Why a match cannot begin or go on.
#[derive(Debug, Error)]
pub enum ProgressError {
    /// Resuming, without a file to resume from.
    #[error("--resume needs --out, the file of the match")]
    NothingToResume,
    /// There is a match in that file.
    #[error("{0}: --resume continues it, --force replaces it, --out chooses another file")]
    Exists(JournalError),
    /// The files cannot be used.
    #[error("{0}")]
    Ledger(#[from] LedgerError),
    /// An old file cannot be removed.
    #[error("{}: {source}", path.display())]
    Remove { path: PathBuf, source: io::Error },
}

impl ProgressError {
    /// Whether another command line would help.
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::NothingToResume | Self::Exists(_))
    }
}

/// A match under way.
pub struct MatchProgress<'a> {
    plan: &'a Plan,
    options: MatchOptions,
    standings: Standings,
    ledger: Option<Ledger>,
    /// Games of an earlier run.
    done: HashSet<u64>,
    worst_lag: Duration,
    starved: u64,
    gave_up: Option<usize>,
}

impl<'a> MatchProgress<'a> {
    /// Opens the files and counts what they hold.
    pub fn begin(plan: &'a Plan, options: MatchOptions) -> Result<Self, ProgressError> {
        let mut standings = Standings::new(&plan.schedule, plan.engines.len());
        let (ledger, entries) = open_ledger(plan, &options)?;
        let mut done = HashSet::new();
        for entry in &entries {
            let Some(scheduled) = plan.schedule.game(entry.game) else { continue };
            standings.add(&scheduled, counted(entry));
            done.insert(entry.game);
        }
        Ok(Self {
            plan,
            options,
            standings,
            ledger,
            done,
            worst_lag: Duration::ZERO,
            starved: 0,
            gave_up: None,
        })
    }

    /// Games of an earlier run, by number.
    pub const fn done(&self) -> &HashSet<u64> {
        &self.done
    }

    /// Counts a game and writes it down. Returns what the journal says of it.
    pub fn add(&mut self, finished: &Finished, now: SystemTime) -> Result<Entry, ProgressError> {
        let (scheduled, played) = (&finished.scheduled, &finished.played);
        let names = scheduled.players.map(|index| self.plan.engines[index].name.clone());
        let entry = Entry {
            game: scheduled.id,
            players: names.clone(),
            winner: winner_name(played.winner()).to_owned(),
            end: played.end.name().to_owned(),
            fault: played.end.fault().map(|(_, fault)| fault.to_string()),
            plies: played.plies() as u64,
            millis: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
            length: 0,
        };
        if let Some(ledger) = &mut self.ledger {
            let caption = Caption {
                names,
                controls: scheduled.players.map(|index| self.plan.engines[index].control),
                event: format!("nue match, game {}", scheduled.id + 1),
                began: Some(crate::record::date(now - finished.duration)),
                max_moves: self.plan.terms.rules.max_moves.unwrap_or(0),
            };
            ledger.add(&record(played, &caption), entry.clone())?;
        }
        self.count(finished, played);
        Ok(entry)
    }

    fn count(&mut self, finished: &Finished, played: &Played) {
        let fault = played.end.fault().map(|(_, fault)| fault.kind);
        self.standings.add(&finished.scheduled, CountedGame { winner: played.winner(), fault });
        self.worst_lag = self.worst_lag.max(played.worst_lag);
        self.starved += u64::from(played.starved);
        self.gave_up = self.standings.hopeless(self.options.give_up);
    }

    /// The name of an engine whose faults ended the match.
    pub fn broken_engine(&self) -> Option<&str> {
        self.gave_up.map(|engine| self.plan.engines[engine].name.as_str())
    }

    /// Why the match ends before its last game.
    pub fn is_over(&self) -> Option<String> {
        if let Some(name) = self.broken_engine() {
            return Some(format!("{name} lost {} games in a row by faults", self.options.give_up));
        }
        let sprt = self.options.sprt.as_ref()?;
        let (_, score) = self.standings.pairings().next()?;
        match sprt.verdict(score) {
            Verdict::Undecided => None,
            Verdict::Accepted => Some("SPRT: accepted".to_owned()),
            Verdict::Rejected => Some("SPRT: rejected".to_owned()),
        }
    }

    /// Whether games are left to play.
    pub fn is_unfinished(&self) -> bool {
        self.standings.games() < self.plan.schedule.games()
    }

    /// Where it stands, with why it ended if it did.
    pub fn summary(&self, ended: Option<String>) -> Summary<'_> {
        Summary {
            plan: self.plan,
            standings: &self.standings,
            sprt: self.options.sprt.as_ref(),
            worst_lag: self.worst_lag,
            starved: self.starved,
            ended,
        }
    }
}

fn winner_name(winner: Option<Color>) -> &'static str {
    match winner {
        Some(Color::Black) => "black",
        Some(Color::White) => "white",
        None => "draw",
    }
}

/// A journalled game as it counts.
fn counted(entry: &Entry) -> CountedGame {
    let winner = match entry.winner.as_str() {
        "black" => Some(Color::Black),
        "white" => Some(Color::White),
        _ => None,
    };
    let fault = FaultKind::ALL.into_iter().find(|kind| kind.name() == entry.end);
    CountedGame { winner, fault }
}

fn open_ledger(
    plan: &Plan,
    options: &MatchOptions,
) -> Result<(Option<Ledger>, Vec<Entry>), ProgressError> {
    let Some(path) = &options.out else {
        if options.resume {
            return Err(ProgressError::NothingToResume);
        }
        return Ok((None, Vec::new()));
    };
    let identity = plan.identity(options.seed);
    if options.resume {
        let (ledger, entries) = Ledger::resume(path, &identity)?;
        return Ok((Some(ledger), entries));
    }
    if options.force {
        for path in [path.clone(), journal_path(path)] {
            if let Err(source) = std::fs::remove_file(&path)
                && source.kind() != io::ErrorKind::NotFound
            {
                return Err(ProgressError::Remove { path, source });
            }
        }
    }
    let ledger = Ledger::create(path, &identity).map_err(|error| match error {
        LedgerError::Journal(error @ JournalError::Exists(_)) => ProgressError::Exists(error),
        other => other.into(),
    })?;
    Ok((Some(ledger), Vec::new()))
}
