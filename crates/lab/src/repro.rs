//! Entries of a ledger made again: a plan that says what can be repeated and what is missing, and a
//! runner that works through it in a folder of its own.
//!
//! | file | holds |
//! |---|---|
//! | `command` | a command of an entry: what it reads, what it writes, how well it repeats |
//! | `plan` | the commands an entry's net depends on, and the files nobody has |
//! | `journal` | which commands were begun and which are done |
//! | `run` | the commands run, one after the other |
//! | `verdict` | the net that was made beside the one in the ledger |
//!
//! Here alone our own executable is started: what is repeated is the command as it was written down.
//! `git show REVISION:PATH > FILE` is done without a shell, in the repository of the ledger.

mod command;
mod journal;
mod plan;
mod run;
#[cfg(test)]
mod tests;
mod verdict;

pub use command::{Repeats, Step};
pub use plan::{Missing, Plan, Planned, Role};
pub use verdict::Verdict;

use crate::error::LabError;
use crate::ledger::{Generation, Ledger};
use journal::Journal;
use std::fs;
use std::path::PathBuf;

/// An entry somebody wants to see again.
#[derive(Clone, PartialEq, Debug)]
pub struct Repetition {
    pub ledger: PathBuf,
    /// Game, line and number, as in `shogi 10` or `shogi HalfKP 3`.
    pub entry: String,
    /// Where the commands run; what they read and write by relative paths lies there.
    pub folder: PathBuf,
    /// Openings of the match where the entry says OPENINGS, because its own were not kept.
    pub openings: Option<PathBuf>,
    /// Stands in for `nue`, and for `python`.
    pub program: PathBuf,
    pub python: PathBuf,
}

impl Repetition {
    /// What would be done. Nothing is run or written.
    pub fn plan(&self) -> Result<Plan, LabError> {
        let text = fs::read_to_string(&self.ledger).map_err(|e| LabError::at(&self.ledger, &e))?;
        let ledger: Ledger = text.parse().map_err(|e| LabError::at(&self.ledger, &e))?;
        let entry = find(&ledger, &self.entry)?;
        let begun = Journal::read(&self.folder)?;
        let exists = |path: &std::path::Path| self.folder.join(path).exists();
        // They are named from here, not from the folder.
        let openings = self.openings.as_deref().map(std::path::absolute).transpose();
        let openings = openings.map_err(|e| LabError::at(&self.ledger, &e))?;
        Plan::new(&ledger, entry, openings.as_deref(), &exists, &|command| {
            begun.is_half_done(command)
        })
    }
}

/// The entry of that name.
pub fn find<'a>(ledger: &'a Ledger, name: &str) -> Result<&'a Generation, LabError> {
    let wanted = plain(name);
    let mut found = ledger.generations.iter().filter(|entry| plain(&full_name(entry)) == wanted);
    match (found.next(), found.next()) {
        (Some(entry), None) => Ok(entry),
        (Some(_), Some(_)) => {
            Err(LabError::Entries(format!("\"{name}\" is the name of several entries")))
        }
        (None, _) => {
            let known: Vec<String> = ledger.generations.iter().map(full_name).collect();
            let known =
                if known.is_empty() { "no entry at all".to_owned() } else { known.join("; ") };
            Err(LabError::Entries(format!("no entry \"{name}\"; the ledger has: {known}")))
        }
    }
}

/// Game, line and number.
fn full_name(entry: &Generation) -> String {
    format!("{} {}", entry.game, entry.name())
}

/// A name without what nobody types.
fn plain(name: &str) -> String {
    let name = name.replace(',', " ").to_lowercase();
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}
