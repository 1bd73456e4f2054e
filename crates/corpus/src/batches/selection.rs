//! Which positions are learned from, and in which form.

use crate::sieve::{LeftOut, Sieve};
use serde::{Deserialize, Serialize};

/// What is left out, and what is done to the rest.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Selection {
    /// Which positions train.
    pub sieve: Sieve,
    /// Scores farther from zero, mates among them, teach as if they were this far.
    pub limit: i16,
    /// Weight of the scores after a position against its own, 0 to below 1.
    pub n_step: f64,
    /// Mirror every other position left to right, at random.
    pub mirror: bool,
    /// Learn from the quiet position that captures lead to, instead of the position itself.
    pub leaf: bool,
    /// Learn only from positions in which no capture gains anything: those that are their own leaf.
    #[serde(default)]
    pub settled: bool,
    /// Instead of each position so many beside it, that no game came to; none is the position itself.
    /// Their scores are those of the position they come from, their results nobody knows: for a
    /// teacher to judge.
    #[serde(default)]
    pub beside: u8,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            sieve: Sieve::TRAINING,
            limit: 3000,
            n_step: 0.0,
            mirror: true,
            leaf: false,
            settled: false,
            beside: 0,
        }
    }
}

impl Selection {
    /// The score as it teaches.
    pub(super) fn limited(&self, score: i16) -> i16 {
        score.clamp(-self.limit, self.limit)
    }

    /// Which positions train. The leaf of a loud position is quiet, and so is what lies beside one.
    pub(super) fn effective_sieve(&self) -> Sieve {
        let beside = self.beside > 0;
        Sieve {
            no_check: self.sieve.no_check && !beside,
            quiet: self.sieve.quiet && !self.leaf && !beside,
            ..self.sieve
        }
    }
}

/// How many positions were used, and how many were not, for which reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SelectionCounts {
    pub used: u64,
    /// Marked as not to be trained on, or with a move chosen at random.
    pub marked: u64,
    /// Without a score.
    pub unscored: u64,
    /// In check.
    pub checks: u64,
    /// With a move that captures or promotes, or a capture that gains where settled ones are asked for.
    pub captures: u64,
    /// With a score or move number out of range.
    pub out_of_range: u64,
    /// Of games with an end or a length that does not pass.
    pub games: u64,
    /// That the model cannot see.
    pub unfit: u64,
}

impl SelectionCounts {
    pub(super) const fn count(&mut self, why: LeftOut) {
        let counter = match why {
            LeftOut::Marked => &mut self.marked,
            LeftOut::Unscored => &mut self.unscored,
            LeftOut::Check => &mut self.checks,
            LeftOut::Loud => &mut self.captures,
            LeftOut::Score | LeftOut::Ply => &mut self.out_of_range,
        };
        *counter += 1;
    }

    /// Adds another.
    pub const fn add(&mut self, other: &Self) {
        self.used += other.used;
        self.marked += other.marked;
        self.unscored += other.unscored;
        self.checks += other.checks;
        self.captures += other.captures;
        self.out_of_range += other.out_of_range;
        self.games += other.games;
        self.unfit += other.unfit;
    }

    /// All positions looked at.
    pub const fn total(&self) -> u64 {
        let quality = self.marked + self.unscored + self.out_of_range + self.games;
        self.used + quality + self.checks + self.captures + self.unfit
    }
}
