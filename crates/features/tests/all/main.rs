//! dlshogi's planes and labels as cshogi makes them, asked where Python can import it.

use features::{Labels, Planes};
use rules::{Game, Handicap, Position, Shogi};
use seed::Rng;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Positions of random games: SFEN, packed planes, and the label of every legal move.
fn lines(games: u64) -> String {
    let mut out = String::new();
    let mut rng = Rng::new(3);
    for game in 0..games {
        let handicap = Handicap::ALL[if game % 4 == 0 { game as usize % 16 } else { 0 }];
        let mut pos = Position::<Shogi>::from_sfen(&handicap.sfen()).unwrap();
        for ply in 0..200 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            if ply % 7 == 0 {
                let mut packed = vec![0; Planes::Dlshogi.bytes()];
                Planes::Dlshogi.pack(&pos, &mut packed);
                write!(out, "{}\t", pos.sfen()).unwrap();
                packed.iter().for_each(|byte| write!(out, "{byte:02x}").unwrap());
                for &mv in &moves {
                    let label = Labels::Dlshogi.label(mv, pos.turn());
                    write!(out, "\t{}={label}", mv.usi(Game::Shogi)).unwrap();
                }
                out.push('\n');
            }
            pos.play(moves[rng.below(moves.len())]);
        }
    }
    out
}

#[test]
fn cshogi_sees_and_says_the_same() {
    let Some(python) = fixtures::python_with("numpy, cshogi.dlshogi") else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/oracle.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // An oracle that ends before it has read everything says why below.
    let _ = child.stdin.take().unwrap().write_all(lines(60).as_bytes());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cshogi disagrees: {said}{errors}");
    let compared: usize = said.trim().parse().unwrap();
    assert!(compared >= 1000, "{compared} positions compared");
}
