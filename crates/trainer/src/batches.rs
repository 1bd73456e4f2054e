//! Batches as models read them: the encoder of a model in the pipeline of room `corpus`.
//!
//! Threads of their own make the next batches while the present one is learned from.

use crate::model::Encoder;
use corpus::Error;
use corpus::batches::{self, Batcher, Given, Label, SelectionCounts};
use rules::{Position, Variant};
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

/// The encoder of a model, for the pipeline.
pub(crate) struct Words<'a, V: Variant>(pub(crate) &'a dyn Encoder<V>);

#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) words: Vec<u32>,
    pub(crate) labels: Vec<Label>,
}

impl<V: Variant> batches::Encoder<V> for Words<'_, V> {
    type Word = u32;
    type Batch = Batch;

    fn width(&self) -> usize {
        self.0.words()
    }

    fn encode(&self, position: &Position<V>, mirrored: bool, row: &mut [u32]) -> bool {
        self.0.encode(position, mirrored, row)
    }

    fn gather(&self, rows: &Given<'_, u32>, batch: &mut Batch) {
        batch.words.clear();
        batch.labels.clear();
        for (words, label) in rows.rows() {
            batch.words.extend_from_slice(words);
            batch.labels.push(label);
        }
    }
}

/// The batches of an epoch.
pub(crate) struct Batches {
    receiver: Receiver<Result<(Batch, SelectionCounts), Error>>,
    counts: SelectionCounts,
}

impl Batches {
    /// Starts reading on a thread of the scope.
    pub(crate) fn start<'s, 'a: 's, V: Variant>(
        scope: &'s Scope<'s, 'a>,
        batcher: Batcher<'a>,
        encoder: &'a dyn Encoder<V>,
    ) -> Self {
        let (sender, receiver) = sync_channel(1);
        scope.spawn(move || {
            let given = batcher.run(&Words(encoder), |batch, counts| {
                if batch.labels.is_empty() {
                    return Ok(ControlFlow::Continue(()));
                }
                // Nobody listens any more: the epoch was given up.
                Ok(match sender.send(Ok((std::mem::take(batch), *counts))) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                })
            });
            if let Err(error) = given {
                let _ = sender.send(Err(error));
            }
        });
        Self { receiver, counts: SelectionCounts::default() }
    }

    /// The next batch. `None`: the epoch is over. All batches but the last are full.
    pub(crate) fn next(&mut self) -> Result<Option<Batch>, Error> {
        let Ok(given) = self.receiver.recv() else { return Ok(None) };
        let (batch, counts) = given?;
        self.counts = counts;
        Ok(Some(batch))
    }

    /// Of what was read so far.
    pub(crate) const fn counts(&self) -> SelectionCounts {
        self.counts
    }
}
