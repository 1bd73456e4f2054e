//! `nue bench`: fixed positions at a fixed depth. The total of nodes is the signature of search
//! and evaluation: it changes when, and only when, they do.

use crate::assemble;
use crate::failure::{Failure, Outcome};
use crate::start::GameArg;
use clap::Args;
use rules::{AnyPosition, Game};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use think::{Best, Control, Info, Limits, MateAnswer, Report, TimeSource, WallTime};
use usi::SetPosition;

/// Depth where none is given: a few seconds.
const DEPTH: u32 = 4;

const SHOGI: [&str; 6] = [
    "startpos",
    "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d",
    "startpos moves 7g7f 3c3d 8h2b+ 3a2b 7i8h 2b3c 8h7g 4a3b 4g4f 7a6b",
    "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "sfen ln1gk2nl/1r1s2gb1/p1pp1pspp/4p1p2/1p5P1/2P1P1P2/PPSP1PS1P/1BG2G1R1/LN2K2NL b - 25",
    "sfen 4k4/2G3G2/3P1P3/9/4p4/9/3p1p3/2g3g2/4K4 b RB2S2N2L6Prb2s2n2l7p 101",
];

const MINISHOGI: [&str; 3] =
    ["startpos", "startpos moves 3e4d 3a2b 2e3d 4a3b", "sfen r1s1k/2g1p/1b3/P1G2/K1SBR b - 9"];

/// Search fixed positions and print the nodes read, their total last
#[derive(Args)]
pub(crate) struct BenchArgs {
    /// Plies
    #[arg(default_value_t = DEPTH, value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: u32,

    #[command(flatten)]
    game: GameArg,
}

pub(crate) fn run(args: &BenchArgs) -> Outcome {
    let started = Instant::now();
    let bench = Bench::new(args.game.game, Some(args.depth));
    let mut failed = None;
    let total = bench.run(&mut |line| {
        failed = failed.take().or_else(|| writeln!(io::stdout(), "{line}").err());
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    let total = total.ok_or_else(|| Failure::failed("the bench did not end"))?;
    let seconds = started.elapsed().as_secs_f64();
    let rate = (total as f64 / seconds.max(1e-9)) as u64;
    let _ = writeln!(io::stderr(), "{seconds:.3} s, {rate} nodes/s");
    writeln!(io::stdout(), "{total}")?;
    Ok(())
}

/// One run over the positions, which another thread may cancel.
#[derive(Clone)]
pub(crate) struct Bench {
    game: Game,
    depth: u32,
    running: Arc<Mutex<Running>>,
}

#[derive(Default)]
struct Running {
    cancelled: bool,
    control: Control,
}

impl Bench {
    pub(crate) fn new(game: Game, depth: Option<u32>) -> Self {
        Self { game, depth: depth.unwrap_or(DEPTH), running: Arc::default() }
    }

    /// Ends the run as soon as the search in progress ends.
    pub(crate) fn cancel(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.cancelled = true;
        running.control.stop();
    }

    /// Searches with a fresh engine; `each` is told about every position. `None` if cancelled.
    pub(crate) fn run(&self, each: &mut dyn FnMut(&str)) -> Option<u64> {
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        let mut engine = assemble::engine(self.game, Arc::clone(&time));
        engine.is_ready(&mut |_| ());
        let positions: &[&str] = match self.game {
            Game::Shogi => &SHOGI,
            Game::Minishogi => &MINISHOGI,
        };
        let mut total = 0;
        for (index, text) in positions.iter().enumerate() {
            let position = position(text, self.game);
            engine.new_game();
            engine.set_position(position).expect("the engine was made for this game");
            let nodes = Arc::new(Mutex::new(0));
            let limits = Limits { start: time.now(), ..Limits::to_depth(self.depth) };
            {
                let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
                if running.cancelled {
                    return None;
                }
                engine.go(limits, Box::new(NodeCount(Arc::clone(&nodes))));
                running.control = engine.control();
            }
            engine.wait();
            if self.running.lock().unwrap_or_else(PoisonError::into_inner).cancelled {
                return None;
            }
            let nodes = *nodes.lock().unwrap_or_else(PoisonError::into_inner);
            each(&format!("position {} of {}: {nodes} nodes", index + 1, positions.len()));
            total += nodes;
        }
        Some(total)
    }
}

fn position(text: &str, game: Game) -> AnyPosition {
    let set = SetPosition::parse(text).expect("bench positions are constants");
    set.resolve(game).expect("bench positions are constants")
}

/// Keeps the node count reported last.
struct NodeCount(Arc<Mutex<u64>>);

impl Report for NodeCount {
    fn info(&mut self, info: &Info) {
        if let Some(nodes) = info.nodes {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = nodes;
        }
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, _: &Best) {}

    fn mate(&mut self, _: &MateAnswer) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_position_is_one_and_the_signature_is_stable() {
        for (game, count) in [(Game::Shogi, SHOGI.len()), (Game::Minishogi, MINISHOGI.len())] {
            let mut lines = 0;
            let total = Bench::new(game, Some(1)).run(&mut |_| lines += 1);
            assert_eq!(lines, count, "{game}");
            assert!(total.is_some_and(|nodes| nodes > 0), "{game}");
            assert_eq!(Bench::new(game, Some(1)).run(&mut |_| ()), total, "{game}");
        }
    }

    #[test]
    fn a_cancelled_run_ends_without_a_total() {
        let bench = Bench::new(Game::Shogi, Some(40));
        let other = bench.clone();
        let running = std::thread::spawn(move || other.run(&mut |_| ()));
        bench.cancel();
        assert_eq!(running.join().unwrap(), None);
    }
}
