//! How many positions a second the native back-end computes on one core, with nets of random
//! numbers. `cargo run --release -p infer --example speed [POSITIONS]`

// An example speaks to whoever runs it.
#![allow(clippy::print_stdout)]

use features::{Labels, Planes};
use infer::native::{Architecture, Floats, Native, Reference, import, positions};
use infer::{Backend, Batch, Shape};
use rules::Game;
use simd::Isa;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    let argument = std::env::args().nth(1).and_then(|n| n.parse().ok());
    let count: usize = argument.unwrap_or(2000);
    println!("{:<10} {:<12} {:>6} {:>14} {:>12}", "net", "set", "batch", "positions/s", "GMAC/s");
    let shogi = Shape { game: Game::Shogi, planes: Planes::Dlshogi, labels: Labels::Dlshogi };
    let minishogi =
        Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };
    for (shape, blocks, channels) in
        [(shogi, 5, 64), (shogi, 6, 96), (shogi, 10, 128), (minishogi, 5, 64)]
    {
        let architecture =
            Architecture { shape, blocks, channels, value_channels: 27, value_hidden: 256 };
        let floats = Floats::random(architecture, 1);
        let reference = Reference::new(&floats);
        let calibration = positions(&reference, shape, 36, 1);
        let net = import(&floats, &calibration, &mut calibration.clone(), 0.0).expect("a net").net;
        for &isa in Isa::available() {
            let net = Arc::new(net.with_isa(isa));
            for batch in [1, 9, 36] {
                // Slow sets get fewer positions.
                let count = if isa == Isa::SCALAR { count / 100 } else { count };
                let speed = measure(&Native::new(Arc::clone(&net)), &calibration, batch, count);
                println!(
                    "{:<10} {:<12} {batch:>6} {speed:>14.0} {:>12.1}",
                    format!("{blocks}x{channels} {}", shape.game.size()),
                    isa.name(),
                    speed * multiplications(&architecture) / 1e9
                );
            }
        }
    }
}

const RUNS: usize = 10;

fn measure(backend: &Native, positions: &Batch, size: usize, count: usize) -> f64 {
    let mut batch = Batch::new(backend.shape(), size);
    for index in 0..size {
        let labels = positions.labels(index).iter().copied();
        batch.push(index as u64, |to| to.copy_from_slice(positions.planes(index)), labels);
    }
    let mut run = |rounds: usize| {
        let start = Instant::now();
        for _ in 0..rounds {
            let taken = std::mem::replace(&mut batch, Batch::new(backend.shape(), 0));
            backend.submit(taken).expect("the same shape");
            let (_, back) = backend.poll(Duration::ZERO).expect("sound").expect("finished");
            batch = back;
        }
        start.elapsed()
    };
    run(2);
    // The best of some short runs: others may be at work on the machine.
    let rounds = count.div_ceil(size * RUNS);
    let best = (0..RUNS).map(|_| run(rounds)).min().unwrap_or_default();
    (rounds * size) as f64 / best.as_secs_f64()
}

/// Multiplications of the convolutions of one position, as if none were left out.
fn multiplications(a: &Architecture) -> f64 {
    let squares = a.shape.game.squares();
    ((2 * a.blocks * a.channels + a.shape.planes.count()) * 9 * a.channels * squares) as f64
}
