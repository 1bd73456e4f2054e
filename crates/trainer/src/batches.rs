//! Batches as models read them: the encoder of a model in the pipeline of room `corpus`.
//!
//! Threads of their own make the next batches while the present one is learned from.

use crate::model::Encoder;
use corpus::Error;
use corpus::batches::{self, Batch, Batcher, Given, Numbers, PositionRef, RowMut, SelectionCounts};
use rules::Variant;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::Scope;

/// The encoder of a model, for the pipeline.
pub(crate) struct Words<'a, V: Variant>(pub(crate) &'a dyn Encoder<V>);

impl<V: Variant> batches::Encoder for Words<'_, V> {
    fn width(&self) -> usize {
        self.0.words()
    }

    fn numbers(&self) -> Numbers {
        Numbers::Words(Vec::new())
    }

    fn encode(&self, position: PositionRef<'_>, mirrored: bool, row: RowMut<'_>) -> bool {
        match (position.get::<V>(), row) {
            (Some(position), RowMut::Words(row)) => self.0.encode(position, mirrored, row),
            _ => false,
        }
    }

    fn gather(&self, given: &Given<'_>, batch: &mut Batch) {
        batch.words.clear();
        batch.labels.clear();
        for (row, label) in given.rows() {
            batch.words.extend_from_slice(row.words());
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
            let given = batcher.run(&Words(encoder), &mut |batch, counts| {
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
