//! How long packing takes: `cargo run --release -p features --example pack`.

#![allow(clippy::print_stdout, reason = "a measurement for people")]

use features::{Labels, Planes};
use rules::{Minishogi, Position, Shogi, Variant};
use std::hint::black_box;
use std::time::Instant;

/// Positions of random games.
fn positions<V: Variant>() -> Vec<Position<V>> {
    let mut rng = seed::Rng::new(1);
    let mut found = Vec::new();
    while found.len() < 2000 {
        let mut pos = Position::<V>::startpos();
        for _ in 0..150 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            pos.play(moves[rng.below(moves.len())]);
            found.push(pos.clone());
        }
    }
    found
}

fn measure<V: Variant>(planes: Planes, labels: Labels) {
    let positions = positions::<V>();
    let moves: Vec<_> = positions.iter().map(|p| (p.legal_moves(), p.turn())).collect();
    let mut out = vec![0; planes.bytes()];
    let rounds = 50;
    let begun = Instant::now();
    for _ in 0..rounds {
        for position in &positions {
            planes.pack(black_box(position), &mut out);
            black_box(&out);
        }
    }
    let packing = begun.elapsed().as_secs_f64() / (rounds * positions.len()) as f64;
    let begun = Instant::now();
    for _ in 0..rounds {
        for (moves, turn) in &moves {
            moves.iter().for_each(|&mv| {
                black_box(labels.label(black_box(mv), *turn));
            });
        }
    }
    let count = moves.iter().map(|(moves, _)| moves.len()).sum::<usize>();
    let labelling = begun.elapsed().as_secs_f64() / (rounds * count) as f64;
    println!("{:<10} {:.2} µs, label {:.1} ns", planes.name(), packing * 1e6, labelling * 1e9);
}

fn main() {
    measure::<Shogi>(Planes::Dlshogi, Labels::Dlshogi);
    measure::<Shogi>(Planes::Pal, Labels::Pal);
    measure::<Shogi>(Planes::Aoba, Labels::Dlshogi);
    measure::<Minishogi>(Planes::Minishogi, Labels::Minishogi);
}
