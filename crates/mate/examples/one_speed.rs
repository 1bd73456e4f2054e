//! How long mate in one takes on average over positions of a file, or over positions of random
//! games if no file is given. Lines are SFENs or games (`startpos moves …`), of which the
//! positions from move 40 on are taken. Further arguments: the number of calls, and anything to
//! leave the comparison out.
#![allow(clippy::print_stdout)]

use rules::{Gen, Move, MoveList, Position, Shogi};
use std::time::Instant;

fn positions() -> Vec<Position<Shogi>> {
    if let Some(path) = std::env::args().nth(1) {
        let text = std::fs::read_to_string(path).expect("a readable file");
        return text.lines().flat_map(of_line).collect();
    }
    let mut all = Vec::new();
    let mut rng = seed::Rng::new(1);
    while all.len() < 10_000 {
        let mut pos = Position::<Shogi>::startpos();
        for ply in 0..120 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            pos.play(moves[rng.below(moves.len())]);
            if ply > 40 {
                all.push(pos.without_history());
            }
        }
    }
    all
}

fn of_line(line: &str) -> Vec<Position<Shogi>> {
    let line = line.trim().trim_start_matches("position ");
    let Some((_, moves)) = line.split_once("startpos moves ") else {
        return Position::from_sfen(line.trim_start_matches("sfen ")).ok().into_iter().collect();
    };
    let mut pos = Position::<Shogi>::startpos();
    let mut all = Vec::new();
    for text in moves.split_ascii_whitespace() {
        let Ok(m) = pos.parse_usi(text) else { break };
        pos.play(m);
        if pos.ply() > 40 {
            all.push(pos.without_history());
        }
    }
    all
}

/// Games as moves, for [`along_games`].
fn games() -> Vec<Vec<Move>> {
    let Some(path) = std::env::args().nth(1) else { return Vec::new() };
    let text = std::fs::read_to_string(path).expect("a readable file");
    let moves = |line: &str| {
        let (_, moves) = line.split_once("startpos moves ")?;
        let mut pos = Position::<Shogi>::startpos();
        let mut list = Vec::new();
        for text in moves.split_ascii_whitespace() {
            let Ok(m) = pos.parse_usi(text) else { break };
            pos.play(m);
            list.push(m);
        }
        Some(list)
    };
    text.lines().filter_map(moves).collect()
}

/// Nanoseconds a call when every position has just been played, as in a search: games replayed
/// with the question asked after each move from 40 on, less the same without asking; the best of
/// several runs.
fn along_games(calls: usize) -> Option<f64> {
    let games = games();
    let asked: usize = games.iter().map(|g| g.len().saturating_sub(39)).sum();
    if asked == 0 {
        return None;
    }
    let replay = |ask: bool| {
        let mut found = 0usize;
        let start = Instant::now();
        for _ in 0..(calls / asked / 10).max(1) {
            for game in &games {
                let mut pos = Position::<Shogi>::startpos();
                for &m in game {
                    pos.play(m);
                    if ask && pos.ply() > 40 {
                        found += usize::from(mate::mate_in_one(&pos).is_some());
                    }
                }
                std::hint::black_box(&pos);
            }
        }
        std::hint::black_box(found);
        start.elapsed().as_nanos() as f64 / ((calls / asked / 10).max(1) * asked) as f64
    };
    let best = |ask: bool| (0..10).map(|_| replay(ask)).fold(f64::INFINITY, f64::min);
    Some(best(true) - best(false))
}

fn main() {
    let all = positions();
    let calls = std::env::args().nth(2).and_then(|n| n.parse().ok()).unwrap_or(4_000_000);
    let rounds = calls / all.len().max(1) + 1;
    let mut found = 0;
    let mut nanos = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        for pos in &all {
            found += usize::from(mate::mate_in_one(std::hint::black_box(pos)).is_some());
        }
        nanos = nanos.min(start.elapsed().as_nanos() as f64 / all.len() as f64);
    }
    println!(
        "{} positions, {} with a mate: {nanos:.1} ns a call, the best of {rounds} rounds",
        all.len(),
        found / rounds
    );
    if std::env::args().nth(3).is_some() {
        return;
    }
    if let Some(nanos) = along_games(calls) {
        println!("along games, the position just played: {nanos:.1} ns a call");
    }
    let mut list = MoveList::new();
    let mut checks = 0;
    let mut nanos = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        for pos in &all {
            list.clear();
            std::hint::black_box(pos).generate(Gen::Checks, &mut list);
            checks += list.len();
        }
        nanos = nanos.min(start.elapsed().as_nanos() as f64 / all.len() as f64);
    }
    println!("for comparison, listing the checks ({}): {nanos:.1} ns", checks / rounds);
}
