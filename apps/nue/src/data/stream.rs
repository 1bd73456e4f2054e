//! `nue data stream`: features for trainers, in binary batches on standard output.
//!
//! The features are those of crate `features`, so a trainer in any language sees what the engine
//! sees. Input is cut into units (a block of games, a few thousand records); an epoch takes the
//! units in an order of its own, gathers them into a pool, and gives the pool out in random
//! order. Order and content depend on input, seed, epoch and pool, never on threads. The layout
//! of what is written is in docs/formats/stream.md.
//!
//! Deliberately absent: training, and any copy of the features on disk.

mod crew;
mod frame;
mod pool;
mod rows;
#[cfg(test)]
mod tests;
mod units;

use super::filter::Sieve;
use super::format::Format;
use super::input::{self, InputArgs};
use crate::failure::{Failure, Outcome};
use clap::Args;
use crew::Crew;
use features::FeatureSet;
use frame::Preamble;
use nnue::FeatureKind;
use pool::Flow;
use rows::{Maker, Plan, Scores};
use rules::Variant;
use std::io::{self, IsTerminal, Write};
use std::thread;
use trainer::{KindVisitor, feature_kind, kind_name, visit_kind};

/// Most positions of a batch: what a reader must be able to hold.
const LARGEST_BATCH: u64 = 1 << 20;
/// Most positions of the pool.
const LARGEST_POOL: u64 = 1 << 30;

/// Send features of positions to standard output in binary batches, for trainers
#[derive(Args)]
pub(crate) struct StreamArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Feature set: halfkp, kp, halfkpe9 or halfkpkrank
    #[arg(long, value_name = "SET")]
    features: String,
    /// Positions of a batch
    #[arg(long, value_name = "N", default_value_t = 16_384,
          value_parser = clap::value_parser!(u64).range(1..=LARGEST_BATCH))]
    batch: u64,
    /// Positions shuffled together; twice as many are held in memory
    #[arg(long, value_name = "N", default_value_t = 1 << 20,
          value_parser = clap::value_parser!(u64).range(1..=LARGEST_POOL))]
    pool: u64,
    /// Threads; all cores unless said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// Another seed, another order
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How often every position is sent
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "forever")]
    epochs: u32,
    /// Go on until nobody reads any more
    #[arg(long)]
    forever: bool,
    /// Number of the first epoch: a trainer that resumes skips what it has seen
    #[arg(long, value_name = "N", default_value_t = 0)]
    first_epoch: u32,
    /// Mirror a random half of the positions left to right, another half each epoch
    #[arg(long)]
    mirror: bool,
    /// Use what is whole in damaged files, and say what is not
    #[arg(long)]
    salvage: bool,
    /// Send scores farther from zero than this, mates among them, as if they were this far
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i16).range(1..))]
    clamp: Option<i16>,
    /// Send the mean of a position's score and those after it in its game, each weighted so much
    /// less than the one before: 0.8, say; 0 is the score itself
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = decay)]
    n_step: f64,
    #[command(flatten)]
    sieve: Sieve,
}

fn decay(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (0.0..1.0).contains(&x) => Ok(x),
        _ => Err("a number from 0 to below 1 is expected".to_owned()),
    }
}

/// Runs the command.
pub(crate) fn run(args: &StreamArgs) -> Outcome {
    let output = io::stdout();
    if output.is_terminal() {
        return Err(Failure::usage("the stream is binary: send it to a program or a file"));
    }
    stream(args, output.lock())
}

/// Writes the stream.
fn stream(args: &StreamArgs, output: impl Write) -> Outcome {
    let (sources, format) = args.input.alike()?;
    if !matches!(format, Format::Teacher | Format::Psv | Format::Hcpe) {
        return Err(Failure::usage(format!(
            "{format} is not streamed: nue data convert makes teacher files of it"
        )));
    }
    args.sieve.fits(format)?;
    let game = args.input.header(&sources)?.game;
    let kind = feature_kind(&args.features, game).ok_or_else(|| {
        let known = FeatureKind::ALL.into_iter().filter(|kind| kind.game() == game);
        let names: Vec<String> = known.map(|kind| kind_name(kind).to_lowercase()).collect();
        let (name, names) = (&args.features, names.join(", "));
        Failure::usage(format!("unknown features {name:?}: for {game} there are {names}"))
    })?;
    visit_kind(kind, Send { args, sources: &sources, output })
}

/// The stream for one feature set.
struct Send<'a, W> {
    args: &'a StreamArgs,
    sources: &'a [input::Source],
    output: W,
}

impl<W: Write> KindVisitor for Send<'_, W> {
    type Output = Outcome;

    fn visit<V: Variant, F: FeatureSet<V>>(self) -> Outcome {
        send::<V, F>(self.args, self.sources, self.output)
    }
}

fn send<V: Variant, F: FeatureSet<V>>(
    args: &StreamArgs,
    sources: &[input::Source],
    mut output: impl Write,
) -> Outcome {
    let survey = units::survey(sources, args.salvage)?;
    let scores = Scores { clamp: args.clamp.unwrap_or(i16::MAX), n_step: args.n_step };
    let plan = Plan::new::<V, F>(args.sieve, scores, args.mirror, args.seed);
    let epochs = (!args.forever).then_some(args.epochs);
    let preamble = Preamble {
        plan: &plan,
        features: F::NAME,
        game: V::GAME,
        batch: args.batch,
        pool: args.pool,
        first_epoch: args.first_epoch,
        epochs,
        positions: survey.positions,
    };
    output.write_all(&preamble.bytes())?;
    let threads = args
        .threads
        .map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
    let flow = Flow {
        units: survey.units,
        seed: args.seed,
        batch: args.batch as usize,
        pool: args.pool.max(args.batch) as usize,
        first_epoch: args.first_epoch,
        epochs,
        ahead: threads + 2,
        salvage: args.salvage,
    };
    let outcome = thread::scope(|scope| {
        let crew = Crew::start(scope, threads, sources, &plan, || Maker::<V, F>::new(&plan));
        flow.run(&crew, &mut output)
    })?;
    let mut tally = survey.tally;
    tally.add(outcome);
    output.write_all(&frame::END)?;
    output.flush()?;
    tally.report("")
}
