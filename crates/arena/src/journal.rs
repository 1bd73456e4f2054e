//! A journal: lines of JSON, appended as things happen, the first of which says what of.
//!
//! A line counts when it is whole, its end included. A program killed in the middle of one leaves
//! a rest that is cut off when the journal is gone on with.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The form of the journal.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    journal: u32,
    /// Whatever was there before, in whatever unit its owner counts.
    start: u64,
    plan: Value,
}

/// Why a journal cannot be written or gone on with.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is one already.
    #[error("{} is there already", .0.display())]
    Exists(PathBuf),
    /// There is none to resume.
    #[error("{} does not exist: there is nothing to resume", .0.display())]
    Missing(PathBuf),
    /// Somebody else is writing it.
    #[error("{} is in use by another run", .0.display())]
    InUse(PathBuf),
    /// It is no journal, or is damaged before its end.
    #[error("{}, line {line}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// It is of something else.
    #[error("{} is of other settings: {differences}", path.display())]
    OtherPlan {
        /// The file.
        path: PathBuf,
        /// What differs.
        differences: String,
    },
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
        journal.append(&Head { journal: VERSION, start, plan: plan.clone() })?;
        Ok(journal)
    }

    /// Opens a journal of the same plan and reads what it holds. `None` for the contents: killed
    /// before anything was written; the first line is written anew, with `start`.
    pub fn resume<E: DeserializeOwned>(
        path: &Path,
        plan: &Value,
        start: u64,
    ) -> Result<(Self, Option<Held<E>>), JournalError> {
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Err(JournalError::Missing(path.to_owned()));
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
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(JournalError::InUse(path.to_owned()));
            }
            // A file system without locks is used without.
            Err(std::fs::TryLockError::Error(_)) => {}
        }
        Ok(Self { file, path: path.to_owned() })
    }

    /// Forgets everything after that length.
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
        return "its plan is no plan".to_owned();
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_journal_panics(bytes in any::<Vec<u8>>()) {
            let _ = read::<Value>(&bytes, Path::new("x"));
            let head = b"{\"journal\":1,\"start\":0,\"plan\":{}}\n";
            let told = read::<Value>(&[head, &bytes[..]].concat(), Path::new("x"));
            if let Ok(Some((_, held))) = told {
                let whole = held.entries.last().map_or(held.head, |(_, end)| *end);
                prop_assert!(whole as usize <= head.len() + bytes.len());
            }
        }
    }
}
