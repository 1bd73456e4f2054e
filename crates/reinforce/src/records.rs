//! The games of a generation in a file: teacher data whose candidates are the shares of the visits.
//!
//! The file grows beside its place, block by block, and gets its name when it is whole. Game *n* follows
//! from settings, seed and *n*, so that a run that was killed goes on with the first game that is not
//! there.

use crate::elsewhere::{GamePlayer, GamesOrder};
use crate::game::FinishedGame;
use crate::pool::{PlayError, SelfPlay};
use durable::place;
use std::fs::{File, OpenOptions};
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;
use teacher::{Header, TeacherError, Writer};
use think::TimeSource;
use thiserror::Error;

/// Positions after which a block is closed: what a kill can cost.
const BLOCK: u64 = 50_000;

/// Why there are no games to learn from.
#[derive(Debug, Error)]
pub enum RecordError {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: TeacherError },
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A game is not what the referee says.
    #[error("{}: game {number}: {reason}", path.display())]
    Game { path: PathBuf, number: u64, reason: String },
}

impl RecordError {
    pub(crate) fn file(path: &Path, source: impl Into<TeacherError>) -> Self {
        Self::File { path: path.to_owned(), source: source.into() }
    }
}

/// How far self-play is.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PlayProgress {
    /// Games of the generation that are played, and how many there are to be.
    pub games: u64,
    pub wanted: u64,
    /// Of this run.
    pub new_games: u64,
    pub new_positions: u64,
    pub evaluations: u64,
    pub elapsed: Duration,
}

impl PlayProgress {
    /// Evaluations a second of this run, in games that are finished.
    pub fn speed(&self) -> f64 {
        self.evaluations as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Time to the end at the pace of this run; nothing before a game is over.
    pub fn left(&self) -> Option<Duration> {
        let each = self.elapsed.checked_div(u32::try_from(self.new_games).ok()?)?;
        let games = u32::try_from(self.wanted.saturating_sub(self.games)).ok()?;
        Some(each * games)
    }
}

/// Where a file grows until it is whole.
pub fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.part"))
}

/// Plays the games that are missing in a file; whether it is whole. `play.first` and `play.last` are those
/// of the whole file. One that is whole already must have the same header.
pub fn play_to_file(
    play: &mut SelfPlay<'_>,
    path: &Path,
    header: Header,
    time: &dyn TimeSource,
    watch: &mut dyn FnMut(&PlayProgress),
) -> Result<bool, RecordError> {
    if path.exists() {
        let same = File::open(path)
            .map_err(TeacherError::from)
            .and_then(|file| teacher::Reader::new(BufReader::new(file))?.header().same_as(&header));
        same.map_err(|e| RecordError::file(path, e))?;
    }
    play_to_file_by(None, play, path, header, time, watch)
}

/// The same by somebody else, if anybody is named: who, and what is ordered.
pub fn play_to_file_by(
    by: Option<(&dyn GamePlayer, &GamesOrder)>,
    play: &mut SelfPlay<'_>,
    path: &Path,
    header: Header,
    time: &dyn TimeSource,
    watch: &mut dyn FnMut(&PlayProgress),
) -> Result<bool, RecordError> {
    if path.exists() {
        return Ok(true);
    }
    let part = unfinished(path);
    let mut writer = open(&part, header).map_err(|e| RecordError::file(&part, e))?;
    play.first += writer.games();
    let started = time.now();
    let wanted = writer.games() + (play.last - play.first.min(play.last));
    let mut progress = PlayProgress { games: writer.games(), wanted, ..PlayProgress::default() };
    let (mut failed, mut closed) = (None, writer.positions());
    let mut take = |finished: FinishedGame| {
        let written = writer.write(&finished.game).and_then(|()| {
            if writer.positions() < closed + BLOCK {
                return Ok(());
            }
            closed = writer.positions();
            writer.flush()
        });
        if let Err(error) = written {
            failed = Some(error);
            return ControlFlow::Break(());
        }
        progress.games += 1;
        progress.new_games += 1;
        progress.new_positions += finished.game.positions() as u64;
        progress.evaluations += finished.evaluations;
        progress.elapsed = time.now().saturating_sub(started);
        watch(&progress);
        match play.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let played = match by {
        Some((player, order)) => {
            player.play(order, play.first..play.last.max(play.first), play.stop, &mut take)
        }
        None => play.run(&mut take),
    };
    if let Some(error) = failed {
        return Err(RecordError::file(&part, error));
    }
    let games = writer.games();
    let closed = writer.finish().and_then(|file| Ok(file.sync_all()?));
    closed.map_err(|e| RecordError::file(&part, e))?;
    played?;
    if games < wanted {
        return Ok(false);
    }
    place(&part, path, false).map_err(|e| RecordError::file(path, e))?;
    Ok(true)
}

fn open(part: &Path, header: Header) -> Result<Writer<File>, TeacherError> {
    let mut options = OpenOptions::new();
    let opened = options.read(true).write(true).create(true).truncate(false).open(part)?;
    if opened.metadata()?.len() == 0 {
        return Writer::new(opened, header);
    }
    Writer::resume(opened, header).map(|(writer, _)| writer)
}
