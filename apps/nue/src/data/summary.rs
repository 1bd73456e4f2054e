//! What is said at the end of a command, and how errors are told.

use crate::failure::{CommandResult, Failure};
use chart::grouped;
use corpus::{Counts, Error, Format};
use std::io::{self, Write};

/// Says what happened. A problem makes the command fail, though all that could be done is.
pub(super) fn report(counts: &Counts, done: &str) -> CommandResult {
    let mut out = io::stderr().lock();
    write!(out, "{}", counts.report())?;
    if !done.is_empty() {
        writeln!(out, "{done}")?;
    }
    match counts.problem_count() {
        0 => Ok(()),
        1 => Err(Failure::failed("1 problem in the input")),
        n => Err(Failure::failed(format!("{} problems in the input", grouped(n)))),
    }
}

/// How much was written: games and positions, or positions alone where the format holds no games.
pub(super) fn amount(format: Format, counts: &Counts) -> String {
    let (games, positions) = (grouped(counts.games), grouped(counts.positions));
    match format.record() {
        Some(_) => format!("{positions} positions"),
        None => format!("{games} games, {positions} positions"),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let hint = match &error {
            Error::Io(_) => {
                let Error::Io(error) = error else { return Self::ReaderGone };
                return error.into();
            }
            Error::UnclearInput(_) => "; name it with --from".to_owned(),
            Error::UnclearOutput(_) => {
                let names = Format::ALL.map(Format::name).join(", .");
                format!("; name it with --to, or choose a file name that ends in .{names}")
            }
            Error::Exists(_) => "; --force replaces it".to_owned(),
            Error::Memory(_) => "; allow more with --memory".to_owned(),
            Error::Damaged(_) => " (--damaged skip, or --salvage, uses what is whole)".to_owned(),
            Error::Stopped(_) => "; stopped there, nothing is written".to_owned(),
            Error::Resumable(inner) if matches!(**inner, Error::Stopped(_)) => {
                "; stopped there\nwhat is done is kept: the same command with --resume --damaged \
                 skip continues without it"
                    .to_owned()
            }
            Error::Interrupted => return Self::Interrupted("interrupted".to_owned()),
            Error::Resumable(inner) if matches!(**inner, Error::Interrupted) => {
                let advice = "interrupted; the same command with --resume continues";
                return Self::Interrupted(advice.to_owned());
            }
            Error::Resumable(_) => {
                "\nwhat is done is kept: the same command with --resume continues".to_owned()
            }
            _ => String::new(),
        };
        let text = format!("{error}{hint}");
        if error.is_request() { Self::Usage(text) } else { Self::Failed(text) }
    }
}
