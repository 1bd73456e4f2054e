//! `nue net scale`: what a score of a net is worth, and where its file says so.

use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use clap::Args;
use corpus::{Damaged, Inputs, calibration};
use std::io::{self, Write};
use std::path::PathBuf;
use trainer::Stored;

/// Say what a score of a net is worth, or write the net with another scale: the score, in
/// hundredths of a pawn, at which the side to move scores 73 %
#[derive(Args)]
pub(crate) struct ScaleArgs {
    /// A net of either kind
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    /// The scale to write
    #[arg(long, value_name = "N", value_parser = scale, requires = "output", conflicts_with = "fit")]
    set: Option<f64>,
    /// Games with scores by this net: write the scale that tells their results best
    #[arg(long, value_name = "DATA", num_args = 1.., requires = "output")]
    fit: Vec<PathBuf>,
    /// File to write
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if nnue::is_win_rate_scale(scale) => Ok(scale),
        _ => Err("a number from 1 to 100,000 is expected".to_owned()),
    }
}

pub(crate) fn run(args: &ScaleArgs) -> CommandResult {
    let mut net = Stored::load(&args.file)?;
    let Some(output) = args.output.clone() else {
        let said = match net.win_rate_scale() {
            Some(scale) => scale.to_string(),
            None => format!("the file names no scale; {} is assumed", play::USUAL_SCALE),
        };
        writeln!(io::stdout(), "{said}")?;
        return Ok(());
    };
    let output = OutputArgs { output, force: args.force };
    output.check()?;
    if output.is_real() != matches!(net, Stored::Real(_)) {
        return Err(Failure::usage("nue net scale cannot change the format: use nue net convert"));
    }
    let scale = match args.set {
        Some(scale) => scale,
        None if args.fit.is_empty() => {
            return Err(Failure::usage("which scale? --set N says it, --fit DATA measures it"));
        }
        None => {
            let (paths, game) = (args.fit.clone(), net.architecture().features.game());
            let stop = Some(interrupt::flag().0);
            let inputs = Inputs { paths, format: None, game, damaged: Damaged::Stop, stop };
            let measured = calibration::measure(&inputs, &|_| ())?;
            measured.ok_or_else(|| {
                Failure::failed("the scores of these games say nothing about their results")
            })?
        }
    };
    net = net.with_win_rate_scale(scale);
    output.save(|to| net.write(to))?;
    writeln!(io::stdout(), "{}: scale {scale}", output.output.display())?;
    Ok(())
}
