//! What came of a command: counts, and problems that did not stop it.

use crate::error::Error;
use chart::grouped;
use kifu::Damaged;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Problems kept in full; the rest are counted.
const KEPT: usize = 10;
/// Kinds of refusals kept apart: a hostile file must not fill the memory.
const KINDS: usize = 50;

/// The counts as a journal keeps them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedCounts {
    games: u64,
    positions: u64,
    left_out: u64,
    gone: u64,
    refused: BTreeMap<String, u64>,
    #[serde(default)]
    unscorable: u64,
    problems: u64,
}

/// Counts and problems.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Games written.
    pub games: u64,
    /// Positions written.
    pub positions: u64,
    /// Positions that did not pass the sieve.
    pub gone: u64,
    /// Positions not written because they are random, without a score or marked as not for
    /// training, in a format that holds nothing else.
    pub left_out: u64,
    /// Why games or positions have no place in the output, and how often.
    pub refused: BTreeMap<String, u64>,
    /// Positions that keep their old score because nothing can be thought there.
    pub unscorable: u64,
    /// What could not be read: the first of them.
    pub problems: Vec<String>,
    /// How many more problems there were.
    pub more_problems: u64,
    /// Records read that say more than a game as a teacher can: names, times, comments.
    pub(crate) richer: u64,
    /// Problems an earlier run has counted, which will be found again.
    again: u64,
}

impl Counts {
    /// The counts alone.
    pub(crate) fn save(&self) -> SavedCounts {
        let (refused, problems) = (self.refused.clone(), self.problem_count());
        let Self { games, positions, gone, left_out, unscorable, .. } = *self;
        SavedCounts { games, positions, left_out, gone, refused, unscorable, problems }
    }

    /// Goes on from counts. Problems counted then are not counted once more when what was read
    /// then is read again.
    pub(crate) fn restore(saved: SavedCounts) -> Self {
        let SavedCounts { games, positions, left_out, gone, refused, unscorable, problems } = saved;
        Self {
            games,
            positions,
            gone,
            left_out,
            refused,
            unscorable,
            problems: Vec::new(),
            more_problems: problems,
            // Records are read from the beginning whatever was done.
            richer: 0,
            again: problems,
        }
    }

    /// What was read then will not be read again.
    pub(crate) const fn reads_on(&mut self) {
        self.again = 0;
    }

    pub(crate) fn written(&mut self, games: u64, positions: u64) {
        self.games += games;
        self.positions += positions;
    }

    /// Positions not meant for training and so not written.
    pub(crate) fn left_out(&mut self, count: u64) {
        self.left_out += count;
    }

    /// Something the output has no place for.
    pub(crate) fn refused(&mut self, why: &str) {
        self.lost(why, 1);
    }

    /// So many things the output has no place for.
    pub(crate) fn lost(&mut self, what: &str, times: u64) {
        if times == 0 {
            return;
        }
        let full = self.refused.len() >= KINDS;
        let what = if full && !self.refused.contains_key(what) { "other reasons" } else { what };
        *self.refused.entry(what.to_owned()).or_default() += times;
    }

    /// Something that could not be read.
    pub(crate) fn problem(&mut self, text: String) {
        if self.again > 0 {
            self.again -= 1;
        } else if self.problems.len() < KEPT {
            self.problems.push(text);
        } else {
            self.more_problems += 1;
        }
    }

    /// Something that could not be read, which ends the work if it is to.
    pub(crate) fn damage(&mut self, damaged: Damaged, text: String) -> Result<(), Error> {
        match damaged {
            Damaged::Skip => {
                self.problem(text);
                Ok(())
            }
            Damaged::Stop => Err(Error::Stopped(text)),
        }
    }

    /// Adds others.
    pub(crate) fn add(&mut self, other: Self) {
        self.written(other.games, other.positions);
        self.left_out += other.left_out;
        self.gone += other.gone;
        self.unscorable += other.unscorable;
        self.more_problems += other.more_problems;
        for (why, times) in other.refused {
            *self.refused.entry(why).or_default() += times;
        }
        for problem in other.problems {
            self.problem(problem);
        }
    }

    /// What did not go as it might have, a line each.
    pub fn report(&self) -> String {
        let mut lines = self.problems.clone();
        if self.more_problems > 0 {
            lines.push(format!("… and {} more like these", grouped(self.more_problems)));
        }
        for (why, times) in &self.refused {
            let times = match times {
                1 => "once".to_owned(),
                n => format!("{} times", grouped(*n)),
            };
            lines.push(format!("not written: {why} ({times})"));
        }
        if self.unscorable > 0 {
            let kept = grouped(self.unscorable);
            lines.push(format!("{kept} positions without a legal move keep their old score"));
        }
        if self.left_out > 0 {
            let left = grouped(self.left_out);
            let what = "left out as random, unscored or not for training";
            lines.push(format!("{what}: {left} positions"));
        }
        lines.into_iter().map(|line| line + "\n").collect()
    }

    /// All problems.
    pub const fn problem_count(&self) -> u64 {
        self.problems.len() as u64 + self.more_problems
    }
}
