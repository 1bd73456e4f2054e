//! tmp
#![allow(clippy::print_stdout)]
use rules::*;
use std::time::Instant;
fn main() {
    for (s, d) in [
        (Shogi::START, 5),
        ("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 4),
    ] {
        let mut p = Position::<Shogi>::from_sfen(s).unwrap();
        let t = Instant::now();
        let n = perft(&mut p, d, true);
        println!("{n} {:.1} M/s", n as f64 / t.elapsed().as_secs_f64() / 1e6);
    }
    let mut p = Position::<Minishogi>::startpos();
    let t = Instant::now();
    let n = perft(&mut p, 6, true);
    println!("{n} {:.1} M/s", n as f64 / t.elapsed().as_secs_f64() / 1e6);
}
