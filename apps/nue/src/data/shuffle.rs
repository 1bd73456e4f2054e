//! `nue data shuffle`: positions, or whole games, in random order.

use super::args::{InputArgs, MemoryArg, OutputArgs};
use super::summary::{amount, report};
use crate::failure::CommandResult;
use corpus::Format;
use corpus::shuffle::{self, Shuffle};
use display::InputBar;

/// Shuffle positions (into PSV or hcpe) or whole games (teacher or hcpe3 into the same)
#[derive(clap::Args)]
pub(crate) struct ShuffleArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Format to write: psv, hcpe, or that of the input; told by the name if missing
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// Another seed, another order
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    memory: MemoryArg,
}

pub(crate) fn run(args: &ShuffleArgs) -> CommandResult {
    let request = Shuffle {
        inputs: args.input.interruptible(),
        target: args.output.target(),
        to: args.to,
        seed: args.seed,
        memory: args.memory.bytes(),
    };
    let bar = InputBar::new();
    let done = shuffle::run(&request, &|progress| bar.show(progress))?;
    let (name, what) = (request.target.path.display(), amount(done.format, &done.counts));
    report(&done.counts, &format!("{name}: {what} shuffled ({})", bar.rate()))
}
