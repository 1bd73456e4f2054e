//! How proof and disproof numbers develop: `numbers FILE NODES BACK…`, on each line of the file an SFEN, or a game as
//! moves of USI (`startpos moves …`), which is cut so many plies before its end.
#![allow(clippy::print_stdout)]

use mate::{Bounds, Memory, Solver, Verdict};
use rules::{Kings, Position, Shogi};
use think::{Control, WallTime};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a file of positions");
    let most: u64 = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1 << 20);
    let backs: Vec<usize> = arguments.filter_map(|n| n.parse().ok()).collect();
    for line in std::fs::read_to_string(file).expect("a file").lines() {
        if let Some(moves) = line.strip_prefix("startpos moves ") {
            let moves: Vec<&str> = moves.split(' ').collect();
            for back in backs.iter().filter(|&&back| back < moves.len()) {
                let mut pos = Position::<Shogi>::startpos();
                for m in &moves[..moves.len() - back] {
                    pos.play(pos.parse_usi(m).expect("a legal move"));
                }
                develop(&format!("{back}"), &pos, most);
            }
        } else if let Ok(pos) = Position::<Shogi>::from_sfen_with(line, Kings::Any) {
            develop("sfen", &pos, most);
        }
    }
}

/// Solves in slices, each as long as all before it.
fn develop(name: &str, pos: &Position<Shogi>, most: u64) {
    let (control, time) = (Control::default(), WallTime::start());
    let memory = Memory::new(64 << 20);
    let (mut all, mut slice, mut told) = (0, 250, Vec::new());
    let verdict = loop {
        let bounds = Bounds { nodes: Some(slice), ..Bounds::default() };
        let mut solver = Solver::remembering(pos, &bounds, &control, &time, &memory);
        let solution = solver.solve();
        all += solution.nodes;
        if !matches!(solution.verdict, Verdict::Unknown(_)) || all >= most {
            break solution.verdict;
        }
        let (pn, dn) = solver.numbers().unwrap_or((0, 0));
        told.push(format!("{all}:{pn}/{dn}"));
        slice = all;
    };
    println!("{name} {verdict:?} {all} {}", told.join(" "));
}
