//! `nue data stats`: what is in the files, in numbers and small charts.

use super::args::InputArgs;
use super::bar::Bar;
use super::summary::report;
use crate::failure::CommandResult;
use crate::new_file::NewFile;
use corpus::{calibration, stats};
use std::io::{self, Write};
use std::path::PathBuf;

/// Count games and positions: scores, lengths, results, repeats
#[derive(clap::Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Print one object of JSON
    #[arg(long)]
    json: bool,
    /// Draw what scores were worth in the end (SVG), with the scale that fits best
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Replace the drawing if it exists
    #[arg(long, requires = "calibration")]
    force: bool,
}

/// Runs the command.
pub(crate) fn run(args: &StatsArgs) -> CommandResult {
    let drawing = args.calibration.as_ref().map(|path| NewFile::begin(path, args.force));
    let drawing = drawing.transpose()?;
    let bar = Bar::new();
    let (found, counts) = stats::run(&args.input.inputs(), &|progress| bar.show(progress))?;
    let rate = bar.rate();
    if let Some(drawing) = drawing {
        let samples = found.samples();
        drawing.finish(calibration::svg(&samples, calibration::fit(&samples)).as_bytes())?;
    }
    let told = if args.json { format!("{}\n", found.json()) } else { found.text() };
    io::stdout().write_all(told.as_bytes())?;
    report(&counts, &rate)
}
