//! `nue perft`: counting move sequences, the touchstone of move generation.

use crate::failure::Outcome;
use crate::start::{self, GameArg};
use clap::Args;
use rules::AnyPosition;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Deepest count: nobody lives to see a deeper one.
pub(crate) const DEEPEST: u8 = 40;

/// Count the legal move sequences of a length; the count alone is on the last line
#[derive(Args)]
pub(crate) struct PerftArgs {
    /// Plies
    #[arg(value_parser = clap::value_parser!(u8).range(0..=i64::from(DEEPEST)))]
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
    let _ = writeln!(io::stderr(), "{seconds:.3} s, {rate} nodes/s");
    writeln!(out, "{total}")?;
    Ok(())
}

/// Counts, telling `each` about every first move; `None` if cancelled.
pub(crate) fn count_until(
    position: &mut AnyPosition,
    depth: usize,
    cancelled: &AtomicBool,
    each: &mut dyn FnMut(&str),
) -> Option<u64> {
    let game = position.game();
    if depth == 0 {
        return Some(1);
    }
    let mut total = 0;
    for &m in &position.legal_moves() {
        position.play(m);
        let count = count(position, depth - 1, cancelled);
        position.undo();
        let count = count?;
        each(&format!("{} {count}", m.usi(game)));
        total += count;
    }
    Some(total)
}

fn count(position: &mut AnyPosition, depth: usize, cancelled: &AtomicBool) -> Option<u64> {
    if cancelled.load(Ordering::Relaxed) {
        return None;
    }
    if depth <= 2 {
        return Some(position.perft(depth, true));
    }
    let mut total = 0;
    for &m in &position.legal_moves() {
        position.play(m);
        let below = count(position, depth - 1, cancelled);
        position.undo();
        total += below?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    #[test]
    fn the_count_that_can_be_cancelled_is_the_same_count() {
        for (game, depth, expected) in [(Game::Shogi, 3, 25_470), (Game::Minishogi, 4, 35_401)] {
            let mut position = AnyPosition::startpos(game);
            let mut lines = 0;
            let total =
                count_until(&mut position, depth, &AtomicBool::new(false), &mut |_| lines += 1);
            assert_eq!(total, Some(expected));
            assert_eq!(lines, position.legal_moves().len());
            assert_eq!(
                count_until(&mut position, depth, &AtomicBool::new(true), &mut |_| ()),
                None
            );
        }
    }
}
