//! Fixed work for the profile that guides the compiler (docs/dist.md): the search of both games with the nets that are
//! shipped, mates, perft. It prints what it came to.
//!
//! It is the same every time and on every machine: one thread, bounded by nodes, depth or positions, a clock that
//! stands still, instructions that every machine has. Deliberately absent: the tree search, whose threads wait for one
//! another, so that they count differently every time; its time is that of its net, whose kernels are not counted.

#![allow(clippy::print_stdout, reason = "what was done, for people")]

use assembly::options::{HASH, PV_INTERVAL, THREADS};
use assembly::{bench, search, shipped};
use mate::{Bounds, Questions, study};
use nnue::Isa;
use rules::{AnyPosition, Game, Kings};
use std::error::Error;
use std::sync::Arc;
use think::{Best, Control, Info, Limits, MateAnswer, Moment, Report, STACK, TimeSource};

/// Depth of the search: a tenth of the nodes of `nue bench`.
const DEPTH: u32 = 13;
/// Nodes after which a mate is given up.
const MATE_NODES: u64 = 100_000;

/// Mates and positions without, and whether the shortest one is asked for.
const PROBLEMS: &[(Game, &str, bool)] = &[
    (Game::Shogi, "9/9/9/9/4k4/9/9/9/9 b 2R2B4G4S4N4L18P 1", false),
    (Game::Shogi, "9/9/9/9/4k4/9/9/9/9 b RB2G2S2N2L9Prb2g2s2n2l9p 1", false),
    (Game::Shogi, "7nl/7k1/6p2/6S1p/9/9/9/9/9 b S2r2b4g2s3n3l16p 1", false),
    (Game::Shogi, "4k4/9/PPPPPPPPP/9/9/9/9/9/9 b B4L2rb4g4s4n9p 1", true),
    (Game::Shogi, "1k7/g8/2G6/9/9/9/9/9/6R2 b gs 1", true),
    (Game::Minishogi, "2gs1/5/5/k2K1/2R2 b BSP 1", true),
    (Game::Minishogi, "5/2k2/G4/S4/5 b RBS 1", true),
];

fn main() -> Result<(), Box<dyn Error>> {
    let work = std::thread::Builder::new().stack_size(STACK).spawn(|| {
        // As text: an error of any kind need not be fit for another thread.
        all().map_err(|error| error.to_string())
    })?;
    Ok(work.join().map_err(|_| "the work broke off")??)
}

fn all() -> Result<(), Box<dyn Error>> {
    for game in Game::ALL {
        alphabeta(game)?;
    }
    for &(game, sfen, shortest) in PROBLEMS {
        let position = AnyPosition::from_sfen_with(game, sfen, Kings::Any)
            .map_err(|e| format!("{sfen}: {e}"))?;
        let bounds =
            Bounds { nodes: Some(MATE_NODES), hash: 16 << 20, shortest, ..Bounds::default() };
        let questions = Questions { bounds, ..Questions::default() };
        let answer = study(&position, &questions, &Control::new(false), &Still);
        println!("mate: {:?}, {} nodes", answer.solution.verdict, answer.solution.nodes);
    }
    for (game, depth) in [(Game::Shogi, 4), (Game::Minishogi, 5)] {
        let sequences = AnyPosition::startpos(game).perft(depth, true);
        println!("perft of {game}: {sequences} sequences");
    }
    Ok(())
}

fn alphabeta(game: Game) -> Result<(), Box<dyn Error>> {
    let isa = Isa::named("sse4.1").unwrap_or(Isa::SCALAR);
    let mut engine = search(game, &shipped(game).with_isa(isa), Arc::new(Still));
    for (name, value) in [HASH.to(16), THREADS.to(1), PV_INTERVAL.to(0)] {
        engine.set_option(name, &value)?;
    }
    engine.is_ready(&mut |_| ());
    let mut nodes = 0;
    for position in bench::positions(game) {
        engine.new_game();
        engine.set_position(position)?;
        let mut count = NodeCount(0);
        engine.think(Limits::to_depth(DEPTH), &mut count);
        nodes += count.0;
    }
    println!("search of {game}: {nodes} nodes");
    Ok(())
}

/// The number of nodes told last.
struct NodeCount(u64);

impl Report for NodeCount {
    fn info(&mut self, info: &Info) {
        self.0 = info.nodes.unwrap_or(self.0);
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, _: &Best) {}

    fn mate(&mut self, _: &MateAnswer) {}
}

/// A clock that stands still.
struct Still;

impl TimeSource for Still {
    fn now(&self) -> Moment {
        Moment::ZERO
    }
}
