//! How often a model would play what was played: every move is tried, the position after it is
//! given a value, and the best is compared with the move of the record. No search: the figure is
//! low for any model, and rises as the model learns.

use crate::model::{Encoder, Model};
use crate::workers::Workers;
use corpus::Error;
use corpus::batches::Units;
use corpus::choices::each_choice;
use rules::{Move, Position, Variant};

/// Positions after every move of some positions.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    words: Vec<u32>,
    /// For every position: how many moves there are, and which of them was played.
    moves: Vec<(usize, usize)>,
}

/// Positions valued at a time.
const PIECE: usize = 8192;

impl Choices {
    /// Collects about `count` positions from all over some files. Moves chosen at random do not count.
    pub fn collect<V: Variant>(
        units: &Units,
        encoder: &dyn Encoder<V>,
        count: usize,
    ) -> Result<Self, Error> {
        let mut choices = Self::default();
        each_choice::<V>(units, count, |position, moves, played| {
            choices.add(position, moves, played, encoder)
        })?;
        Ok(choices)
    }

    /// Adds a position, if the encoder takes all that its moves lead to.
    fn add<V: Variant>(
        &mut self,
        position: &mut Position<V>,
        moves: &[Move],
        played: usize,
        encoder: &dyn Encoder<V>,
    ) -> bool {
        let begin = self.words.len();
        for &mv in moves {
            let at = self.words.len();
            self.words.resize(at + encoder.words(), 0);
            position.play(mv);
            let fits = encoder.encode(position, false, &mut self.words[at..]);
            position.undo();
            if !fits {
                self.words.truncate(begin);
                return false;
            }
        }
        self.moves.push((moves.len(), played));
        true
    }

    /// The share of positions in which the model chooses the move played.
    pub fn agreement<V: Variant>(
        &self,
        model: &mut (impl Model<V> + ?Sized),
        workers: Workers,
    ) -> f64 {
        let count: usize = self.moves.iter().map(|m| m.0).sum();
        if count == 0 {
            return 0.0;
        }
        let words = self.words.len() / count;
        let mut values = vec![0.0; count];
        for (words, values) in self.words.chunks(PIECE * words).zip(values.chunks_mut(PIECE)) {
            model.forward(words, &workers, values);
        }
        let mut rest = &values[..];
        let mut agreed = 0;
        for &(moves, played) in &self.moves {
            let (now, later) = rest.split_at(moves);
            rest = later;
            // Values are for the opponent, who moves next.
            let best = now.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
            agreed += usize::from(best.is_some_and(|(index, _)| index == played));
        }
        agreed as f64 / self.moves.len() as f64
    }
}
