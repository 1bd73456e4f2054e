//! `nue data filter`: keeps what is worth training on.

use super::args::{InputArgs, OutputArgs, ResumeArg, SieveArgs};
use super::summary::report;
use crate::failure::CommandResult;
use chart::grouped;
use corpus::filter::{self, Filter};
use display::InputBar;

/// Keep positions and games that pass, leave out the rest
#[derive(clap::Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    resume: ResumeArg,
    #[command(flatten)]
    sieve: SieveArgs,
}

pub(crate) fn run(args: &FilterArgs) -> CommandResult {
    let target = args.output.resumable(args.resume);
    let request = Filter { inputs: args.input.interruptible(), target, sieve: args.sieve.sieve() };
    let bar = InputBar::new();
    let done = filter::run(&request, &|progress| bar.show(progress))?;
    let (kept, gone) = (grouped(done.counts.positions), grouped(done.counts.gone));
    let what = if done.format.record().is_some() { "kept" } else { "in games kept" };
    let (name, rate) = (request.target.path.display(), bar.rate());
    let text = format!("{name}: {kept} positions {what}, {gone} filtered out ({rate})");
    report(&done.counts, &text)
}
