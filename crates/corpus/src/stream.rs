//! Features for trainers, in binary batches.
//!
//! The features are those of crate `features`, so a trainer in any language sees what the engine
//! sees. Input is cut into units (a block of games, a few thousand records); an epoch takes the
//! units in an order of its own, gathers them into a pool, and gives the pool out in random
//! order. Order and content depend on input, seed, epoch and pool, never on threads. The layout
//! of what is written is in docs/formats/stream.md.
//!
//! Deliberately absent: training, and any copy of the features on disk.

mod frame;
mod pool;
mod rows;
mod units;
mod workers;

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::progress::Watch;
use crate::sieve::Sieve;
use crate::source::{Inputs, Source};
use features::FeatureSet;
use frame::Preamble;
use nnue::{FeatureKind, KindVisitor, feature_kind, kind_name, visit_kind};
use pool::Flow;
pub use rows::Scores;
use rows::{Maker, Plan};
use rules::Variant;
use std::io::Write;
use std::thread;
use workers::WorkerPool;

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
    /// Whether a random half of the positions is mirrored left to right.
    pub mirror: bool,
    /// Whether what is whole in damaged files is used.
    pub salvage: bool,
    /// What is done to scores.
    pub scores: Scores,
    /// Which positions are sent.
    pub sieve: Sieve,
}

/// Writes the stream. What was wrong on the way is in the counts.
pub fn run(request: &Stream, output: impl Write, watch: &Watch<'_>) -> Result<Counts, Error> {
    let (sources, format) = request.inputs.alike()?;
    if !matches!(format, Format::Teacher | Format::Psv | Format::Hcpe) {
        return Err(Error::request(format!(
            "{format} is not streamed: nue data convert makes teacher files of it"
        )));
    }
    request.sieve.fits(format)?;
    let game = request.inputs.header(&sources)?.game;
    let kind = feature_kind(&request.features, game).ok_or_else(|| {
        let known = FeatureKind::ALL.into_iter().filter(|kind| kind.game() == game);
        let names: Vec<String> = known.map(|kind| kind_name(kind).to_lowercase()).collect();
        let (name, names) = (&request.features, names.join(", "));
        Error::request(format!("unknown features {name:?}: for {game} there are {names}"))
    })?;
    visit_kind(kind, Send { request, sources: &sources, output, watch })
}

/// The stream for one feature set.
struct Send<'a, W> {
    request: &'a Stream,
    sources: &'a [Source],
    output: W,
    watch: &'a Watch<'a>,
}

impl<W: Write> KindVisitor for Send<'_, W> {
    type Output = Result<Counts, Error>;

    fn visit<V: Variant, F: FeatureSet<V>>(mut self) -> Self::Output {
        let Self { request, sources, .. } = self;
        let survey = units::survey(sources, request.salvage, self.watch)?;
        // What was chosen at random teaches nothing.
        let sieve = Sieve { no_random: true, ..request.sieve };
        let plan = Plan::new::<V, F>(sieve, request.scores, request.mirror, request.seed);
        let Stream { batch, pool, threads, seed, epochs, first_epoch, .. } = *request;
        let preamble = Preamble {
            plan: &plan,
            features: F::NAME,
            game: V::GAME,
            batch,
            pool,
            first_epoch,
            epochs,
            positions: survey.positions,
        };
        self.output.write_all(&preamble.bytes())?;
        let flow = Flow {
            units: survey.units,
            seed,
            batch: batch as usize,
            pool: pool.max(batch) as usize,
            first_epoch,
            epochs,
            ahead: threads + 2,
            salvage: request.salvage,
        };
        let found = thread::scope(|scope| {
            let maker = || Maker::<V, F>::new(&plan);
            let workers = WorkerPool::start(scope, threads, sources, &plan, maker);
            flow.run(&workers, &mut self.output)
        })?;
        let mut counts = survey.counts;
        counts.add(found);
        self.output.write_all(&frame::END)?;
        self.output.flush()?;
        Ok(counts)
    }
}
