//! Features or packed planes for trainers, in binary batches.
//!
//! Both are those of crate `features`, so a trainer in any language sees what the engine sees. Which positions are sent, and in which order, is [`crate::batches`]' business. The layout
//! of what is written is in docs/formats/stream.md.
//!
//! Deliberately absent: training, and any copy of what is sent on disk.

mod choices;
mod features;
mod frame;
mod planes;

pub use planes::PlaneRequest;

use crate::batches::{Batcher, Encoder, Selection, Units};
use crate::counts::Counts;
use crate::error::Error;
use crate::progress::Watch;
use crate::source::Inputs;
use ::features::FeatureSet;
use features::{Features, Layout};
use nnue::{FeatureKind, KindVisitor, feature_kind, kind_name, visit_kind};
use rules::{Game, Variant};
use serde_json::Value;
use std::io::Write;
use std::ops::ControlFlow;

/// Most positions of a batch: what a reader must be able to hold.
pub const LARGEST_BATCH: u64 = 1 << 20;
/// Most positions of the pool.
pub const LARGEST_POOL: u64 = 1 << 30;

/// What positions become.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Form {
    /// Features of evaluations: the name of the set.
    Features(String),
    /// Planes of policy-value nets, with the labels of moves.
    Planes(PlaneRequest),
}

impl Form {
    /// Planes with their labels and visits if planes are named, features otherwise.
    pub fn named(
        features: &Option<String>,
        planes: &Option<String>,
        labels: &Option<String>,
        visits: u16,
    ) -> Self {
        match planes.clone() {
            Some(planes) => Self::Planes(PlaneRequest { planes, labels: labels.clone(), visits }),
            None => Self::Features(features.clone().unwrap_or_default()),
        }
    }
}

/// What to send.
pub struct Stream {
    /// What to read.
    pub inputs: Inputs,
    /// What positions become.
    pub form: Form,
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
pub fn run(request: &Stream, output: &mut dyn Write, watch: &Watch<'_>) -> Result<Counts, Error> {
    let (sources, format) = request.inputs.alike()?;
    request.selection.sieve.fits(format)?;
    let game = request.inputs.header(&sources)?.game;
    match &request.form {
        Form::Features(name) => {
            let kind = kind_of(name, game)?;
            let least = choices::MOST_MOVES;
            if request.choices.is_some() && request.batch < least as u64 {
                let why = format!("all moves of a position must fit a batch of {least}");
                return Err(Error::request(why));
            }
            let units = Units::open(&request.inputs, request.salvage, watch)?;
            visit_kind(kind, SendFeatures { request, units, output })
        }
        Form::Planes(_) if request.choices.is_some() => {
            Err(Error::request("choices are sent as features, not as planes"))
        }
        Form::Planes(wanted) => {
            let Selection { mirror, leaf, .. } = request.selection;
            if mirror || leaf {
                let what = if mirror { "mirror" } else { "leaf" };
                return Err(Error::request(format!(
                    "planes are sent as positions were, with their moves: leave out --{what}"
                )));
            }
            let encoder = wanted.encoder(game)?;
            let units = Units::open(&request.inputs, request.salvage, watch)?;
            let about = encoder.about();
            send(request, &units, &encoder, about, output)
        }
    }
}

fn kind_of(name: &str, game: Game) -> Result<FeatureKind, Error> {
    feature_kind(name, game).ok_or_else(|| {
        let known = FeatureKind::ALL.into_iter().filter(|kind| kind.game() == game);
        let names: Vec<String> = known.map(|kind| kind_name(kind).to_lowercase()).collect();
        let names = names.join(", ");
        Error::request(format!("unknown features {name:?}: for {game} there are {names}"))
    })
}

/// The stream for one feature set.
struct SendFeatures<'a> {
    request: &'a Stream,
    units: Units,
    output: &'a mut dyn Write,
}

impl KindVisitor for SendFeatures<'_> {
    type Output = Result<Counts, Error>;

    fn visit<V: Variant, F: FeatureSet<V>>(self) -> Self::Output {
        let encoder = Features::<V, F>::new();
        self.send::<V>(&encoder.layout, &encoder)
    }
}

impl SendFeatures<'_> {
    /// The same for all sets of a game.
    fn send<V: Variant>(self, layout: &Layout, encoder: &dyn Encoder) -> Result<Counts, Error> {
        let Self { request, units, output } = self;
        let Some(count) = request.choices else {
            return send(request, &units, encoder, layout.about(), output);
        };
        output.write_all(&frame::preamble(request, &units, layout.about()))?;
        let (count, batch) = (count as usize, request.batch as usize);
        choices::send::<V>((encoder, layout.slots), &units, count, batch, output)?;
        output.write_all(&frame::END)?;
        output.flush()?;
        Ok(Counts::default())
    }
}

/// Writes the text about a stream, which `about` is a part of, and its frames.
fn send(
    request: &Stream,
    units: &Units,
    encoder: &dyn Encoder,
    about: Value,
    output: &mut dyn Write,
) -> Result<Counts, Error> {
    output.write_all(&frame::preamble(request, units, about))?;
    let batcher = Batcher {
        units,
        selection: &request.selection,
        seed: request.seed,
        batch: request.batch as usize,
        pool: request.pool as usize,
        first_epoch: request.first_epoch,
        epochs: request.epochs,
        threads: request.threads,
    };
    let counts = batcher.run(encoder, &mut |batch, _| {
        output.write_all(&batch.frame)?;
        Ok(ControlFlow::Continue(()))
    })?;
    output.write_all(&frame::END)?;
    output.flush()?;
    Ok(counts)
}
