//! `nue net assemble`: one net whose rows come from several, by the rank of a king.

use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use clap::Args;
use durable::split_at_equals;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use trainer::{AssembleError, RankPart, RankParts};

/// Put a net together from HalfKP nets (or tables from three-piece tables), one for each rank of the
/// own king, or of the other one
#[derive(Args)]
pub(crate) struct AssembleArgs {
    /// Ranks and their net, as the side sees them whose features they are: 1 is the far side. Example:
    /// --rank 1-5=entering.bin --rank 6-9=castle.bin
    #[arg(long = "rank", required = true, value_name = "N[-M]=FILE|DIR")]
    ranks: Vec<OsString>,
    /// The net whose biases and layers (of tables: KK and KKP) are taken; needed where those of the
    /// others differ
    #[arg(long, value_name = "FILE|DIR")]
    layers: Option<PathBuf>,
    /// Make a HalfKPKrank net, with a whole matrix for each rank of the other king
    #[arg(long)]
    krank: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &AssembleArgs) -> CommandResult {
    args.output.check()?;
    if args.output.is_real() {
        return Err(Failure::usage("assemble writes nn.bin; nue net convert writes .nuef"));
    }
    let parts = args.ranks.iter().map(|text| {
        let (ranks, path) = split_at_equals(text, false)
            .ok_or_else(|| Failure::usage("--rank: expected N=FILE or N-M=FILE"))?;
        let part = RankPart::new(&ranks.to_string_lossy(), Path::new(&path));
        part.map_err(|e| Failure::usage(format!("--rank: {e}")))
    });
    let parts = parts.collect::<Result<Vec<_>, Failure>>()?;
    match RankParts::load(&parts, args.layers.as_deref())? {
        RankParts::Nets(parts) => {
            let net = parts.assemble(args.krank)?;
            args.output.save(|to| net.write(to))
        }
        RankParts::Tables(_) if args.krank => Err(Failure::usage("--krank is for nets")),
        RankParts::Tables(parts) => {
            parts.assemble(&args.output.output)?;
            args.output.told()
        }
    }
}

impl From<AssembleError> for Failure {
    fn from(error: AssembleError) -> Self {
        match error {
            AssembleError::Request(_) => Self::usage(error.to_string()),
            error => Self::failed(error.to_string()),
        }
    }
}
