//! `nue net diff`: how two nets differ, in their numbers and in what they think.

use crate::failure::{CommandResult, Failure};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;
use trainer::{Stored, ValueDistance};

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
pub(crate) fn run(args: &DiffArgs) -> CommandResult {
    let (first, second) =
        (Stored::load_integers(&args.first)?, Stored::load_integers(&args.second)?);
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
    let values = ValueDistance::of(&first, &second);
    writeln!(
        out,
        "values of {} positions: mean distance {:.1}, largest {}, another side ahead in {}",
        values.positions, values.mean, values.largest, values.other_side
    )?;
    Ok(())
}
