//! Which positions of a game are learned from, and in which form.

use crate::leaf::Leaf;
use crate::model::Encoder;
use crate::objective::Label;
use crate::random::Random;
use rules::Variant;
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
    /// Mirror every other position left to right, chosen at random.
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

/// How many positions were used, and how many were not, for which reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SelectionCounts {
    /// Used.
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
    /// Their labels.
    pub labels: Vec<Label>,
    /// What was used and what was not.
    pub tally: SelectionCounts,
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
        self.tally.add(&other.tally);
    }
}

/// Turns blocks into samples.
pub(crate) struct Sampler<'a, V: Variant> {
    pub(crate) selection: Selection,
    pub(crate) encoder: &'a dyn Encoder<V>,
}

impl<V: Variant> Sampler<'_, V> {
    /// The samples of a block. Which positions are mirrored follows from the random numbers.
    pub(crate) fn sample(
        &self,
        block: &Block,
        mut random: Random,
    ) -> Result<Samples, TeacherError> {
        let mut samples = Samples::default();
        let mut cursor = Cursor::<V>::new();
        let mut leaf = self.selection.leaf.then(Leaf::<V>::new);
        let words = self.encoder.words();
        cursor.open(block)?;
        while cursor.next_game()? {
            let head = *cursor.head();
            while let Some(sample) = cursor.next_position()? {
                let Some(label) = self.label(&sample, &head, &mut samples.tally) else { continue };
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
                    samples.tally.used += 1;
                } else {
                    samples.words.truncate(begin);
                    samples.tally.unfit += 1;
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
        tally: &mut SelectionCounts,
    ) -> Option<Label> {
        let Selection { no_checks, no_captures, no_random, limit, leaf, .. } = self.selection;
        let position = sample.position;
        let counter = if sample.flags.skip || no_random && sample.flags.random {
            &mut tally.marked
        } else if sample.score.is_none() {
            &mut tally.unscored
        } else if no_checks && position.in_check() {
            &mut tally.checks
        } else if no_captures
            && !leaf
            && sample.mv.is_some_and(|mv| {
                mv.is_promotion() || !mv.is_drop() && position.piece_at(mv.to()).is_some()
            })
        {
            &mut tally.captures
        } else {
            let result = head.outcome.for_side(position.turn());
            let score = sample.score.map(|score| score.clamp(-limit, limit));
            return score.map(|score| Label { score, result });
        };
        *counter += 1;
        None
    }
}
