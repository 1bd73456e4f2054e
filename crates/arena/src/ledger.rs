//! A match on disk: all games in one CSA file, and beside it a journal that says which they are.
//!
//! A game is first appended to the games file, then a line of JSON to the journal, with the length
//! the games file has now. Whatever happens in between, the journal names only games that are
//! whole, and the games file is cut back to what the journal names before the match goes on: no
//! game is lost that was journalled, none is written twice.

use crate::time_use::TimeUse;
use durable::{Journal, JournalError};
use kifu::{Format, Record, WriteOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

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
    /// Time used, by colour; not in journals of earlier versions.
    #[serde(default)]
    pub time_use: [TimeUse; 2],
    /// Length of the games file after it.
    pub length: u64,
}

/// The game in a line, for people: `game 3: a - b 1-0, resignation, 87 moves in 12.3 s`.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, players: [black, white], winner, end, plies, millis, .. } = self;
        let points = match winner.as_str() {
            "black" => "1-0",
            "white" => "0-1",
            _ => "½-½",
        };
        let seconds = *millis as f64 / 1000.0;
        write!(
            f,
            "game {}: {black} - {white} {points}, {end}, {plies} moves in {seconds:.1} s",
            game + 1
        )?;
        match &self.fault {
            Some(fault) => write!(f, " ({fault})"),
            None => Ok(()),
        }
    }
}

/// Why a match cannot be written down or resumed.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The games file cannot be used.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A game cannot be written.
    #[error("cannot write a game: {0}")]
    Write(#[from] kifu::WriteError),
}

/// The files of a match under way.
#[derive(Debug)]
pub struct Ledger {
    games: File,
    games_path: PathBuf,
    journal: Journal,
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
    pub fn create(path: &Path, plan: &Value) -> Result<Self, LedgerError> {
        let (games, length) = open(path)?;
        let journal = Journal::create(&journal_path(path), plan, length)?;
        Ok(Self { games, games_path: path.to_owned(), journal, length })
    }

    /// Goes on with a match, and says which games it has. Both files are cut back to what both
    /// have whole.
    pub fn resume(path: &Path, plan: &Value) -> Result<(Self, Vec<Entry>), LedgerError> {
        let length = path.metadata().map_or(0, |m| m.len());
        let (journal, held) = Journal::resume::<Entry>(&journal_path(path), plan, length)?;
        let (games, length) = open(path)?;
        let mut ledger = Self { games, games_path: path.to_owned(), journal, length };
        let Some(mut held) = held else { return Ok((ledger, Vec::new())) };
        let there = held.entries.iter().take_while(|(entry, _)| entry.length <= length).count();
        held.entries.truncate(there);
        let last = held.entries.last();
        ledger.journal.cut(last.map_or(held.head, |(_, end)| *end))?;
        ledger.cut_games(last.map_or(held.start, |(entry, _)| entry.length))?;
        Ok((ledger, held.entries.into_iter().map(|(entry, _)| entry).collect()))
    }

    fn cut_games(&mut self, length: u64) -> Result<(), LedgerError> {
        let cut = self.games.set_len(length).and_then(|()| self.games.seek(SeekFrom::End(0)));
        cut.map_err(io_error(&self.games_path))?;
        self.length = length;
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
        Ok(self.journal.append(&entry)?)
    }
}

/// The games file at its end, and its length.
fn open(path: &Path) -> Result<(File, u64), LedgerError> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).open(path);
    let mut file = file.map_err(io_error(path))?;
    let length = file.seek(SeekFrom::End(0)).map_err(io_error(path))?;
    Ok((file, length))
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> LedgerError + '_ {
    move |source| LedgerError::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
