//! A match under way: what was played is counted and written down, and it is known when to stop.

use crate::game::Played;
use crate::ledger::{Entry, Ledger, LedgerError, journal_path};
use crate::live::LiveFile;
use crate::record::{Caption, record};
use crate::runner::{Event, Finished, Flow, MatchRunner, Plan};
use crate::schedule::ScheduledGame;
use crate::standings::{CountedGame, Standings};
use crate::stats::{MatchScore, Sprt, Verdict};
use crate::summary::Summary;
use crate::time_use::TimeUse;
use durable::{JournalError, Lock};
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

/// Whoever looks on while a match is played.
pub trait MatchObserver {
    /// Games of an earlier run are counted; the first game begins.
    fn begun(&mut self, progress: &MatchProgress<'_>);

    /// A game is counted and written down.
    fn finished(&mut self, game: &Finished, entry: &Entry, progress: &MatchProgress<'_>) -> Flow;
}

/// Whether a game of that number is to be played.
pub type Wanted<'a> = dyn Fn(u64) -> bool + Sync + 'a;

/// Has the games that are wanted played, and tells of them.
pub type PlayGames<'a> = dyn FnMut(&Wanted<'_>, &mut dyn FnMut(Event) -> Flow) + 'a;

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
            standings.add_time(&scheduled, &entry.time_use);
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

    /// How many games an earlier run has played.
    pub fn done(&self) -> u64 {
        self.done.len() as u64
    }

    /// What is played.
    pub const fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// Plays what is left, until the match is over, the observer stops it or the runner is told
    /// to abandon it. `now` is asked when a game began.
    pub fn play(
        &mut self,
        runner: &MatchRunner,
        now: fn() -> SystemTime,
        observer: &mut dyn MatchObserver,
    ) -> Result<(), ProgressError> {
        let plan = self.plan;
        let mut play = |wanted: &Wanted<'_>, watch: &mut dyn FnMut(Event) -> Flow| {
            runner.run(plan, wanted, watch);
        };
        self.play_by(&mut play, now, observer)
    }

    /// The same with games that come from elsewhere: `play` is told which are wanted and tells
    /// of each that is finished.
    pub fn play_by(
        &mut self,
        play: &mut PlayGames<'_>,
        now: fn() -> SystemTime,
        observer: &mut dyn MatchObserver,
    ) -> Result<(), ProgressError> {
        observer.begun(self);
        if self.is_over().is_some() {
            return Ok(());
        }
        let done = std::mem::take(&mut self.done);
        let mut failure = None;
        let mut live = self.options.out.as_deref().map(LiveFile::new);
        play(&|id| !done.contains(&id), &mut |event| {
            let finished = match event {
                Event::Started(scheduled) => {
                    if let Some(live) = &mut live {
                        let opening = &self.plan.openings[scheduled.opening];
                        live.begin(scheduled.id, opening, self.caption(&scheduled, now()), now());
                    }
                    return Flow::Continue;
                }
                Event::Turn(game, turn) => {
                    if let Some(live) = &mut live {
                        live.turn(game, *turn, now());
                    }
                    return Flow::Continue;
                }
                Event::Finished(finished) => finished,
            };
            if let Some(live) = &mut live {
                live.end(finished.scheduled.id);
            }
            if failure.is_some() || self.is_over().is_some() {
                // Played to the end while the others were being stopped: it would be one game of
                // a pair too many.
                return Flow::Stop;
            }
            match self.add(&finished, now()) {
                Err(error) => {
                    failure = Some(error);
                    Flow::Stop
                }
                Ok(entry) => match observer.finished(&finished, &entry, self) {
                    Flow::Continue if self.is_over().is_none() => Flow::Continue,
                    _ => Flow::Stop,
                },
            }
        });
        self.done = done;
        failure.map_or(Ok(()), Err)
    }

    /// Counts a game and writes it down. Returns what the journal says of it.
    pub fn add(&mut self, finished: &Finished, now: SystemTime) -> Result<Entry, ProgressError> {
        let (scheduled, played) = (&finished.scheduled, &finished.played);
        let caption = self.caption(scheduled, now - finished.duration);
        let entry = Entry {
            game: scheduled.id,
            players: caption.names.clone(),
            winner: winner_name(played.winner()).to_owned(),
            end: played.end.name().to_owned(),
            fault: played.end.fault().map(|(_, fault)| fault.to_string()),
            plies: played.plies() as u64,
            millis: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
            time_use: TimeUse::of(played),
            length: 0,
        };
        if let Some(ledger) = &mut self.ledger {
            ledger.add(&record(played, &caption), entry.clone())?;
        }
        self.count(finished, played);
        Ok(entry)
    }

    /// What is said about a game besides the moves.
    fn caption(&self, scheduled: &ScheduledGame, began: SystemTime) -> Caption {
        Caption {
            names: scheduled.players.map(|index| self.plan.engines[index].name.clone()),
            controls: scheduled.players.map(|index| self.plan.engines[index].control),
            event: format!("nue match, game {}", scheduled.id + 1),
            began: Some(crate::record::date(began)),
            max_moves: self.plan.terms.rules.max_moves.unwrap_or(0),
        }
    }

    fn count(&mut self, finished: &Finished, played: &Played) {
        let fault = played.end.fault().map(|(_, fault)| fault.kind);
        self.standings.add(&finished.scheduled, CountedGame { winner: played.winner(), fault });
        self.standings.add_time(&finished.scheduled, &TimeUse::of(played));
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
        match self.verdict()? {
            Verdict::Undecided => None,
            Verdict::Accepted => Some("SPRT: accepted".to_owned()),
            Verdict::Rejected => Some("SPRT: rejected".to_owned()),
        }
    }

    /// What the test says, if there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        let (_, score) = self.standings.pairings().next()?;
        self.options.sprt.as_ref().map(|sprt| sprt.verdict(score))
    }

    /// The first engine's score against the second.
    pub fn score(&self) -> Option<&MatchScore> {
        self.standings.pairings().next().map(|(_, score)| score)
    }

    /// Games counted, those of earlier runs among them.
    pub const fn games(&self) -> u64 {
        self.standings.games()
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
        let journal = journal_path(path);
        if Lock::is_held(&journal) {
            return Err(LedgerError::Journal(JournalError::InUse(journal)).into());
        }
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
