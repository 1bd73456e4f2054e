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
    let python = std::env::var("NUE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/oracle.py");
    let child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Some(mut child) = fixtures::found(child.ok(), "no Python") else { return };
    // An oracle that is missing leaves without reading: a broken pipe is its answer.
    let _ = child.stdin.take().unwrap().write_all(lines(60).as_bytes());
    let output = child.wait_with_output().unwrap();
    if output.status.code() == Some(3) {
        fixtures::skipped("Python cannot import cshogi");
        return;
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cshogi disagrees: {said}{errors}");
    let compared: usize = said.trim().parse().unwrap();
    assert!(compared >= 1000, "{compared} positions compared");
}
