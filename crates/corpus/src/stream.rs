//! Features for trainers, in binary batches.
//!
//! The features are those of crate `features`, so a trainer in any language sees what the engine
//! sees. Which positions are sent, and in which order, is [`crate::batches`]' business. The layout
//! of what is written is in docs/formats/stream.md.
//!
//! Deliberately absent: training, and any copy of the features on disk.

mod choices;
mod features;
mod frame;

use crate::batches::{Batcher, Selection, Units};
use crate::counts::Counts;
use crate::error::Error;
use crate::progress::Watch;
use crate::source::Inputs;
use ::features::FeatureSet;
use features::Features;
use frame::Preamble;
use nnue::{FeatureKind, KindVisitor, feature_kind, kind_name, visit_kind};
use rules::Variant;
use std::io::Write;
use std::ops::ControlFlow;

/// Most positions of a batch: what a reader must be able to hold.
pub const LARGEST_BATCH: u64 = 1 << 20;
/// Most positions of the pool.
pub const LARGEST_POOL: u64 = 1 << 30;

/// What to send.
pub struct Stream {
    /// What to read.
    pub inputs: Inputs,
    /// The name of the feature set.
    pub features: String,
    /// Positions of a batch.
    pub batch: u64,
    /// Positions shuffled together; twice as many are held in memory.
    pub pool: u64,
    /// How many threads.
    pub threads: usize,
    /// Another seed, another order.
    pub seed: u64,
    /// How often every position is sent; `None`: until nobody reads any more.
    pub epochs: Option<u32>,
    /// Number of the first epoch: a trainer that resumes skips what it has seen.
    pub first_epoch: u32,
    /// Whether what is whole in damaged files is used.
    pub salvage: bool,
    /// Which positions are sent, and in which form.
    pub selection: Selection,
    /// Instead of positions that train: those after every move of about so many positions.
    pub choices: Option<u32>,
}

/// Writes the stream. What was wrong on the way is in the counts.
pub fn run(request: &Stream, output: impl Write, watch: &Watch<'_>) -> Result<Counts, Error> {
    let (sources, format) = request.inputs.alike()?;
    request.selection.sieve.fits(format)?;
    let game = request.inputs.header(&sources)?.game;
    let kind = feature_kind(&request.features, game).ok_or_else(|| {
        let known = FeatureKind::ALL.into_iter().filter(|kind| kind.game() == game);
        let names: Vec<String> = known.map(|kind| kind_name(kind).to_lowercase()).collect();
        let (name, names) = (&request.features, names.join(", "));
        Error::request(format!("unknown features {name:?}: for {game} there are {names}"))
    })?;
    if request.choices.is_some() && request.batch < choices::MOST_MOVES as u64 {
        let least = choices::MOST_MOVES;
        return Err(Error::request(format!("all moves of a position must fit a batch of {least}")));
    }
    let units = Units::open(&request.inputs, request.salvage, watch)?;
    visit_kind(kind, Send { request, units, output })
}

/// The stream for one feature set.
struct Send<'a, W> {
    request: &'a Stream,
    units: Units,
    output: W,
}

impl<W: Write> KindVisitor for Send<'_, W> {
    type Output = Result<Counts, Error>;

    fn visit<V: Variant, F: FeatureSet<V>>(mut self) -> Self::Output {
        let Stream { batch, pool, threads, seed, epochs, first_epoch, .. } = *self.request;
        let selection = &self.request.selection;
        let encoder = Features::<F>::new::<V>();
        let preamble = Preamble {
            layout: &encoder.layout,
            features: F::NAME,
            game: V::GAME,
            batch,
            pool,
            first_epoch,
            epochs,
            positions: self.units.positions(),
            seed,
            mirror: selection.mirror,
        };
        self.output.write_all(&preamble.bytes())?;
        if let Some(count) = self.request.choices {
            let (units, output) = (&self.units, &mut self.output);
            choices::send::<V, F>(&encoder, units, count as usize, batch as usize, output)?;
            self.output.write_all(&frame::END)?;
            self.output.flush()?;
            return Ok(Counts::default());
        }
        let batcher = Batcher {
            units: &self.units,
            selection,
            seed,
            batch: batch as usize,
            pool: pool as usize,
            first_epoch,
            epochs,
            threads,
        };
        let counts = batcher.run::<V, _>(&encoder, |frame, _| {
            self.output.write_all(frame)?;
            Ok(ControlFlow::Continue(()))
        })?;
        self.output.write_all(&frame::END)?;
        self.output.flush()?;
        Ok(counts)
    }
}
