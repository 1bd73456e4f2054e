//! `nue net diff`: how two nets differ, in their numbers and in what they think.

use super::sample;
use super::store::load_integers;
use crate::failure::{Failure, Outcome};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;

/// Positions the values are compared on.
const POSITIONS: usize = 1000;
/// The games they are from.
const SEED: u64 = 2024;

/// Compare two nets of one kind: parameters, and values of a thousand positions
#[derive(Args)]
pub(crate) struct DiffArgs {
    /// One net
    #[arg(value_name = "FILE|DIR")]
    first: PathBuf,
    /// Another
    #[arg(value_name = "FILE|DIR")]
    second: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &DiffArgs) -> Outcome {
    let (first, second) = (load_integers(&args.first)?, load_integers(&args.second)?);
    let differences = first.difference(&second).map_err(|e| Failure::failed(e.to_string()))?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}", first.architecture())?;
    writeln!(
        out,
        "{:<20} {:>12} {:>12} {:>9} {:>10} {:>12}",
        "parameters", "count", "different", "largest", "mean", "correlation"
    )?;
    for (name, d) in &differences {
        writeln!(
            out,
            "{name:<20} {:>12} {:>12} {:>9} {:>10.3} {:>12.4}",
            d.count, d.different, d.largest, d.mean, d.correlation
        )?;
    }
    let positions = sample::positions(first.game(), POSITIONS, SEED);
    let values = |net| -> Vec<f64> {
        sample::values(net, &positions).into_iter().flatten().map(f64::from).collect()
    };
    let (a, b) = (values(&first), values(&second));
    let count = a.len() as f64;
    let distances: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).collect();
    let mean = distances.iter().sum::<f64>() / count;
    let largest = distances.iter().copied().fold(0.0, f64::max);
    let sides = a.iter().zip(&b).filter(|(a, b)| a.signum() != b.signum()).count();
    writeln!(
        out,
        "values of {count} positions: mean distance {mean:.1}, largest {largest}, another side \
         ahead in {sides}"
    )?;
    Ok(())
}
