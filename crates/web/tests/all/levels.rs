//! Whether levels are what they say: a beginner beats the first, and loses to stronger ones.

use crate::harness::example;
use board::game::Game;
use board::opponent;
use board::question::Lines;
use board::setup::GameSettings;
use engines::SearchHandle;
use play::Reason;
use rules::{AnyPosition, Color, Kind, Move, Piece};
use seed::Rng;
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use think::{Answer, ManualTime, TimeSource};
use web::pool::PoolEngine;

fn worth(piece: Piece) -> i32 {
    match piece.kind() {
        None => 0,
        Some(Kind::Pawn) => 1,
        Some(Kind::Lance | Kind::Knight) => 3,
        Some(Kind::Silver | Kind::Gold) => 5,
        Some(Kind::Bishop | Kind::Rook) => 9,
        Some(Kind::King) => 0,
        Some(Kind::Horse | Kind::Dragon) => 12,
        Some(_) => 6,
    }
}

/// Somebody who takes what can be taken, keeps what would be taken next, mates in one, and otherwise
/// moves about.
fn beginner(position: &AnyPosition, chance: &mut Rng) -> Option<Move> {
    let mut best: Option<(i32, Move)> = None;
    let mut at = position.clone();
    for &m in &position.legal_moves() {
        let won = worth(position.piece_at(m.to())) + i32::from(m.is_promotion()) * 2;
        at.play(m);
        let replies = at.legal_moves();
        let mates = replies.is_empty();
        let lost = replies.iter().map(|r| worth(at.piece_at(r.to()))).max().unwrap_or(0);
        let check = i32::from(at.in_check());
        at.undo();
        let whim = chance.below(10) as i32;
        let value = if mates { 1_000_000 } else { 100 * (won - lost) + 50 * check + whim };
        if best.is_none_or(|(known, _)| value > known) {
            best = Some((value, m));
        }
    }
    best.map(|(_, m)| m)
}

fn material(position: &AnyPosition, color: Color) -> i32 {
    let board: i32 = rules::Square::all(position.game())
        .map(|sq| position.piece_at(sq))
        .filter(|piece| piece.is_of(color))
        .map(worth)
        .sum();
    let hand = position.hand(color);
    let held: i32 =
        Kind::HAND.iter().map(|&k| hand.count(k) as i32 * worth(Piece::new(color, k))).sum();
    board + held
}

/// A game of the beginner, who is Black; how far ahead it is at the end, a mate counting a hundred.
fn play(level: u32, seed: u64) -> i32 {
    // Time stands still: only nodes and plies bound the search, and the game is always the same.
    let time: Arc<dyn TimeSource> = Arc::new(ManualTime::new());
    let clock = Arc::clone(&time);
    let factory =
        move |game| assembly::search(game, &assembly::Evaluation::Material, Arc::clone(&clock));
    let mut engine = PoolEngine::own(Arc::new(factory), time, 4);
    let settings: GameSettings =
        serde_json::from_value(json!({ "opponent": { "level": level }, "maxMoves": 160 })).unwrap();
    let mut game = Game::new(settings.resolve(&|_| None, seed).unwrap()).unwrap();
    let (mut chance, now) = (Rng::new(seed), Duration::ZERO);
    while game.ending().is_none() {
        if game.engine_to_move() {
            let asked = opponent::ask(&game).unwrap();
            let mut lines = Lines::default();
            let handle = SearchHandle::new();
            let answer = engine.ask(&asked.question, 1, &handle, &mut |i| lines.update(i)).unwrap();
            match opponent::decide(&game, answer, &lines) {
                Answer::Move(m) => game.answer(m, Duration::ZERO, now).unwrap(),
                Answer::Resign => game.engine_ends(false, now),
                Answer::Win => game.engine_ends(true, now),
            }
        } else {
            let m = beginner(game.position(), &mut chance).unwrap();
            game.play(game.setup().you, &m.usi(rules::Game::Shogi), None, now).unwrap();
        }
    }
    let ending = game.ending().unwrap();
    let lead = material(game.position(), Color::Black) - material(game.position(), Color::White);
    match (ending.reason, ending.winner()) {
        (Reason::Mate | Reason::Resign, Some(Color::Black)) => lead + 100,
        (_, Some(Color::White)) => lead - 100,
        _ => lead,
    }
}

#[test]
fn a_beginner_beats_the_first_level() {
    let leads: Vec<i32> = (1..=4).map(|seed| play(1, seed)).collect();
    let won = leads.iter().filter(|lead| **lead > 10).count();
    assert!(won >= 3, "{leads:?}");
}

#[test]
fn and_loses_to_the_sixth() {
    let leads: Vec<i32> = (1..=2).map(|seed| play(6, seed)).collect();
    assert!(leads.iter().all(|lead| *lead < -50), "{leads:?}");
}

/// What the example `level` answers after these moves where the program behind it lies.
fn answered(level: &str, moves: &str) -> String {
    let mut child = Command::new(example("level"))
        .arg(level)
        .arg(example("dummy"))
        .arg("lie")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = format!(
        "usi\nisready\nusinewgame\nposition startpos moves {moves}\ngo movetime 100\nquit\n"
    );
    child.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
    let told = child.wait_with_output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    let words: Vec<&str> = told.lines().collect();
    assert!(words.contains(&"usiok") && words.contains(&"readyok"), "{told}");
    words.last().unwrap().strip_prefix("bestmove ").unwrap().to_owned()
}

#[test]
fn a_level_as_a_program_answers_what_the_level_makes_of_the_lines() {
    let mut position = AnyPosition::startpos(rules::Game::Shogi);
    position.play(position.parse_usi("7g7f").unwrap());
    // The first level draws among lines and legal moves, and every level in its opening.
    for level in ["1", "10"] {
        let drawn = answered(level, "7g7f");
        assert!(position.parse_usi(&drawn).is_ok_and(|m| position.is_legal(m)), "{drawn}");
    }
    // Later the last one takes the program's word.
    let late = ["5i5h", "5a5b", "5h5i", "5b5a"].repeat(15).join(" ");
    assert_eq!(answered("10", &late), "1a9i+");
}
