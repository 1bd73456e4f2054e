//! `nue data dedup`: every game, or every position, once.

use super::args::{InputArgs, MemoryArg, OutputArgs};
use super::summary::report;
use crate::failure::CommandResult;
use chart::grouped;
use corpus::dedup::{self, Dedup};
use display::InputBar;

/// What is compared.
#[derive(clap::ValueEnum, Clone, Copy)]
enum By {
    /// Games with the same start and the same moves
    Game,
    /// Positions with the same board, hands and side to move
    Position,
}

/// Keep every game, or every position, only once
#[derive(clap::Args)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// What is compared; games where there are games. Positions of games are not left out but
    /// marked as not for training
    #[arg(long, value_enum)]
    by: Option<By>,
    #[command(flatten)]
    memory: MemoryArg,
}

pub(crate) fn run(args: &DedupArgs) -> CommandResult {
    let by = args.by.map(|by| match by {
        By::Game => dedup::By::Game,
        By::Position => dedup::By::Position,
    });
    let (inputs, target) = (args.input.interruptible(), args.output.target());
    let request = Dedup { inputs, target, by, memory: args.memory.bytes() };
    let bar = InputBar::new();
    let done = dedup::run(&request, &|progress| bar.show(progress))?;
    let what = match done.by {
        dedup::By::Game => "games",
        dedup::By::Position => "positions",
    };
    let (repeated, all) = (grouped(done.repeated), grouped(done.items));
    let (name, rate) = (request.target.path.display(), bar.rate());
    report(&done.counts, &format!("{name}: {repeated} of {all} {what} came before ({rate})"))
}
