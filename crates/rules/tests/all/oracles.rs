//! Other people's move generators, cshogi and pyffish, asked where Python can import them.

use rules::{Handicap, Minishogi, Position, Shogi, Variant};
use seed::Rng;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Positions of random games with all their legal moves, one line each.
fn lines<V: Variant>(starts: &[String], plies: usize, out: &mut String) {
    let mut rng = Rng::new(1);
    for start in starts {
        let mut pos = Position::<V>::from_sfen(start).unwrap();
        for _ in 0..plies {
            let moves = pos.legal_moves();
            let texts: Vec<String> = moves.iter().map(|m| m.usi(V::GAME)).collect();
            writeln!(out, "{}\t{}\t{}", V::GAME, pos.sfen(), texts.join(" ")).unwrap();
            if moves.is_empty() {
                break;
            }
            pos.play(moves[rng.below(moves.len())]);
        }
    }
}

/// Asks the oracle; `None` if it is not installed.
#[track_caller]
fn ask(oracle: &str, input: &str) -> Option<usize> {
    let python = fixtures::python_with(oracle)?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles.py");
    let mut child = Command::new(python)
        .args([script, oracle])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // An oracle that ends before it has read everything says why below.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{oracle} disagrees: {said}{errors}");
    Some(said.trim().parse().unwrap())
}

#[test]
fn cshogi_agrees() {
    let mut input = String::new();
    let starts: Vec<String> = Handicap::ALL.iter().cycle().take(80).map(|h| h.sfen()).collect();
    lines::<Shogi>(&starts, 150, &mut input);
    if let Some(compared) = ask("cshogi", &input) {
        assert!(compared > 5000, "{compared}");
    }
}

#[test]
fn pyffish_agrees() {
    let mut input = String::new();
    lines::<Minishogi>(&vec![Minishogi::START.to_owned(); 50], 80, &mut input);
    let starts: Vec<String> = Handicap::ALL.iter().step_by(5).map(|h| h.sfen()).collect();
    lines::<Shogi>(&starts, 30, &mut input);
    if let Some(compared) = ask("pyffish", &input) {
        assert!(compared > 1500, "{compared}");
    }
}
