//! Long outputs that a killed command can resume.
//!
//! The output grows under a hidden name beside its final place. A journal beside it holds
//! checkpoints: how long the output was, with whatever the owner needs to go on from there. A
//! command that resumes cuts the output back to its last checkpoint and continues: the result is
//! the same as if nothing had happened. When all is done the output gets its name and the journal
//! goes.

use crate::draft::place;
use crate::journal::{Held, Journal, JournalError};
use crate::lock::Lock;
use crate::name;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why an output cannot be written or resumed.
#[derive(Debug, Error)]
pub enum ResumableError {
    #[error("{} is not the name of a file", .0.display())]
    NoName(PathBuf),
    /// An earlier run left something to resume, and nobody said what to do with it.
    #[error("{} was interrupted: --resume continues it, --force starts again", .0.display())]
    Interrupted(PathBuf),
    #[error("{}: cannot write: another run is writing it", .0.display())]
    InUse(PathBuf),
    #[error("{}: cannot write: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// What to do with what an earlier run has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Refuse to start.
    New,
    /// Continue it, if there is anything; start otherwise.
    Resume,
    /// Remove it and start again.
    Restart,
}

/// A checkpoint as it stands in the journal: the owner's part, and the length of the output.
#[derive(Serialize, Deserialize)]
struct Checkpoint<S> {
    #[serde(flatten)]
    state: S,
    length: u64,
}

/// The bookkeeping of an output being written; the output itself is in its owner's hands.
///
/// Dropped, it leaves everything as it is, to be resumed: as a kill would.
#[derive(Debug)]
pub struct Resumable {
    journal: Journal,
    files: Files,
    kept: u64,
    worth_keeping: bool,
}

/// An output ready to be written to.
#[derive(Debug)]
pub struct Opened<O, S> {
    pub resumable: Resumable,
    pub output: O,
    /// The state of the last checkpoint; `None` at the beginning.
    pub state: Option<S>,
}

impl Resumable {
    /// Starts an output or continues one. `plan` describes the work, so that it is not continued
    /// with other settings.
    ///
    /// `attach` makes the owner's output of a file that has just been cut to the length passed
    /// with it, and says how much of the file is intact. Where that is less than the whole (a
    /// power cut can damage what was written before the checkpoint) an earlier checkpoint is
    /// tried.
    pub fn open<O, S: Serialize + DeserializeOwned>(
        target: &Path,
        plan: &Value,
        mode: Mode,
        mut attach: impl FnMut(File, u64) -> io::Result<(O, u64)>,
    ) -> Result<Opened<O, S>, ResumableError> {
        let mut files = Files::of(target)?;
        if let Some(folder) = target.parent().filter(|f| !f.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|e| files.failed(e))?;
        }
        // A journal without its output belongs to one that has got its name already.
        let left = files.journal.exists() && files.part.exists();
        match mode {
            Mode::New if left => return Err(ResumableError::Interrupted(target.to_owned())),
            Mode::Resume if left => return Self::resume(files, plan, attach),
            _ => {}
        }
        files.clear()?;
        let journal = Journal::create(&files.journal, plan, 0)?;
        // From here on they are ours, and nothing is in them yet.
        files.leave = false;
        let (output, _) = read_write(&files.part)
            .and_then(|file| attach(file, 0))
            .map_err(|e| files.failed(e))?;
        files.leave = true;
        let resumable = Self { journal, files, kept: 0, worth_keeping: false };
        Ok(Opened { resumable, output, state: None })
    }

    fn resume<O, S: DeserializeOwned>(
        files: Files,
        plan: &Value,
        mut attach: impl FnMut(File, u64) -> io::Result<(O, u64)>,
    ) -> Result<Opened<O, S>, ResumableError> {
        let (mut journal, held) = Journal::resume::<Checkpoint<S>>(&files.journal, plan, 0)?;
        let mut held = held.unwrap_or(Held { start: 0, entries: Vec::new(), head: 0 });
        let output = loop {
            let file = read_write(&files.part).map_err(|e| files.failed(e))?;
            let there = file.metadata().map_err(|e| files.failed(e))?.len();
            while held.entries.last().is_some_and(|(point, _)| point.length > there) {
                held.entries.pop();
            }
            let length = held.entries.last().map_or(0, |(point, _)| point.length);
            let attached = file.set_len(length).and_then(|()| attach(file, length));
            let (output, intact) = attached.map_err(|e| files.failed(e))?;
            if intact == length || held.entries.is_empty() {
                break output;
            }
            held.entries.retain(|(point, _)| point.length <= intact);
        };
        if held.head > 0 {
            journal.cut(held.entries.last().map_or(held.head, |(_, end)| *end))?;
        }
        let last = held.entries.pop().map(|(point, _)| point);
        let kept = last.as_ref().map_or(0, |point| point.length);
        let resumable = Self { journal, files, kept, worth_keeping: last.is_some() };
        Ok(Opened { resumable, output, state: last.map(|point| point.state) })
    }

    /// Length of the output at the last checkpoint.
    pub const fn kept(&self) -> u64 {
        self.kept
    }

    /// The file holds `length` bytes, flushed to the system: a place to continue from, with the
    /// state that belongs to it.
    pub fn checkpoint(
        &mut self,
        length: u64,
        state: &impl Serialize,
    ) -> Result<(), ResumableError> {
        self.journal.append(&Checkpoint { state, length })?;
        (self.kept, self.worth_keeping) = (length, true);
        Ok(())
    }

    /// Gives the finished output its name. Without `force` an existing file stays and this fails.
    pub fn publish(mut self, output: &File, force: bool) -> Result<(), ResumableError> {
        let placed =
            output.sync_all().and_then(|()| place(&self.files.part, &self.files.target, force));
        if let Err(e) = placed {
            self.files.leave = self.worth_keeping;
            return Err(self.files.failed(e));
        }
        self.files.leave = false;
        Ok(())
    }

    /// What was written has served its purpose: it goes, and so does the journal.
    pub fn discard(mut self, output: File) {
        drop(output);
        self.files.leave = false;
    }

    /// Whether there is a checkpoint to continue from.
    pub const fn is_worth_keeping(&self) -> bool {
        self.worth_keeping
    }

    /// Gives up: what is done stays if there is a checkpoint to continue from. Says whether.
    pub fn give_up(mut self) -> bool {
        self.files.leave = self.worth_keeping;
        self.worth_keeping
    }
}

/// The three names of an output.
#[derive(Debug)]
struct Files {
    target: PathBuf,
    part: PathBuf,
    journal: PathBuf,
    /// Whether the hidden files stay when this is dropped.
    leave: bool,
}

impl Files {
    fn of(target: &Path) -> Result<Self, ResumableError> {
        let beside = |end: &str| {
            name::beside(target, end).ok_or_else(|| ResumableError::NoName(target.to_owned()))
        };
        let (part, journal) = (beside(".part")?, beside(".part.journal")?);
        Ok(Self { target: target.to_owned(), part, journal, leave: true })
    }

    fn failed(&self, source: io::Error) -> ResumableError {
        ResumableError::Io { path: self.target.clone(), source }
    }

    fn remove(&self) {
        // If they cannot be removed there is nothing better to do.
        let _ = fs::remove_file(&self.part);
        let _ = fs::remove_file(&self.journal);
    }

    /// Clears away what an earlier run has left, unless it still runs.
    fn clear(&self) -> Result<(), ResumableError> {
        if Lock::is_held(&self.journal) {
            return Err(ResumableError::InUse(self.target.clone()));
        }
        self.remove();
        Ok(())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        if !self.leave {
            self.remove();
        }
    }
}

fn read_write(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

#[cfg(test)]
mod tests;
