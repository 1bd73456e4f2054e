//! A teacher file that self-play fills: appended to block by block, and what is in it decides where
//! a resumed run goes on.

use super::player::{PlayedGame, SelfPlayError};
use super::{EngineSource, PlayElsewhere, Production, SelfPlayPlan};
use durable::{InUse, Lock};
use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use teacher::{Header, Reader, TeacherError, Writer};
use think::TimeSource;
use thiserror::Error;

/// What to do with a file that is there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    Refuse,
    Resume,
    Replace,
}

/// When there is enough; whichever comes first.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Goal {
    /// Games in the file.
    pub games: Option<u64>,
    /// Positions in the file.
    pub positions: Option<u64>,
    /// Time of this run.
    pub time: Option<Duration>,
}

/// Who plays, and until when.
pub struct Run<'a> {
    pub plan: &'a SelfPlayPlan,
    pub factory: &'a EngineSource,
    /// Games at a time.
    pub threads: usize,
    pub goal: Goal,
    /// Positions after which a block of the file is closed.
    pub block: u64,
    pub time: &'a dyn TimeSource,
    /// Set from outside to break off.
    pub abandoned: &'a AtomicBool,
    /// Plays the games in place of the factory's engines.
    pub elsewhere: Option<&'a PlayElsewhere<'a>>,
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Games in the file.
    pub games: u64,
    /// Positions in the file.
    pub positions: u64,
    /// Positions made in this run.
    pub made: u64,
    pub nodes: u64,
    pub searches: u64,
    /// Games that had been played before, and in whose place there was no other.
    pub repeated: u64,
    pub elapsed: Duration,
}

impl Progress {
    /// Positions a second of this run.
    pub fn positions_per_second(&self) -> f64 {
        self.made as f64 / self.seconds()
    }

    /// Nodes a second of this run.
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.seconds()
    }

    fn seconds(&self) -> f64 {
        self.elapsed.as_secs_f64().max(1e-9)
    }
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    pub progress: Progress,
    /// Length of the file.
    pub bytes: u64,
    /// It was interrupted before its goal; a resumed run goes on.
    pub interrupted: bool,
}

/// Why the file is not as it should be.
#[derive(Debug, Error)]
pub enum FileError {
    #[error("{}: exists", .0.display())]
    Exists(PathBuf),
    #[error("{}: another run is writing it", .0.display())]
    InUse(PathBuf),
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error(transparent)]
    SelfPlay(#[from] SelfPlayError),
}

/// A file of games, open for more.
#[derive(Debug)]
pub struct GameFile {
    path: PathBuf,
    writer: Writer<File>,
    /// Fingerprints of the games in it.
    seen: HashSet<u64>,
    damage: Option<String>,
    _lock: Lock,
}

impl GameFile {
    /// Opens or creates it. A file to go on with must have the same header.
    pub fn open(path: &Path, existing: Existing, header: Header) -> Result<Self, FileError> {
        let failed = |e: &dyn Display| file_error(path, e);
        let exists = path.exists();
        if exists && existing == Existing::Refuse {
            return Err(FileError::Exists(path.to_owned()));
        }
        // Held from before the first byte is touched until the file is closed.
        let lock = Lock::exclusive(path).map_err(|e| failed(&e))?;
        let lock = lock.map_err(|InUse| FileError::InUse(path.to_owned()))?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).truncate(existing == Existing::Replace);
        let file = options.open(path).map_err(|e| failed(&e))?;
        let mut seen = HashSet::new();
        let mut damage = None;
        let writer = if exists && existing == Existing::Resume {
            let (writer, survey) = Writer::resume(file, header).map_err(|e| failed(&e))?;
            damage = survey.damage.filter(|_| survey.games > 0);
            let again = BufReader::new(File::open(path).map_err(|e| failed(&e))?);
            for game in Reader::new(again).map_err(|e| failed(&e))?.games() {
                seen.insert(game.map_err(|e| failed(&e))?.fingerprint());
            }
            writer
        } else {
            Writer::new(file, header).map_err(|e| failed(&e))?
        };
        Ok(Self { path: path.to_owned(), writer, seen, damage, _lock: lock })
    }

    /// What was wrong behind the last whole block, and is cut off.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Games in it.
    pub const fn games(&self) -> u64 {
        self.writer.games()
    }

    /// Positions in it.
    pub const fn positions(&self) -> u64 {
        self.writer.positions()
    }

    /// Whether a run that has taken so long has reached its goal.
    pub fn has_reached(&self, goal: &Goal, elapsed: Duration) -> bool {
        goal.games.is_some_and(|games| self.games() >= games)
            || goal.positions.is_some_and(|positions| self.positions() >= positions)
            || goal.time.is_some_and(|time| elapsed >= time)
    }

    /// Plays until the goal is reached; `watch` is told after every game. What was played is in the
    /// file in any case.
    pub fn play(
        mut self,
        run: &Run<'_>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<Ended, FileError> {
        let production = Production {
            plan: run.plan,
            factory: run.factory,
            threads: run.threads,
            first: self.games(),
            abandoned: run.abandoned,
            elsewhere: run.elsewhere,
        };
        let mut seen = std::mem::take(&mut self.seen);
        let started = run.time.now();
        let had = self.positions();
        let mut closed = had;
        let mut progress = Progress::default();
        let mut failure = None;
        let played = production.run(&mut seen, &mut |made| {
            if let Err(error) = self.write(made, run.block, &mut closed) {
                failure = Some(error);
                return ControlFlow::Break(());
            }
            progress.games = self.games();
            progress.positions = self.positions();
            progress.made = self.positions() - had;
            progress.nodes += made.nodes;
            progress.searches += made.searches;
            progress.repeated += u64::from(made.repeated);
            progress.elapsed = run.time.now().saturating_sub(started);
            watch(&progress);
            let full = self.has_reached(&run.goal, progress.elapsed);
            if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (progress.games, progress.positions) = (self.games(), self.positions());
        progress.elapsed = run.time.now().saturating_sub(started);
        let path = self.path;
        let bytes = finish(self.writer).map_err(|e| file_error(&path, &e))?;
        if let Some(error) = failure {
            return Err(file_error(&path, &error));
        }
        played?;
        let interrupted = run.abandoned.load(Ordering::Relaxed);
        Ok(Ended { progress, bytes, interrupted })
    }

    fn write(
        &mut self,
        made: &PlayedGame,
        block: u64,
        closed: &mut u64,
    ) -> Result<(), TeacherError> {
        self.writer.write(&made.game)?;
        if self.writer.positions() - *closed >= block {
            *closed = self.writer.positions();
            self.writer.flush()?;
        }
        Ok(())
    }
}

fn finish(writer: Writer<File>) -> Result<u64, TeacherError> {
    let file = writer.finish()?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

fn file_error(path: &Path, reason: &dyn Display) -> FileError {
    FileError::File { path: path.to_owned(), reason: reason.to_string() }
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("plan", self.plan).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    /// Two writers of one file would each overwrite the other's blocks.
    #[test]
    fn a_file_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games");
        let header = || Header::new(Game::Minishogi);
        let open = |existing| GameFile::open(&path, existing, header());
        let first = open(Existing::Refuse).unwrap();
        let before = std::fs::read(&path).unwrap();
        for existing in [Existing::Resume, Existing::Replace] {
            assert!(matches!(open(existing), Err(FileError::InUse(_))), "{existing:?}");
            assert_eq!(std::fs::read(&path).unwrap(), before);
        }
        drop(first);
        assert!(open(Existing::Resume).is_ok());
    }
}
