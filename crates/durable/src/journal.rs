//! A journal: lines of JSON, appended as things happen. The first says what is being done.
//!
//! A line counts when it is complete, its newline included. A program killed in the middle of one
//! leaves a torn line, which is cut off when the journal is resumed.

use crate::lock::{InUse, lock};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The form of the journal.
const VERSION: u32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    journal: u32,
    /// What was there before, in whatever unit the owner counts.
    start: u64,
    plan: Value,
}

/// Why a journal cannot be written or resumed.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),
    #[error("{} is in use by another run", .0.display())]
    InUse(PathBuf),
    /// Not a journal, or damaged before its end. Lines count from 1.
    #[error("{}, line {line}: {reason}", path.display())]
    Damaged { path: PathBuf, line: usize, reason: String },
    /// The journal of another plan.
    #[error("{} has other settings: {differences}", path.display())]
    OtherPlan { path: PathBuf, differences: String },
}

/// A journal being written.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

/// What a journal held when it was opened again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held<E> {
    /// What its first line says was there before.
    pub start: u64,
    /// Its entries, each with the length of the journal up to its end.
    pub entries: Vec<(E, u64)>,
    /// Length of the first line.
    pub head: u64,
}

impl Journal {
    /// Begins a journal of that plan; `start` is kept for its owner.
    pub fn create(path: &Path, plan: &Value, start: u64) -> Result<Self, JournalError> {
        let mut options = OpenOptions::new();
        let file = match options.read(true).write(true).create_new(true).open(path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                return Err(JournalError::Exists(path.to_owned()));
            }
            other => other.map_err(io_error(path))?,
        };
        let mut journal = Self::locked(file, path)?;
        if let Err(error) = journal.append(&Head { journal: VERSION, start, plan: plan.clone() }) {
            // It says nothing; if it cannot be removed there is nothing better to do.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(journal)
    }

    /// Opens a journal of the same plan and reads what it holds, or begins one. `None` for the
    /// contents: there was none, or its owner was killed before anything was written; then the first
    /// line is written, with `start`.
    pub fn resume<E: DeserializeOwned>(
        path: &Path,
        plan: &Value,
        start: u64,
    ) -> Result<(Self, Option<Held<E>>), JournalError> {
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Ok((Self::create(path, plan, start)?, None));
            }
            other => other.map_err(io_error(path))?,
        };
        let mut journal = Self::locked(file, path)?;
        let mut bytes = Vec::new();
        journal.file.read_to_end(&mut bytes).map_err(io_error(path))?;
        let Some((head, held)) = read::<E>(&bytes, path)? else {
            journal.cut(0)?;
            journal.append(&Head { journal: VERSION, start, plan: plan.clone() })?;
            return Ok((journal, None));
        };
        if head.plan != *plan {
            let differences = differences(&head.plan, plan);
            return Err(JournalError::OtherPlan { path: path.to_owned(), differences });
        }
        journal.cut(held.entries.last().map_or(held.head, |(_, end)| *end))?;
        Ok((journal, Some(held)))
    }

    fn locked(file: File, path: &Path) -> Result<Self, JournalError> {
        lock(&file).map_err(|InUse| JournalError::InUse(path.to_owned()))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Cuts the journal back to that length.
    pub fn cut(&mut self, length: u64) -> Result<(), JournalError> {
        let cut = self.file.set_len(length).and_then(|()| self.file.seek(SeekFrom::End(0)));
        cut.map(|_| ()).map_err(io_error(&self.path))
    }

    /// Appends an entry.
    pub fn append(&mut self, entry: &impl Serialize) -> Result<(), JournalError> {
        let text = serde_json::to_string(entry).map_err(io::Error::from);
        // In one write: two would leave half a line more often.
        let written = text.and_then(|text| self.file.write_all(format!("{text}\n").as_bytes()));
        written.and_then(|()| self.file.flush()).map_err(io_error(&self.path))
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> JournalError + '_ {
    move |source| JournalError::Io { path: path.to_owned(), source }
}

/// Reads up to the last whole line; `None` if there is not even the first.
fn read<E: DeserializeOwned>(
    bytes: &[u8],
    path: &Path,
) -> Result<Option<(Head, Held<E>)>, JournalError> {
    let damaged = |line: usize, reason: String| JournalError::Damaged {
        path: path.to_owned(),
        line: line + 1,
        reason,
    };
    // The last write may have been cut short.
    let whole = bytes.split_inclusive(|&b| b == b'\n').take_while(|line| line.ends_with(b"\n"));
    let mut told: Option<(Head, Held<E>)> = None;
    let mut length = 0;
    for (index, line) in whole.enumerate() {
        length += line.len() as u64;
        match &mut told {
            None => {
                let head: Head =
                    serde_json::from_slice(line).map_err(|e| damaged(index, e.to_string()))?;
                if head.journal != VERSION {
                    return Err(damaged(index, format!("a journal of form {}", head.journal)));
                }
                let held = Held { start: head.start, entries: Vec::new(), head: length };
                told = Some((head, held));
            }
            Some((_, held)) => {
                let entry =
                    serde_json::from_slice(line).map_err(|e| damaged(index, e.to_string()))?;
                held.entries.push((entry, length));
            }
        }
    }
    Ok(told)
}

/// What differs between two plans, by the names of their parts.
fn differences(before: &Value, now: &Value) -> String {
    let (Some(a), Some(b)) = (before.as_object(), now.as_object()) else {
        return "its plan is not a JSON object".to_owned();
    };
    let mut parts: Vec<String> = Vec::new();
    for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
        let show =
            |value: Option<&Value>| value.map_or_else(|| "none".to_owned(), Value::to_string);
        let (then, now) = (a.get(key), b.get(key));
        if then != now {
            parts.push(format!("{key} was {}, is {}", show(then), show(now)));
        }
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests;
