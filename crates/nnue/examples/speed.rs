//! How long an evaluation takes, for every instruction set of this machine.
//!
//! `cargo run --release -p nnue --example speed [NET]...` measures the nets named, or random ones
//! of HalfKP and K-P with 256x2-32-32. Every figure is the best of several runs over positions of
//! random games.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use eval::Evaluator;
use features::FeatureSet;
use nnue::{AnyNet, Architecture, FeatureKind, Isa, Net, NetVisitor, Nnue, Noise, Shape};
use rules::{Move, Position, Variant};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const GAMES: u64 = 12;
const PLIES: usize = 80;
const RUNS: usize = 15;

fn games<V: Variant>() -> Vec<Vec<Move>> {
    let mut rng = seed::Rng::new(1);
    let mut game = || {
        let mut pos = Position::<V>::startpos();
        let mut line = Vec::new();
        for _ in 0..PLIES {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[rng.below(moves.len())];
            pos.play(m);
            line.push(m);
        }
        line
    };
    (0..GAMES).map(|_| game()).collect()
}

/// Nanoseconds per item: the best run.
fn best(items: usize, mut run: impl FnMut()) -> f64 {
    let mut once = || {
        let start = Instant::now();
        run();
        start.elapsed().as_nanos() as f64 / items as f64
    };
    (0..RUNS).map(|_| once()).fold(f64::INFINITY, f64::min)
}

struct Measure;

impl NetVisitor for Measure {
    type Output = ();

    fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) {
        let games = games::<V>();
        let mut positions = Vec::new();
        for game in &games {
            let mut pos = Position::<V>::startpos();
            for &m in game {
                pos.play(m);
                positions.push(pos.without_history());
            }
        }
        println!("{} ({} positions)", net.architecture(), positions.len());
        let plain = Nnue::new(Arc::clone(&net));
        let accumulators: Vec<_> = positions
            .iter()
            .map(|pos| {
                let us = pos.turn();
                (plain.fresh_accumulator(pos, us), plain.fresh_accumulator(pos, us.opponent()))
            })
            .collect();
        println!("  {:.1} % of input groups are zero", 100.0 * zero_groups(&accumulators));
        for &isa in Isa::available() {
            let net = Arc::new(net.with_isa(isa));
            let n = positions.len();
            let forward = best(n, || {
                for (us, them) in &accumulators {
                    black_box(net.layers().forward(black_box(us), black_box(them)));
                }
            });
            let mut nnue = Nnue::new(Arc::clone(&net));
            let refresh = best(n, || {
                for pos in &positions {
                    nnue.refresh(pos);
                    black_box(nnue.output(pos));
                }
            });
            let moves = best(n, || walk(&games, &mut nnue, true));
            let bare = best(n, || walk(&games, &mut nnue, false));
            println!(
                "  {:12} forward {forward:7.1} ns   refresh of one side through the cache {:7.1} ns   \
                 a move (update and forward) {:7.1} ns",
                isa.name(),
                (refresh - forward) / 2.0,
                moves - bare
            );
        }
    }
}

fn walk<V: Variant, F: FeatureSet<V>>(games: &[Vec<Move>], nnue: &mut Nnue<V, F>, evaluate: bool) {
    for game in games {
        let mut pos = Position::<V>::startpos();
        nnue.refresh(&pos);
        for &m in game {
            let delta = pos.play(m);
            nnue.push(&delta);
            if evaluate {
                black_box(nnue.evaluate(&pos));
            }
        }
    }
}

fn zero_groups(accumulators: &[(Vec<i16>, Vec<i16>)]) -> f64 {
    let (mut zero, mut all) = (0, 0);
    for (us, them) in accumulators {
        for group in us.chunks(4).chain(them.chunks(4)) {
            zero += u64::from(group.iter().all(|&x| x <= 0));
            all += 1;
        }
    }
    zero as f64 / f64::from(all)
}

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        for features in [FeatureKind::HalfKp, FeatureKind::KP] {
            let shape = Shape { l0: 256, h1: 32, h2: 32 };
            AnyNet::random(Architecture { features, shape }, Noise::ordinary(1)).visit(Measure);
        }
    }
    for path in paths {
        match AnyNet::load(path.as_ref()) {
            Ok(net) => net.visit(Measure),
            Err(error) => eprintln!("{error}"),
        }
    }
}
