//! `nue net strip`: the usual description and hashes instead of whatever a trainer left there.

use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use clap::Args;
use std::path::PathBuf;
use trainer::Stored;

/// Write a net with the usual description and hashes; of a .nuef the notes go
#[derive(Args)]
pub(crate) struct StripArgs {
    /// A net of either kind
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &StripArgs) -> CommandResult {
    args.output.check()?;
    match Stored::load(&args.file)? {
        Stored::Integers(_) if args.output.is_real() => {
            Err(Failure::usage("net strip keeps the format; nue net convert changes it"))
        }
        Stored::Real(_) if !args.output.is_real() => {
            Err(Failure::usage("net strip keeps the format; nue net convert changes it"))
        }
        Stored::Integers(net) => {
            let bare = net.stripped().map_err(|e| Failure::failed(e.to_string()))?;
            args.output.save(|to| bare.write(to))
        }
        Stored::Real(mut net) => {
            net.notes = serde_json::Value::Null;
            args.output.save(|to| net.write(to))
        }
    }
}
