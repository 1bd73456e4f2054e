//! How long a search goes on after a stop: fifty times each on one thread and on two, while it
//! looks for a mate, for a shorter one, and by a definition of futile replies.
#![allow(clippy::print_stdout)]

use mate::{Bounds, solve};
use rules::{Kings, Position, Shogi};
use std::time::{Duration, Instant};
use think::{Control, WallTime};

/// No end in sight.
const HARD: &str = "9/9/9/9/4k4/9/9/9/9 b RB2G2S2N2L9Prb2g2s2n2l9p 1";
/// A mate is found after a second; that none is shorter takes a minute.
const LONG: &str = "k1+P4n1/2L+P2sL1/r4+P+P1P/+BpP+Pl1+Rg1/NP1S+PP+p1g/2L+p1g+P1+P/Ps1G1+P1N1/\
                    1sN1P4/B8 b - 1";

fn main() {
    for (name, sfen, shortest, wait) in
        [("first mate", HARD, false, 20), ("shortest", LONG, true, 9000)]
    {
        let pos = Position::<Shogi>::from_sfen_with(sfen, Kings::Any).expect("a position");
        for threads in [1, 2] {
            let runs = if shortest { 3 } else { 50 };
            let mut took: Vec<Duration> = (0..runs)
                .map(|i| {
                    let control = Control::new(false);
                    let (searching, pos) = (control.clone(), pos.clone());
                    let bounds = Bounds { hash: 256 << 20, threads, shortest, ..Bounds::default() };
                    let search = std::thread::spawn(move || {
                        solve(&pos, &bounds, &searching, &WallTime::start());
                    });
                    std::thread::sleep(Duration::from_millis(wait + 7 * i));
                    let asked = Instant::now();
                    control.stop();
                    search.join().expect("a search that ends");
                    asked.elapsed()
                })
                .collect();
            took.sort();
            let (half, most) = (took[took.len() / 2], took[took.len() - 1]);
            println!("{name}, {threads} threads: median {half:.1?}, longest {most:.1?}");
        }
    }
}
