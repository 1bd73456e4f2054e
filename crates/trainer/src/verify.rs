//! Integers against the real numbers they were made from.

use crate::blocks::{Corpus, DataError};
use crate::floatnet::FloatNet;
use eval::Evaluator;
use features::FeatureSet;
use nnue::{AnyNet, Net, NetVisitor, Nnue};
use rules::{Position, Variant};
use serde::Serialize;
use std::sync::Arc;
use teacher::Cursor;

/// How far two nets are apart, in the unit of the evaluation.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Distance {
    /// Positions compared.
    pub count: u64,
    /// Mean of the differences.
    pub mean: f64,
    /// The largest.
    pub most: f64,
    /// Mean size of the values themselves, to compare with.
    pub size: f64,
}

impl Distance {
    /// Compares an integer net with the net in real numbers it was made from, on positions of
    /// a corpus of its game.
    pub fn on_corpus(
        net: &AnyNet,
        float: &FloatNet,
        corpus: &Corpus,
        count: usize,
    ) -> Result<Self, DataError> {
        net.visit(OnCorpus { float, corpus, count })
    }
}

struct OnCorpus<'a> {
    float: &'a FloatNet,
    corpus: &'a Corpus,
    count: usize,
}

impl NetVisitor for OnCorpus<'_> {
    type Output = Result<Distance, DataError>;

    fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) -> Self::Output {
        let mut nnue = Nnue::new(net);
        let mut distance = Distance::default();
        each_position::<V>(self.corpus, self.count, |position| {
            if position.king(position.turn()).is_none()
                || position.king(position.turn().opponent()).is_none()
            {
                return;
            }
            nnue.refresh(position);
            let value = f64::from(self.float.output::<V, F>(position) * self.float.unit());
            let apart = (f64::from(nnue.evaluate(position)) - value).abs();
            distance.count += 1;
            distance.mean += apart;
            distance.size += value.abs();
            distance.most = distance.most.max(apart);
        })?;
        let count = distance.count.max(1) as f64;
        distance.mean /= count;
        distance.size /= count;
        Ok(distance)
    }
}

/// Calls `each` with about `count` positions from all over a corpus.
pub(crate) fn each_position<V: Variant>(
    corpus: &Corpus,
    count: usize,
    mut each: impl FnMut(&Position<V>),
) -> Result<(), DataError> {
    let every = (corpus.positions() / count.max(1) as u64).max(1);
    let (mut index, mut given) = (0, 0);
    let mut cursor = Cursor::<V>::new();
    for block in 0..corpus.len() {
        let bytes = corpus.read(block)?;
        let mut go = || {
            cursor.open(&bytes)?;
            while cursor.next_game()? {
                while let Some(sample) = cursor.next_position()? {
                    if index % every == 0 && given < count {
                        given += 1;
                        each(sample.position);
                    }
                    index += 1;
                }
            }
            Ok(())
        };
        go().map_err(|e| corpus.failed(block, e))?;
    }
    Ok(())
}
