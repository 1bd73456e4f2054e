//! `nue moves`: the legal moves of a position.

use crate::failure::CommandResult;
use crate::start::PositionArgs;
use clap::Args;
use std::io::{self, Write};

/// List the legal moves of a position in USI notation, their number last
#[derive(Args)]
pub(crate) struct MovesArgs {
    #[command(flatten)]
    position: PositionArgs,
}

pub(crate) fn run(args: &MovesArgs) -> CommandResult {
    let position = args.position.resolve()?;
    writeln!(io::stdout().lock(), "{}", kifu::move_list(&position))?;
    Ok(())
}
