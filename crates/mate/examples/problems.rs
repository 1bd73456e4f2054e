//! Solves the problems of a file (name, plies, SFEN separated by tabs) one after the other.
//! Arguments: the file, seconds for each, MiB of table, names separated by commas, and anything
//! to ask for the shortest mates.
#![allow(clippy::print_stdout)]

use mate::{Bounds, solve};
use rules::{Kings, Position, Shogi};
use std::time::Duration;
use think::{Control, TimeSource, WallTime};

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("a file of problems");
    let seconds: u64 = args.next().and_then(|s| s.parse().ok()).unwrap_or(10);
    let mib: usize = args.next().and_then(|s| s.parse().ok()).unwrap_or(1024);
    let only = args.next();
    let shortest = args.next().is_some();
    let text = std::fs::read_to_string(path).expect("a readable file");
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        if only.as_ref().is_some_and(|o| !o.split(',').any(|o| o == fields[0])) {
            continue;
        }
        let pos = Position::<Shogi>::from_sfen_with(fields[2], Kings::Any).expect("a position");
        let bounds = Bounds {
            time: Some(Duration::from_secs(seconds)),
            hash: mib << 20,
            shortest,
            ..Bounds::default()
        };
        let time = WallTime::start();
        let s = solve(&pos, &bounds, &Control::new(false), &time);
        let t = time.now().as_secs_f64();
        println!(
            "{:12} {:>5} {:?} {} plies{}, {} nodes, {t:.2} s",
            fields[0],
            fields[1],
            s.verdict,
            s.line.len(),
            if s.is_shortest { " (shortest)" } else { "" },
            s.nodes
        );
    }
}
