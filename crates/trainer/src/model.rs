//! What can be trained: what the loop asks of a model.
//!
//! The loop (crate root) takes batches from room `corpus`, knows losses, rates and checkpoints.
//! A model knows its parameters, how a value follows from them, and how they follow a slope.
//!
//! # Adding a model
//!
//! 1. Write an [`Encoder`]: it turns a position into a fixed number of 32-bit words, all the
//!    model will ever see of it (feature numbers, king squares, pairs packed into one word; its
//!    choice). Encoders run on reading threads while the model is learning, so they hold no
//!    weights. Mirroring is done here, on numbers (`Numbering::mirrored`): cheaper than a
//!    mirrored position.
//! 2. Implement [`Model`]: `forward` gives a value for every encoded position of a batch, in the
//!    unit of the evaluation (a pawn is about 90), for the side to move. `learn` is called right
//!    after it with the same batch and with the slope of the loss for every one of these values;
//!    it moves the parameters. Whatever `learn` needs from `forward` the model keeps itself.
//! 3. Parallel work goes through [`Workers::run`]: cut it into tasks that do not depend on the
//!    number of threads (parts of the parameters, or a fixed number of shares of the batch
//!    whose sums are added in order), and results will not depend on it either.
//! 4. `save` and `restore` carry everything: parameters and the state of the optimiser. A run
//!    that was killed goes on from there and must end with the same bits.
//!
//! How the result becomes a file of the engine is the model's own business; the loop hands the
//! model out whenever it is better than before
//! ([`crate::Watch::validated`]).

use crate::workers::Workers;
use rules::{Position, Variant};
use std::io::{self, Read, Write};
use std::sync::Arc;

/// Turns positions into what a model reads.
pub trait Encoder<V: Variant>: Send + Sync {
    /// How many words a position becomes.
    fn words(&self) -> usize;

    /// Writes the words of a position, or of the same position mirrored left to right. `false`:
    /// the model has no way to see this position (a king is missing, …); it will be left out.
    fn encode(&self, position: &Position<V>, mirrored: bool, words: &mut [u32]) -> bool;
}

/// An evaluation that can learn.
pub trait Model<V: Variant>: Send + Sync {
    /// The encoder of its positions. One is made for a run.
    fn encoder(&self) -> Arc<dyn Encoder<V>>;

    /// Values of encoded positions, in the unit of the evaluation, for the side to move.
    /// `samples` holds `values.len()` times the words of a position.
    fn forward(&mut self, samples: &[u32], workers: &Workers, values: &mut [f32]);

    /// Moves the parameters against the slopes: `slopes[i]` is how the loss of the batch (a
    /// mean) changes with the value `forward` just gave for sample `i`. `rate` is the learning
    /// rate.
    fn learn(&mut self, samples: &[u32], slopes: &[f32], rate: f32, workers: &Workers);

    /// What it is, so that a checkpoint of another model is not taken for one of this.
    fn describe(&self) -> String;

    /// Writes all that `restore` needs to go on as if nothing had happened.
    fn save(&self, to: &mut dyn Write) -> io::Result<()>;

    /// Reads what `save` wrote for a model of the same description.
    fn restore(&mut self, from: &mut dyn Read) -> io::Result<()>;
}
