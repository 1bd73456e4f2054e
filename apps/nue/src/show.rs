//! `nue show`: a board a person can read.

use crate::failure::CommandResult;
use crate::start::PositionArgs;
use clap::Args;
use std::io::{self, Write};

/// Show a position as a board
#[derive(Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    position: PositionArgs,
}

pub(crate) fn run(args: &ShowArgs) -> CommandResult {
    let position = args.position.resolve()?;
    writeln!(io::stdout().lock(), "{}", kifu::diagram(&position))?;
    Ok(())
}
