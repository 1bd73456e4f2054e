//! What came of a command: counts, and problems that did not stop it.

use super::count;
use crate::failure::{Failure, Outcome};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Problems shown in full; the rest are counted.
const SHOWN: usize = 10;
/// Kinds of refusals kept apart: a hostile file must not fill the memory.
const KINDS: usize = 50;

/// What was done with what could be read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    games: u64,
    positions: u64,
    left_out: u64,
    gone: u64,
    refused: BTreeMap<String, u64>,
    problems: u64,
}

/// Counts and problems.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(super) games: u64,
    pub(super) positions: u64,
    /// Positions that did not pass.
    pub(super) gone: u64,
    left_out: u64,
    /// Why games or positions did not fit the output, and how often.
    refused: BTreeMap<String, u64>,
    /// What could not be read, as many as are shown.
    problems: Vec<String>,
    more: u64,
    /// Problems an earlier run has counted, which will be found again.
    again: u64,
}

impl Tally {
    /// The counts alone.
    pub(super) fn counts(&self) -> Counts {
        let (refused, problems) = (self.refused.clone(), self.problems.len() as u64 + self.more);
        let Self { games, positions, gone, left_out, .. } = *self;
        Counts { games, positions, left_out, gone, refused, problems }
    }

    /// Goes on from counts. Problems counted then are not counted once more when what was read
    /// then is read again.
    pub(super) fn from_counts(counts: Counts) -> Self {
        let Counts { games, positions, left_out, gone, refused, problems } = counts;
        let (more, again) = (problems, problems);
        Self { games, positions, gone, left_out, refused, problems: Vec::new(), more, again }
    }

    /// What was read then will not be read again.
    pub(super) const fn reads_on(&mut self) {
        self.again = 0;
    }

    pub(super) fn written(&mut self, games: u64, positions: u64) {
        self.games += games;
        self.positions += positions;
    }

    /// Positions not meant for training and so not written.
    pub(super) fn left_out(&mut self, count: u64) {
        self.left_out += count;
    }

    /// Something the output has no place for.
    pub(super) fn refused(&mut self, why: &str) {
        let full = self.refused.len() >= KINDS;
        let why = if full && !self.refused.contains_key(why) { "other reasons" } else { why };
        *self.refused.entry(why.to_owned()).or_default() += 1;
    }

    /// Something that could not be read.
    pub(super) fn problem(&mut self, text: String) {
        if self.again > 0 {
            self.again -= 1;
        } else if self.problems.len() < SHOWN {
            self.problems.push(text);
        } else {
            self.more += 1;
        }
    }

    /// Adds another tally.
    pub(super) fn add(&mut self, other: Self) {
        self.written(other.games, other.positions);
        self.left_out += other.left_out;
        self.gone += other.gone;
        self.more += other.more;
        for (why, times) in other.refused {
            *self.refused.entry(why).or_default() += times;
        }
        for problem in other.problems {
            self.problem(problem);
        }
    }

    /// Says what happened. A problem makes the command fail, though all that could be done is.
    pub(super) fn report(&self, done: &str) -> Outcome {
        let mut out = io::stderr().lock();
        for problem in &self.problems {
            writeln!(out, "{problem}")?;
        }
        if self.more > 0 {
            writeln!(out, "… and {} more like these", count(self.more))?;
        }
        for (why, times) in &self.refused {
            writeln!(out, "not written, {} times: {why}", count(*times))?;
        }
        if self.left_out > 0 {
            let left = count(self.left_out);
            writeln!(out, "left out as random, unscored or not for training: {left} positions")?;
        }
        if !done.is_empty() {
            writeln!(out, "{done}")?;
        }
        match self.problems.len() as u64 + self.more {
            0 => Ok(()),
            1 => Err(Failure::failed("1 problem in the input")),
            n => Err(Failure::failed(format!("{} problems in the input", count(n)))),
        }
    }
}
