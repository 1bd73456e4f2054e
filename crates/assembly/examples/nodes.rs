//! What a node of the search costs, and what its parts cost by themselves: `cargo xtask bench nodes`.
//!
//! Nanoseconds of the least disturbed of several rounds, with the shogi net that is shipped and one thread. Parts
//! are measured on positions near those of `nue bench`; a node of the search does some of them several times and
//! most of them not at all, so they do not add up to it.

#![allow(clippy::print_stdout, reason = "a measurement for people")]

use assembly::options::{HASH, PV_INTERVAL, THREADS};
use assembly::{Evaluation, bench, search, shipped};
use eval::{Evaluator, PIECE_VALUES};
use features::FeatureSet;
use nnue::{AnyNet, Net, Nnue};
use rules::{AnyPosition, Game, Gen, Move, MoveList, Position, Shogi, Variant};
use seed::Rng;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;
use think::{Best, Engine, Info, Limits, MateAnswer, Report, TimeSource, WallTime};

const ROUNDS: usize = 7;
/// Nodes of each search, about a tenth of a second.
const NODES: u64 = 60_000;
/// Positions for the parts.
const POSITIONS: usize = 600;

fn main() {
    let evaluation = shipped(Game::Shogi);
    println!("{}", evaluation.describe());
    if std::env::args().any(|argument| argument == "counts") {
        return counts(&evaluation);
    }
    let roots: Vec<Position<Shogi>> =
        bench::positions(Game::Shogi).into_iter().filter_map(Shogi::position).collect();
    let (nodes, nanos) = search_all(&evaluation);
    println!("{:8.0} ns a node of the search ({nodes} nodes)", nanos / nodes as f64);
    let positions = walk(&roots);
    parts(&positions);
    match &evaluation {
        Evaluation::Net(AnyNet::HalfKp(net)) => values(&positions, net),
        Evaluation::Net(AnyNet::KP(net)) => values(&positions, net),
        Evaluation::Net(AnyNet::KPHm(net)) => values(&positions, net),
        Evaluation::Net(AnyNet::HalfKpE9(net)) => values(&positions, net),
        Evaluation::Net(AnyNet::HalfKpKrank(net)) => values(&positions, net),
        _ => println!("no shogi net inside: values are not measured"),
    }
}

/// Nodes of each search whose parts are counted: about a second.
const COUNTED_NODES: u64 = 500_000;

/// How often the search does what. Only the feature `counts` of room alphabeta makes it tell.
fn counts(evaluation: &Evaluation) {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let mut engine = engine(evaluation, &time);
    let mut sums: Vec<(String, u64)> = Vec::new();
    let mut nodes = 0;
    for position in bench::positions(Game::Shogi) {
        let (sender, counted) = channel();
        nodes += search_one(&mut *engine, &position, &*time, COUNTED_NODES, Some(sender)).0;
        for line in &counted {
            let words: Vec<&str> = line.split(' ').skip(1).collect();
            for pair in words.chunks_exact(2) {
                let number: u64 = pair[1].parse().expect("a name, then a number");
                match sums.iter_mut().find(|(name, _)| name == pair[0]) {
                    Some((_, sum)) => *sum += number,
                    None => sums.push((pair[0].to_owned(), number)),
                }
            }
        }
    }
    let of = |name: &str| sums.iter().find(|(n, _)| n == name).map_or(0, |&(_, sum)| sum) as f64;
    if sums.is_empty() {
        println!("nothing was counted: cargo xtask bench counts");
        return;
    }
    println!("{nodes} nodes of 12 searches");
    for (share, what) in [
        (of("quiescence") / nodes as f64, "of all nodes are quiescence"),
        (of("first") / of("cuts"), "of the cuts of the main search come with the first move"),
        (of("again") / of("reduced"), "of the moves read less deep are read again"),
    ] {
        println!("{:6.1} % {what}", 100.0 * share);
    }
}

/// Hands the last number of nodes on, and what was counted.
struct NodeListener(Sender<u64>, Option<Sender<String>>);

impl Report for NodeListener {
    fn info(&mut self, info: &Info) {
        if let Some(nodes) = info.nodes {
            let _ = self.0.send(nodes);
        }
    }

    fn note(&mut self, text: &str) {
        if let Some(counted) = self.1.as_ref().filter(|_| text.starts_with("counts: ")) {
            let _ = counted.send(text.to_owned());
        }
    }

    fn best(&mut self, _: &Best) {}

    fn mate(&mut self, _: &MateAnswer) {}
}

fn engine(evaluation: &Evaluation, time: &Arc<dyn TimeSource>) -> Box<dyn Engine> {
    let mut engine = search(Game::Shogi, evaluation, Arc::clone(time));
    for (name, value) in [HASH.to(64), THREADS.to(1), PV_INTERVAL.to(0)] {
        engine.set_option(name, &value).expect("the search has these options");
    }
    engine.is_ready(&mut |_| ());
    engine
}

/// Nodes of all searches together, and the nanoseconds they took when least disturbed.
fn search_all(evaluation: &Evaluation) -> (u64, f64) {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let mut engine = engine(evaluation, &time);
    let (mut all, mut nanos) = (0, 0.0);
    for position in bench::positions(Game::Shogi) {
        let mut best = (0, f64::INFINITY);
        for _ in 0..ROUNDS {
            let took = search_one(&mut *engine, &position, &*time, NODES, None);
            if took.1 < best.1 {
                best = took;
            }
        }
        all += best.0;
        nanos += best.1;
    }
    (all, nanos)
}

fn search_one(
    engine: &mut dyn Engine,
    position: &AnyPosition,
    time: &dyn TimeSource,
    nodes: u64,
    counted: Option<Sender<String>>,
) -> (u64, f64) {
    engine.new_game();
    engine.set_position(position.clone()).expect("a position of shogi");
    let (sender, told) = channel();
    let limits = Limits { start: time.now(), nodes: Some(nodes), ..Limits::default() };
    let started = Instant::now();
    engine.think(limits, &mut NodeListener(sender, counted));
    let took = started.elapsed().as_nanos() as f64;
    (told.iter().last().unwrap_or(1), took)
}

/// Positions up to eight moves at random from the roots, none of them mated.
fn walk(roots: &[Position<Shogi>]) -> Vec<Position<Shogi>> {
    let mut rng = Rng::new(20);
    let mut positions = Vec::new();
    while positions.len() < POSITIONS {
        let mut pos = roots[rng.below(roots.len())].clone();
        for _ in 0..rng.below(8) {
            let moves = pos.legal_moves();
            if !moves.is_empty() {
                pos.play(moves[rng.below(moves.len())]);
            }
        }
        if !pos.legal_moves().is_empty() {
            positions.push(pos);
        }
    }
    positions
}

/// Prints what one call of `part` costs; it says how many calls it made for a position.
fn measure(
    name: &str,
    positions: &[Position<Shogi>],
    mut part: impl FnMut(&mut Position<Shogi>, usize) -> usize,
) {
    let mut positions = positions.to_vec();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let calls: usize = positions.iter_mut().enumerate().map(|(i, pos)| part(pos, i)).sum();
        best = best.min(started.elapsed().as_nanos() as f64 / calls.max(1) as f64);
    }
    println!("{best:8.0} ns {name}");
}

fn parts(positions: &[Position<Shogi>]) {
    let moves: Vec<Vec<Move>> = positions.iter().map(|pos| pos.legal_moves().to_vec()).collect();
    let mut list = MoveList::new();
    for (name, what) in [
        ("a list of captures and pawn promotions", Gen::Tactical),
        ("a list of the other moves", Gen::Positional),
    ] {
        measure(name, positions, |pos, _| {
            list.clear();
            pos.generate_useful(what, &mut list);
            black_box(list.len());
            1
        });
    }
    measure("where checks come from", positions, |pos, _| {
        black_box(pos.check_info());
        1
    });
    measure("mate in one", positions, |pos, _| {
        if pos.in_check() {
            return 0;
        }
        black_box(mate::mate_in_one(pos));
        1
    });
    measure("an exchange", positions, |pos, i| {
        for &m in &moves[i] {
            black_box(pos.see_at_least(m, 0, &PIECE_VALUES));
        }
        moves[i].len()
    });
    measure("a move played and taken back", positions, |pos, i| {
        for &m in &moves[i] {
            black_box(pos.play(m));
            pos.undo();
        }
        moves[i].len()
    });
}

fn values<F: FeatureSet<Shogi>>(positions: &[Position<Shogi>], net: &Arc<Net<Shogi, F>>) {
    let moves: Vec<Vec<Move>> = positions.iter().map(|pos| pos.legal_moves().to_vec()).collect();
    let mut evaluator = Nnue::<Shogi, F>::new(Arc::clone(net));
    measure("a move played, valued by the net and taken back", positions, |pos, i| {
        evaluator.refresh(pos);
        black_box(evaluator.evaluate(pos));
        for &m in &moves[i] {
            evaluator.push(&pos.play(m));
            black_box(evaluator.evaluate(pos));
            evaluator.pop();
            pos.undo();
        }
        moves[i].len()
    });
}
