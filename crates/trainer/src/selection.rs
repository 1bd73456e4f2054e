//! Which positions of a game are learned from, and in which form.

use crate::leaf::Leaf;
use crate::model::Encoder;
use crate::objective::Label;
use corpus::stream::Scores;
use corpus::{LeftOut, Sieve};
use rules::Variant;
use seed::Rng;
use serde::{Deserialize, Serialize};
use teacher::{Block, Cursor, Head, Sample, TeacherError};

/// What is left out, and what is done to the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Selection {
    /// Leave out positions in check.
    pub no_checks: bool,
    /// Leave out positions whose move captures or promotes: their values are about to change.
    pub no_captures: bool,
    /// Leave out positions whose move was chosen at random.
    pub no_random: bool,
    /// Scores farther from zero, mates among them, teach as if they were this far.
    pub limit: i16,
    /// Mirror every other position left to right, at random.
    pub mirror: bool,
    /// Learn from the quiet position that captures lead to, instead of the position itself.
    pub leaf: bool,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            no_checks: true,
            no_captures: true,
            no_random: true,
            limit: 3000,
            mirror: true,
            leaf: false,
        }
    }
}

impl Selection {
    /// Which positions train.
    fn sieve(&self) -> Sieve {
        Sieve {
            no_check: self.no_checks,
            // The leaf of a loud position is quiet.
            quiet: self.no_captures && !self.leaf,
            no_random: self.no_random,
            ..Sieve::default()
        }
    }

    fn scores(&self) -> Scores {
        Scores { clamp: self.limit, n_step: 0.0 }
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
    /// With a move that captures or promotes.
    pub captures: u64,
    /// That the model cannot see.
    pub unfit: u64,
}

impl SelectionCounts {
    /// Adds another.
    pub const fn add(&mut self, other: &Self) {
        self.used += other.used;
        self.marked += other.marked;
        self.unscored += other.unscored;
        self.checks += other.checks;
        self.captures += other.captures;
        self.unfit += other.unfit;
    }

    /// All positions looked at.
    pub const fn total(&self) -> u64 {
        let left_out = self.marked + self.unscored;
        self.used + left_out + self.checks + self.captures + self.unfit
    }
}

/// Encoded positions with their labels.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Samples {
    /// Words of all positions.
    pub words: Vec<u32>,
    pub labels: Vec<Label>,
    /// What was used and what was not.
    pub counts: SelectionCounts,
}

impl Samples {
    /// How many.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Adds others after these.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.words.append(&mut other.words);
        self.labels.append(&mut other.labels);
        self.counts.add(&other.counts);
    }
}

/// Turns blocks into samples.
pub(crate) struct Sampler<'a, V: Variant> {
    selection: Selection,
    sieve: Sieve,
    encoder: &'a dyn Encoder<V>,
}

impl<'a, V: Variant> Sampler<'a, V> {
    pub(crate) fn new(selection: Selection, encoder: &'a dyn Encoder<V>) -> Self {
        Self { selection, sieve: selection.sieve(), encoder }
    }

    /// The samples of a block. Which positions are mirrored follows from the random numbers.
    pub(crate) fn sample(&self, block: &Block, mut random: Rng) -> Result<Samples, TeacherError> {
        let mut samples = Samples::default();
        let mut cursor = Cursor::<V>::new();
        let mut leaf = self.selection.leaf.then(Leaf::<V>::new);
        let words = self.encoder.words();
        cursor.open(block)?;
        while cursor.next_game()? {
            let head = *cursor.head();
            while let Some(sample) = cursor.next_position()? {
                let Some(label) = self.label(&sample, &head, &mut samples.counts) else { continue };
                let mirrored = self.selection.mirror && random.bits() >> 63 == 1;
                let begin = samples.words.len();
                samples.words.resize(begin + words, 0);
                let room = &mut samples.words[begin..];
                let (fits, label) = match &mut leaf {
                    None => (self.encoder.encode(sample.position, mirrored, room), label),
                    Some(leaf) => {
                        let (quiet, turned) = leaf.find(sample.position);
                        let fits = self.encoder.encode(quiet, mirrored, room);
                        (fits, if turned { label.turned() } else { label })
                    }
                };
                if fits {
                    samples.labels.push(label);
                    samples.counts.used += 1;
                } else {
                    samples.words.truncate(begin);
                    samples.counts.unfit += 1;
                }
            }
        }
        Ok(samples)
    }

    /// The label of a position, unless it is left out.
    fn label(
        &self,
        sample: &Sample<'_, V>,
        head: &Head,
        counts: &mut SelectionCounts,
    ) -> Option<Label> {
        let position = sample.position;
        let counter = match self.sieve.trains(position, sample.mv, sample.score, sample.flags) {
            Ok(score) => {
                let result = head.outcome.for_side(position.turn());
                let score = self.selection.scores().limited(score);
                return Some(Label { score, result });
            }
            Err(LeftOut::Unscored) => &mut counts.unscored,
            Err(LeftOut::Check) => &mut counts.checks,
            Err(LeftOut::Loud) => &mut counts.captures,
            Err(LeftOut::Marked | LeftOut::Score | LeftOut::Ply) => &mut counts.marked,
        };
        *counter += 1;
        None
    }
}
