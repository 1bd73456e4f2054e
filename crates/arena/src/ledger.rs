//! A match on disk: all games in one CSA file, and beside it a journal that says which they are.
//!
//! A game is first appended to the games file, then a line of JSON to the journal, with the length
//! the games file has now. Whatever happens in between, the journal names only games that are
//! whole, and the games file is cut back to what the journal names before the match goes on: no
//! game is lost that was journalled, none is written twice.

use kifu::{Format, Record, WriteOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The form of the journal.
const VERSION: u32 = 1;

/// One finished game in the journal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Its number in the schedule.
    pub game: u64,
    /// Names by colour, for the reader.
    pub players: [String; 2],
    /// `black`, `white` or `draw`.
    pub winner: String,
    /// How it ended, in one word.
    pub end: String,
    /// The fault it ended by, with its story.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Moves, the opening included.
    pub plies: u64,
    /// Milliseconds it took.
    pub millis: u64,
    /// Length of the games file after it.
    pub length: u64,
}

#[derive(Serialize, Deserialize)]
struct Head {
    journal: u32,
    /// Length of the games file before the match.
    start: u64,
    plan: Value,
}

/// Why a match cannot be written down or resumed.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// A file cannot be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is a match there already.
    #[error("{} holds a match already", .0.display())]
    Exists(PathBuf),
    /// There is no match to resume.
    #[error("{} does not exist: there is no match to resume", .0.display())]
    Missing(PathBuf),
    /// Somebody else is writing it.
    #[error("{} is in use by another match", .0.display())]
    InUse(PathBuf),
    /// The journal is not one, or is damaged before its end.
    #[error("{}, line {line}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The journal is of another match.
    #[error("{} is of another match: {differences}", path.display())]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        differences: String,
    },
    /// A game cannot be written.
    #[error("cannot write a game: {0}")]
    Write(#[from] kifu::WriteError),
}

/// The files of a match under way.
#[derive(Debug)]
pub struct Ledger {
    games: File,
    games_path: PathBuf,
    journal: File,
    journal_path: PathBuf,
    length: u64,
}

/// The journal that belongs to a games file.
pub fn journal_path(games: &Path) -> PathBuf {
    let mut name = games.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

impl Ledger {
    /// Begins a match: games are appended to the file, which may have games of others.
    pub fn create(games_path: &Path, plan: &Value) -> Result<Self, LedgerError> {
        let journal_path = journal_path(games_path);
        let mut options = OpenOptions::new();
        let journal = match options.read(true).write(true).create_new(true).open(&journal_path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                return Err(LedgerError::Exists(journal_path));
            }
            other => other.map_err(io_error(&journal_path))?,
        };
        let mut ledger = Self::open(games_path, journal_path, journal)?;
        let head = Head { journal: VERSION, start: ledger.length, plan: plan.clone() };
        ledger.append_journal(&head)?;
        Ok(ledger)
    }

    /// Goes on with a match, and says which games it has.
    pub fn resume(games_path: &Path, plan: &Value) -> Result<(Self, Vec<Entry>), LedgerError> {
        let journal_path = journal_path(games_path);
        let journal = match OpenOptions::new().read(true).write(true).open(&journal_path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Err(LedgerError::Missing(journal_path));
            }
            other => other.map_err(io_error(&journal_path))?,
        };
        let mut ledger = Self::open(games_path, journal_path, journal)?;
        let mut bytes = Vec::new();
        ledger.journal.read_to_end(&mut bytes).map_err(io_error(&ledger.journal_path))?;
        let told = Told::read(&bytes, ledger.length, &ledger.journal_path)?;
        match told.head {
            // Killed before anything was written.
            None => {
                ledger.cut(0, None)?;
                let start = ledger.length;
                ledger.append_journal(&Head { journal: VERSION, start, plan: plan.clone() })?;
            }
            Some(head) => {
                if head.plan != *plan {
                    let differences = differences(&head.plan, plan);
                    return Err(LedgerError::OtherMatch { path: ledger.journal_path, differences });
                }
                let length = told.entries.last().map_or(head.start, |entry| entry.length);
                ledger.cut(told.whole, Some(length))?;
            }
        }
        Ok((ledger, told.entries))
    }

    fn open(games: &Path, journal_path: PathBuf, journal: File) -> Result<Self, LedgerError> {
        match journal.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(LedgerError::InUse(journal_path));
            }
            // A file system without locks is used without.
            Err(std::fs::TryLockError::Error(_)) => {}
        }
        let games_path = games.to_owned();
        let mut file = OpenOptions::new();
        let file = file.read(true).write(true).create(true).truncate(false).open(games);
        let mut games = file.map_err(io_error(&games_path))?;
        let length = games.seek(SeekFrom::End(0)).map_err(io_error(&games_path))?;
        Ok(Self { games, games_path, journal, journal_path, length })
    }

    /// Cuts both files back to what is whole.
    fn cut(&mut self, journal: u64, games: Option<u64>) -> Result<(), LedgerError> {
        let cut = |file: &mut File, length: u64| {
            file.set_len(length)?;
            file.seek(SeekFrom::End(0)).map(|_| ())
        };
        cut(&mut self.journal, journal).map_err(io_error(&self.journal_path))?;
        if let Some(length) = games {
            cut(&mut self.games, length).map_err(io_error(&self.games_path))?;
            self.length = length;
        }
        Ok(())
    }

    /// Writes a game down. The entry's length is filled in.
    pub fn add(&mut self, record: &Record, mut entry: Entry) -> Result<(), LedgerError> {
        let options = WriteOptions { csa: kifu::CsaVersion::V30, ..WriteOptions::default() };
        let (text, _) = kifu::to_bytes(record, Format::Csa, &options)?;
        let mut bytes = if self.length > 0 { b"/\n".to_vec() } else { Vec::new() };
        bytes.extend(text);
        let written = self.games.write_all(&bytes).and_then(|()| self.games.flush());
        written.map_err(io_error(&self.games_path))?;
        self.length += bytes.len() as u64;
        entry.length = self.length;
        self.append_journal(&entry)
    }

    fn append_journal(&mut self, line: &impl Serialize) -> Result<(), LedgerError> {
        let text = serde_json::to_string(line).map_err(io::Error::from);
        let written = text.and_then(|text| self.journal.write_all(format!("{text}\n").as_bytes()));
        written.and_then(|()| self.journal.flush()).map_err(io_error(&self.journal_path))
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> LedgerError + '_ {
    move |source| LedgerError::Io { path: path.to_owned(), source }
}

/// What a journal says.
struct Told {
    head: Option<Head>,
    entries: Vec<Entry>,
    /// Bytes of the journal that hold it.
    whole: u64,
}

impl Told {
    /// Reads the journal up to the last line that is whole and whose game is in the games file.
    fn read(bytes: &[u8], games_length: u64, path: &Path) -> Result<Self, LedgerError> {
        let mut told = Self { head: None, entries: Vec::new(), whole: 0 };
        for (index, line) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
            let damaged = |reason: String| {
                Err(LedgerError::Damaged { path: path.to_owned(), line: index + 1, reason })
            };
            if told.head.is_none() {
                match serde_json::from_slice::<Head>(line) {
                    Ok(head) if head.journal != VERSION => {
                        return damaged(format!("a journal of form {}", head.journal));
                    }
                    Ok(head) if line.ends_with(b"\n") => told.head = Some(head),
                    Err(error) if line.ends_with(b"\n") => return damaged(error.to_string()),
                    // The very first write was cut short.
                    _ => return Ok(told),
                }
            } else {
                match serde_json::from_slice::<Entry>(line) {
                    Ok(entry) if entry.length > games_length => return Ok(told),
                    Ok(entry) if line.ends_with(b"\n") => told.entries.push(entry),
                    Err(error) if line.ends_with(b"\n") => return damaged(error.to_string()),
                    // The last write was cut short.
                    _ => return Ok(told),
                }
            }
            told.whole += line.len() as u64;
        }
        Ok(told)
    }
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
#[path = "ledger_tests.rs"]
mod tests;
