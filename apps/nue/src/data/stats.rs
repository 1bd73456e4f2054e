//! `nue data stats`: what is in the files, in numbers and small charts.

use super::args::InputArgs;
use super::summary::report;
use crate::failure::{CommandResult, Failure};
use crate::new_file::NewFile;
use chart::grouped;
use corpus::calibration::{self, NetScale};
use corpus::stats;
use display::InputBar;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use trainer::Stored;

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
    /// Draw also what this net expects: its own scale of win rates
    #[arg(long, value_name = "FILE|DIR", requires = "calibration")]
    net: Option<PathBuf>,
    /// Replace the drawing if it exists
    #[arg(long, requires = "calibration")]
    force: bool,
}

pub(crate) fn run(args: &StatsArgs) -> CommandResult {
    let drawing = args.calibration.as_ref().map(|path| NewFile::begin(path, args.force));
    let drawing = drawing.transpose()?;
    let net = args.net.as_deref().map(net_scale).transpose()?;
    let bar = InputBar::new();
    let (found, counts) = stats::run(&args.input.interruptible(), &|progress| bar.show(progress))?;
    let rate = bar.rate();
    if let Some(drawing) = drawing.filter(|_| !found.is_interrupted()) {
        let samples = found.samples();
        let fitted = calibration::fit(&samples);
        drawing.finish(calibration::svg(&samples, fitted, net.as_ref()).as_bytes())?;
        write!(io::stderr(), "{}", calibration::told(fitted, net.as_ref()))?;
    }
    let told = if args.json { format!("{}\n", found.json()) } else { found.text() };
    io::stdout().write_all(told.as_bytes())?;
    if found.is_interrupted() {
        let read = format!("interrupted after {} games", grouped(found.games()));
        return Err(Failure::Interrupted(read));
    }
    report(&counts, &rate)
}

/// What a net's file says its scores are worth.
fn net_scale(path: &Path) -> Result<NetScale, Failure> {
    let name = path.display().to_string();
    match Stored::load(path)?.win_rate_scale() {
        Some(scale) => Ok(NetScale { name, scale }),
        None => Err(Failure::usage(format!(
            "{name} does not say its scale of win rates; nue net scale --fit measures it"
        ))),
    }
}
