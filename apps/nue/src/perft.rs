//! `nue perft`: counting move sequences, the touchstone of move generation.

use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::start::{self, GameArg};
use clap::Args;
use rules::DEEPEST_PERFT;
use std::io::{self, Write};
use std::sync::atomic::Ordering;
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

pub(crate) fn run(args: &PerftArgs) -> CommandResult {
    let mut position = start::resolve(args.game.game, &args.sfen, &[])?;
    let (game, first_moves) = (position.game(), position.legal_moves().len());
    let started = Instant::now();
    let mut out = io::stdout().lock();
    let (interrupted, _) = interrupt::flag();
    let (mut done, mut sequences, mut failed) = (0, 0, None);
    let go_on = &mut || !interrupted.load(Ordering::Relaxed);
    let counted = position.perft_while(usize::from(args.depth), go_on, &mut |m, count| {
        (done, sequences) = (done + 1, sequences + count);
        if args.divide {
            failed = failed.take().or_else(|| writeln!(out, "{} {count}", m.usi(game)).err());
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    let Some(total) = counted else {
        return Err(Failure::Interrupted(format!(
            "interrupted after {done} of {first_moves} first moves, {sequences} sequences"
        )));
    };
    let seconds = started.elapsed().as_secs_f64();
    let rate = (total as f64 / seconds.max(1e-9)) as u64;
    // Beside the point of the command: a closed error stream must not spoil it.
    let _ = writeln!(io::stderr(), "{seconds:.3} s, {} nodes/s", chart::grouped(rate));
    writeln!(out, "{total}")?;
    Ok(())
}
