//! `nue net pack` and `nue net unpack`: nets made small for travelling, and back.

use super::store::OutputArgs;
use crate::failure::{CommandResult, Failure};
use clap::Args;
use nnue::AnyNet;
use std::path::{Path, PathBuf};
use trainer::Stored;

/// Write a net packed, at about half its size; every command reads packed nets like others
#[derive(Args)]
pub(crate) struct PackArgs {
    /// Net to read
    #[arg(value_name = "FILE|DIR")]
    file: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

/// Write a packed net as nn.bin, byte for byte what was packed
#[derive(Args)]
pub(crate) struct UnpackArgs {
    /// Net to read
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn pack(args: &PackArgs) -> CommandResult {
    args.output.check()?;
    let net = integers(&args.file)?;
    args.output.save(|to| net.write_packed(to))
}

pub(crate) fn unpack(args: &UnpackArgs) -> CommandResult {
    args.output.check()?;
    let net = integers(&args.file)?;
    args.output.save(|to| net.write(to))
}

fn integers(path: &Path) -> Result<AnyNet, Failure> {
    match Stored::load(path)? {
        Stored::Integers(net) => Ok(net),
        Stored::Real(_) => Err(Failure::usage(format!(
            "{} holds real numbers: nue net import turns it into a net to pack",
            path.display()
        ))),
    }
}
