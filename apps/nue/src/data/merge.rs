//! `nue data merge`: several files of one format into one.

use super::args::{InputArgs, OutputArgs};
use super::summary::report;
use crate::failure::CommandResult;
use chart::grouped;
use corpus::merge::{self, Merge};
use display::InputBar;

/// Put several files of one format together into one, in the order given
#[derive(clap::Args)]
pub(crate) struct MergeArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &MergeArgs) -> CommandResult {
    let request = Merge { inputs: args.input.interruptible(), target: args.output.target() };
    let bar = InputBar::new();
    let done = merge::run(&request, &|progress| bar.show(progress))?;
    let (files, positions) = (grouped(done.files as u64), grouped(done.counts.positions));
    let (name, rate) = (request.target.path.display(), bar.rate());
    let text = format!("{name}: {positions} positions from {files} inputs ({rate})");
    report(&done.counts, &text)
}
