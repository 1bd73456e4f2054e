//! `nue moves`: the legal moves of a position.

use crate::failure::Outcome;
use crate::start::PositionArgs;
use clap::Args;
use rules::AnyPosition;
use std::io::{self, Write};

/// List the legal moves of a position in USI notation, their number last
#[derive(Args)]
pub(crate) struct MovesArgs {
    #[command(flatten)]
    position: PositionArgs,
}

pub(crate) fn run(args: &MovesArgs) -> Outcome {
    let position = args.position.resolve()?;
    writeln!(io::stdout().lock(), "{}", list(&position))?;
    Ok(())
}

/// The moves, one per line and in alphabetical order, and their number.
pub(crate) fn list(position: &AnyPosition) -> String {
    let moves = position.legal_moves();
    let mut lines: Vec<String> = moves.iter().map(|m| m.usi(position.game())).collect();
    lines.sort_unstable();
    lines.push(moves.len().to_string());
    lines.join("\n")
}
