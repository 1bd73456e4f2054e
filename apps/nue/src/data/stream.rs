//! `nue data stream`: features or planes for trainers, in binary batches on standard output.

use super::args::{InputArgs, SieveArgs};
use super::summary::report;
use crate::failure::{CommandResult, Failure};
use clap::Args;
use corpus::batches::Selection;
use corpus::stream::{self, Form, LARGEST_BATCH, LARGEST_POOL, Stream};
use display::InputBar;
use std::io::{self, IsTerminal, Write};

/// Send features or planes of positions to standard output in binary batches, for trainers
#[derive(Args)]
pub(crate) struct StreamArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Feature set: halfkp, kp, halfkpe9 or halfkpkrank
    #[arg(long, value_name = "SET", required_unless_present = "planes")]
    features: Option<String>,
    /// Planes of policy-value nets, of all positions: dlshogi, pal, aoba or minishogi
    #[arg(long, value_name = "SET", conflicts_with = "features")]
    planes: Option<String>,
    /// Labels of moves: dlshogi, pal or minishogi; those that go with the planes unless said
    #[arg(long, value_name = "SET", conflicts_with = "features")]
    labels: Option<String>,
    /// Send the visits of so many moves a tree search tried, where a file has them
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "features")]
    visits: u16,
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
    /// The same as --damaged skip
    #[arg(long, conflicts_with = "damaged")]
    salvage: bool,
    /// Send scores farther from zero than this, mates among them, as if they were this far
    #[arg(long, visible_alias = "limit", value_name = "N",
          default_value_t = Selection::default().limit,
          value_parser = clap::value_parser!(i16).range(1..))]
    clamp: i16,
    /// Send the mean of a score and those after it in its game, each weighted so much less: 0.8
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = decay)]
    n_step: f64,
    /// Send the quiet position that captures lead to, instead of the position itself
    #[arg(long)]
    leaf: bool,
    /// Only positions in which no capture gains anything
    #[arg(long, conflicts_with = "leaf")]
    settled: bool,
    /// Instead of each position send N beside it (a random move, then captures), to be judged
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with_all = ["leaf", "settled"])]
    beside: u8,
    /// Instead send those after every move of about N positions; score: which, result: if played
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    choices: Option<u32>,
    /// Also send positions in check
    #[arg(long, conflicts_with = "no_check")]
    keep_checks: bool,
    /// Also send positions whose move captures or promotes
    #[arg(long, conflicts_with = "quiet")]
    keep_captures: bool,
    /// Also send positions whose move was chosen at random
    #[arg(long, conflicts_with = "no_random")]
    keep_random: bool,
    #[command(flatten)]
    sieve: SieveArgs,
}

fn decay(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x| (0.0..1.0).contains(x));
    number.ok_or_else(|| "a number from 0 to below 1 is expected".to_owned())
}

pub(crate) fn run(args: &StreamArgs) -> CommandResult {
    let output = io::stdout();
    if output.is_terminal() {
        return Err(Failure::usage("the stream is binary: send it to a program or a file"));
    }
    stream(args, &mut output.lock())
}

/// Writes the stream.
pub(super) fn stream(args: &StreamArgs, output: &mut dyn Write) -> CommandResult {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let keep = [args.keep_checks, args.keep_captures, args.keep_random];
    let request = Stream {
        inputs: args.input.inputs(),
        form: Form::named(&args.features, &args.planes, &args.labels, args.visits),
        batch: args.batch,
        pool: args.pool,
        threads: args.threads.map_or_else(all, usize::from),
        seed: args.seed,
        epochs: (!args.forever).then_some(args.epochs),
        first_epoch: args.first_epoch,
        salvage: args.salvage || args.input.skips_damage(),
        selection: Selection {
            sieve: args.sieve.sieve().training(args.planes.is_some(), keep),
            limit: args.clamp,
            n_step: args.n_step,
            mirror: args.mirror,
            leaf: args.leaf,
            settled: args.settled,
            beside: args.beside,
        },
        choices: args.choices,
    };
    let bar = InputBar::new();
    let counts = stream::run(&request, output, &|progress| bar.show(progress))?;
    bar.rate();
    report(&counts, "")
}

#[cfg(test)]
mod tests;
