//! `nue data convert`: between our own format, PSV, hcpe, hcpe3 and CSA.

use super::format::Format;
use super::input::{self, Flow, InputArgs};
use super::partial::{self, ResumeArg};
use super::progress::Progress;
use super::sink::{self, Sink};
use super::{OutputArgs, count};
use crate::failure::Outcome;
use serde_json::json;

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
    let sources = args.input.sources()?;
    let OutputArgs { output, force } = &args.output;
    let format = Format::of_output(output, args.to)?;
    sink::check(output, &input::paths(&sources), *force)?;
    let header = args.input.header(&sources)?;
    let game = header.game;
    let plan = partial::plan("convert", &sources, &json!([format.name(), game.name()]));
    let (mut sink, done, mut tally) =
        Sink::resumable(&args.output, args.resume, format, header, &plan)?;
    let progress = Progress::new(input::total(&sources));
    let mut items = done;
    let worked =
        input::games_after(done, &sources, game, &progress, &mut tally, &mut |game, tally| {
            sink.write(&game, tally)?;
            items += 1;
            sink.done(items, tally, false)?;
            Ok(Flow::Next)
        });
    sink.conclude(worked)?;
    progress.clear();
    let (games, positions) = (count(tally.games), count(tally.positions));
    let what = match format.record() {
        Some(_) => format!("{positions} positions"),
        None => format!("{games} games, {positions} positions"),
    };
    tally.report(&format!("{}: {what} ({})", output.display(), progress.rate()))
}
