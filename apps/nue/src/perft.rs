//! `nue perft`: counting move sequences, the touchstone of move generation.

use crate::failure::Outcome;
use crate::start::{self, GameArg};
use clap::Args;
use indicatif::HumanCount;
use rules::DEEPEST_PERFT;
use std::io::{self, Write};
use std::time::Instant;

/// Count the legal move sequences of a length; the count alone is on the last line
#[derive(Args)]
pub(crate) struct PerftArgs {
    /// Depth in plies
    #[arg(value_parser = clap::value_parser!(u8).range(0..=i64::from(DEEPEST_PERFT)))]
    depth: u8,

    /// From this position: "startpos", a handicap by name, or an SFEN
    #[arg(long, default_value = "startpos")]
    sfen: String,

    /// Also the count after each first move
    #[arg(long)]
    divide: bool,

    #[command(flatten)]
    game: GameArg,
}

pub(crate) fn run(args: &PerftArgs) -> Outcome {
    let mut position = start::resolve(args.game.game, &args.sfen, &[])?;
    let depth = usize::from(args.depth);
    let started = Instant::now();
    let mut out = io::stdout().lock();
    let total = if args.divide && depth > 0 {
        let counts = position.divide(depth, true);
        for (m, count) in &counts {
            writeln!(out, "{} {count}", m.usi(position.game()))?;
        }
        counts.iter().map(|(_, count)| count).sum()
    } else {
        position.perft(depth, true)
    };
    let seconds = started.elapsed().as_secs_f64();
    let rate = (total as f64 / seconds.max(1e-9)) as u64;
    // Beside the point of the command: a closed error stream must not spoil it.
    let _ = writeln!(io::stderr(), "{seconds:.3} s, {} nodes/s", HumanCount(rate));
    writeln!(out, "{total}")?;
    Ok(())
}
