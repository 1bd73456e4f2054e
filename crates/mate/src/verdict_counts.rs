//! What became of many problems.

use crate::Verdict;
use crate::study::Study;
use std::fmt;

/// What became of problems; each is counted once.
#[derive(Clone, Copy, Default, Debug)]
pub struct VerdictCounts {
    mates: usize,
    without_mate: usize,
    unsolved: usize,
    /// Problems that could not be read.
    pub unreadable: usize,
    /// Mates, or none, of which something that was asked for could not be answered.
    incomplete: usize,
}

impl VerdictCounts {
    /// Counts a problem: whether the shortest mate was asked for, and whether its proof was but
    /// could not be kept.
    pub fn add(&mut self, study: &Study, shortest: bool, unproven: bool) {
        let solution = &study.solution;
        match solution.verdict {
            Verdict::Mate => self.mates += 1,
            Verdict::NoMate => self.without_mate += 1,
            Verdict::Unknown(_) => return self.unsolved += 1,
        }
        let longer = shortest && solution.verdict == Verdict::Mate && !solution.is_shortest;
        self.incomplete += usize::from(longer || unproven || study.is_open());
    }

    /// How many problems were looked at.
    pub const fn problems(&self) -> usize {
        self.mates + self.without_mate + self.unsolved + self.unreadable
    }

    /// How many did not get every answer that was asked for.
    pub const fn open(&self) -> usize {
        self.unsolved + self.unreadable + self.incomplete
    }
}

impl fmt::Display for VerdictCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mates, without_mate, unsolved, unreadable, incomplete } = self;
        write!(f, "{} problems: {mates} mates, {without_mate} without mate", self.problems())?;
        for (n, what) in [(unsolved, "unsolved"), (unreadable, "unreadable")] {
            if *n > 0 {
                write!(f, ", {n} {what}")?;
            }
        }
        if *incomplete > 0 {
            write!(f, "; {incomplete} not answered in every point")?;
        }
        Ok(())
    }
}
