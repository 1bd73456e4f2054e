//! `nue data convert`: between our own format, PSV, hcpe, hcpe3 and CSA.

use super::args::{InputArgs, OutputArgs, ResumeArg};
use super::bar::Bar;
use super::summary::{amount, report};
use crate::failure::Outcome;
use corpus::Format;
use corpus::convert::{self, Convert};

/// Convert teacher data between formats
#[derive(clap::Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    resume: ResumeArg,
    /// Format to write: teacher, psv, hcpe, hcpe3 or csa; told by the name if missing
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
}

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs) -> Outcome {
    let target = args.output.resumable(args.resume);
    let request = Convert { inputs: args.input.inputs(), target, to: args.to };
    let bar = Bar::new();
    let done = convert::run(&request, &|progress| bar.show(progress))?;
    let (name, what) = (request.target.path.display(), amount(done.format, &done.counts));
    report(&done.counts, &format!("{name}: {what} ({})", bar.rate()))
}
