//! `nue data convert`: between our own format, PSV, hcpe, hcpe3 and CSA.

use super::args::{InputArgs, OutputArgs, ResumeArg};
use super::summary::{amount, report};
use crate::failure::CommandResult;
use corpus::Format;
use corpus::convert::{self, Convert};
use display::InputBar;

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
    /// Multiply scores that are not mates: 0.9 makes evaluation units of centipawns, which "nue
    /// gen" wrote before its files said "scores: evaluation units"
    #[arg(long, value_name = "X", value_parser = scale)]
    score_scale: Option<f64>,
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("a number above 0 is expected".to_owned()),
    }
}

pub(crate) fn run(args: &ConvertArgs) -> CommandResult {
    let target = args.output.resumable(args.resume);
    let (inputs, to, score_scale) = (args.input.interruptible(), args.to, args.score_scale);
    let request = Convert { inputs, target, to, score_scale };
    let bar = InputBar::new();
    let done = convert::run(&request, &|progress| bar.show(progress))?;
    let (name, what) = (request.target.path.display(), amount(done.format, &done.counts));
    report(&done.counts, &format!("{name}: {what} ({})", bar.rate()))
}
