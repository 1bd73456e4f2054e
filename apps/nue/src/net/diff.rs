//! `nue net diff`: how two nets differ, in their numbers and in what they think.

use crate::failure::{CommandResult, Failure};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;
use trainer::{DifferenceText, Stored, TableFiles, ValueDistance};

/// Compare two nets or tables of one kind: parameters, and values of a thousand positions
#[derive(Args)]
pub(crate) struct DiffArgs {
    /// Net or tables to compare with
    #[arg(value_name = "FILE|DIR")]
    first: PathBuf,
    /// Net or tables that are compared
    #[arg(value_name = "FILE|DIR")]
    second: PathBuf,
}

pub(crate) fn run(args: &DiffArgs) -> CommandResult {
    let mut out = io::stdout().lock();
    let tables = (TableFiles::find(&args.first)?, TableFiles::find(&args.second)?);
    if let (Some(first), Some(second)) = tables {
        let groups = &first.difference(&second)?;
        let values = first.value_distance(&second)?;
        write!(out, "{}\n{}", first.kind(), DifferenceText { groups, values })?;
        return Ok(());
    }
    let (first, second) =
        (Stored::load_integers(&args.first)?, Stored::load_integers(&args.second)?);
    let groups = &first.difference(&second).map_err(|e| Failure::failed(e.to_string()))?;
    let values = ValueDistance::of(&first, &second);
    write!(out, "{}\n{}", first.architecture(), DifferenceText { groups, values })?;
    Ok(())
}
