//! `nue data convert`: between our own format, PSV, hcpe, hcpe3 and CSA.

use super::format::Format;
use super::input::{self, Flow, InputArgs};
use super::progress::Progress;
use super::sink::{self, Sink};
use super::tally::Tally;
use super::{OutputArgs, count};
use crate::failure::Outcome;

/// Convert teacher data between formats
#[derive(clap::Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
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
    let mut sink = Sink::new(output, format, header, *force)?;
    let progress = Progress::new(input::total(&sources));
    let mut tally = Tally::default();
    input::games(&sources, game, &progress, &mut tally, &mut |game, tally| {
        sink.write(&game, tally)?;
        Ok(Flow::Next)
    })?;
    sink.publish()?;
    progress.clear();
    let (games, positions) = (count(tally.games), count(tally.positions));
    let what = match format.record() {
        Some(_) => format!("{positions} positions"),
        None => format!("{games} games, {positions} positions"),
    };
    tally.report(&format!("{}: {what} ({})", output.display(), progress.rate()))
}
