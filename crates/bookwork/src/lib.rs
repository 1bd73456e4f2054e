//! What is done with opening books.
//!
//! | file | holds |
//! |---|---|
//! | [`args`] | every command with its flags: they are what is asked |
//! | `convert` | one format into another; several books into one; what is not wanted left out |
//! | `make` | a book from records of games |
//! | `look` | probing, checking, counting, comparing, the tree of a book |
//! | `propagate` | values carried to the beginnings of lines |
//! | [`growing`] | a book that grows: what searches found, and what its lines come to |
//! | [`mine`] | leaves chosen, searched and propagated, round by round; one line extended |
//! | `games` | moves that prove themselves in games |
//! | [`searcher`] | who searches leaves |
//!
//! Deliberately absent: formats and probing (room `book`), printing: what is to be said is written
//! where the caller wants it.

pub mod args;
mod convert;
mod error;
mod games;
pub mod growing;
mod look;
mod make;
pub mod mine;
mod propagate;
pub mod searcher;
mod sorted;
mod steady;
#[cfg(test)]
mod tests;

pub use args::BookArgs;
pub use error::WorkError;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a command writes, what it tells on its way, and whether it is to end.
pub struct Console<'a> {
    /// Results.
    pub output: &'a mut dyn Write,
    /// Progress and remarks, a line each.
    pub tell: &'a mut dyn FnMut(&str),
    pub stop: &'a AtomicBool,
    /// Makes whoever searches by a fleet.
    pub fleet: searcher::ByFleet<'a>,
}

impl Console<'_> {
    fn check(&self) -> Result<(), WorkError> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(WorkError::Book(book::BookError::Interrupted)),
            false => Ok(()),
        }
    }

    fn line(&mut self, text: &str) -> Result<(), WorkError> {
        Ok(writeln!(self.output, "{text}")?)
    }
}
