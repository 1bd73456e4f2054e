//! `nue net import`: a trained net becomes one the engine plays with.

use super::deep;
use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use clap::Args;
use infer::native::{Counts, FileKind};
use std::io::{self, Write};
use std::path::PathBuf;
use trainer::{Stored, TOLERANCE};

/// Turn a trained net (.nuef, .nuedf) into one to play with: quantise, check against the real
/// numbers, write
#[derive(Args)]
pub(crate) struct ImportArgs {
    /// The net in real numbers
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    /// Largest mean distance of win rates between integers and real numbers
    #[arg(long, value_name = "P", default_value_t = TOLERANCE)]
    tolerance: f64,
    /// Positions a policy-value net is calibrated on
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(8..=100_000))]
    positions: u32,
    /// Other positions its integers are compared with the real numbers on
    #[arg(long, value_name = "N", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(8..=100_000))]
    compared: u32,
}

pub(crate) fn run(args: &ImportArgs) -> CommandResult {
    args.output.check()?;
    if args.output.is_real() {
        return Err(Failure::usage("import writes nn.bin; nue net convert writes .nuef"));
    }
    if FileKind::of_file(&args.file) == Some(FileKind::Real) {
        let counts =
            Counts { calibration: args.positions as usize, comparison: args.compared as usize };
        return deep::import(&args.file, counts, &args.output);
    }
    let real = Stored::load_real(&args.file)?;
    let imported = trainer::import(&real, args.tolerance)
        .map_err(|e| Failure::failed(format!("{}: {e}", args.file.display())))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}: {}", args.file.display(), real.architecture)?;
    let clipped = imported.clipped;
    for (count, what) in [
        (clipped.transformer, "numbers of the first layer"),
        (clipped.weights, "weights"),
        (clipped.biases, "biases"),
    ] {
        if count > 0 {
            writeln!(out, "clipped to the range of integers: {count} {what}")?;
        }
    }
    if clipped.wrapping > 0 {
        let count = clipped.wrapping;
        writeln!(
            out,
            "{count} outputs of the first layer could overflow 16 bits in the worst case"
        )?;
    }
    writeln!(out, "{}", imported.rounding)?;
    write!(out, "{}", imported.sound)?;
    writeln!(out, "FV_SCALE {}", real.fv_scale)?;
    args.output.save(|to| imported.net.write(to))
}
