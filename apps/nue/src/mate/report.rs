//! What is printed about problems: a page for one, a table for many, JSON for programs.

use super::Solved;
use super::problems::Problem;
use crate::board;
use ::mate::{Try, Verdict};
use rules::{AnyPosition, Color, Game, Hand, Kind, Move, Piece};
use serde_json::{Value, json};
use std::io::{self, Write};

fn usi(game: Game, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|m| m.usi(game)).collect()
}

/// The verdict in words.
fn verdict(solved: &Solved) -> String {
    let s = &solved.solution;
    match s.verdict {
        Verdict::Mate => {
            let certain = if s.is_shortest { " (shortest)" } else { "" };
            format!("mate in {}{certain}", s.line.len())
        }
        Verdict::NoMate => "no mate".to_owned(),
        Verdict::Unknown(why) => format!("unknown: {why}"),
    }
}

/// One problem for a person.
pub(crate) fn page(
    out: &mut impl Write,
    position: &AnyPosition,
    solved: &Solved,
    branches: bool,
) -> io::Result<()> {
    let game = position.game();
    let s = &solved.solution;
    writeln!(out, "{}\n", board::draw(position))?;
    writeln!(out, "{}", verdict(solved))?;
    if s.verdict == Verdict::Mate {
        if solved.counted.is_none() && s.plain_plies < s.line.len() {
            writeln!(out, "without futile interpositions: {}", s.plain_plies)?;
        }
        for (i, m) in usi(game, &s.line).chunks(2).enumerate() {
            writeln!(out, "{:>5}. {}", 2 * i + 1, m.join(" "))?;
        }
        let mut end = position.clone();
        for &m in &s.line {
            end.play(m);
        }
        let left = end.hand(position.turn());
        if !left.is_empty() {
            writeln!(out, "pieces left over: {}", hand(left))?;
        }
    }
    details(out, game, solved, branches)?;
    match &solved.proof {
        Some(Ok(path)) => writeln!(out, "proof in {}", path.display())?,
        Some(Err(why)) => writeln!(out, "{why}")?,
        None => {}
    }
    writeln!(out, "{} nodes, {:.3} s", s.nodes, solved.seconds)
}

/// A hand as SFEN writes Black's.
fn hand(hand: Hand) -> String {
    let mut text = String::new();
    for kind in Kind::HAND.into_iter().rev().filter(|&k| hand.has(k)) {
        let n = hand.count(kind);
        text += &if n > 1 { n.to_string() } else { String::new() };
        text += &Piece::new(Color::Black, kind).sfen();
    }
    text
}

/// What was asked for besides the answer.
fn details(out: &mut impl Write, game: Game, solved: &Solved, branches: bool) -> io::Result<()> {
    match &solved.counted {
        Some(Ok(c)) => {
            let certain = if c.is_shortest { " (shortest)" } else { "" };
            let moves = usi(game, &c.line);
            let shown =
                |(m, &free): (&String, &bool)| if free { format!("({m})") } else { m.clone() };
            let line: Vec<String> = moves.iter().zip(&c.free).map(shown).collect();
            let line = line.join(" ");
            writeln!(
                out,
                "futile interpositions by {:?}: mate in {}{certain}: {line}",
                c.futile.name(),
                c.plies
            )?;
        }
        Some(Err(why)) => writeln!(out, "futile interpositions: {why}")?,
        None => {}
    }
    if branches {
        for b in &solved.solution.branches {
            let (reply, answer) = (b.reply.usi(game), b.answer.usi(game));
            writeln!(out, "at {:>3}: {reply} {answer} … mate in {}", b.at + 1, b.plies)?;
        }
    }
    tries(out, game, "first move", &solved.first_moves)?;
    tries(out, game, "also mates", &solved.cooks)
}

fn tries(out: &mut impl Write, game: Game, title: &str, tries: &[Try]) -> io::Result<()> {
    for t in tries {
        let end = match t.verdict {
            Verdict::Mate => format!("mate in {}", t.plies),
            Verdict::NoMate => "no mate".to_owned(),
            Verdict::Unknown(why) => format!("unknown: {why}"),
        };
        let at = if t.at > 0 { format!(" at {}", t.at + 1) } else { String::new() };
        writeln!(out, "{title}{at}: {} {end}", t.m.usi(game))?;
    }
    Ok(())
}

/// The head of the table of a collection.
pub(crate) fn table_head(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{:24} {:>24} {:>12} {:>9}  first move", "problem", "answer", "nodes", "seconds")
}

/// One line of the table.
pub(crate) fn row(
    out: &mut impl Write,
    problem: &Problem,
    solved: &Solved,
    branches: bool,
) -> io::Result<()> {
    let s = &solved.solution;
    let game = problem.position.as_ref().map_or(Game::Shogi, AnyPosition::game);
    let first = s.line.first().map_or(String::new(), |m| m.usi(game));
    writeln!(
        out,
        "{:24} {:>24} {:>12} {:>9.3}  {first}",
        problem.short_name(24),
        verdict(solved),
        s.nodes,
        solved.seconds
    )?;
    details(out, game, solved, branches)?;
    if let Some(Err(why)) = &solved.proof {
        writeln!(out, "{:24} {why}", "")?;
    }
    Ok(())
}

/// A problem that is none.
pub(crate) fn unreadable(
    out: &mut impl Write,
    as_json: bool,
    problem: &Problem,
    error: &str,
) -> io::Result<()> {
    if as_json {
        return writeln!(out, "{}", json!({"name": problem.name, "error": error}));
    }
    writeln!(out, "{:24} {error}", problem.short_name(24))
}

/// One problem for a program.
pub(crate) fn json(
    out: &mut impl Write,
    problem: &Problem,
    position: &AnyPosition,
    solved: &Solved,
) -> io::Result<()> {
    let game = position.game();
    let s = &solved.solution;
    let word = |v: Verdict| match v {
        Verdict::Mate => "mate",
        Verdict::NoMate => "nomate",
        Verdict::Unknown(_) => "unknown",
    };
    let list = |tries: &[Try]| -> Vec<Value> {
        let one = |t: &Try| json!({"at": t.at, "move": t.m.usi(game), "answer": word(t.verdict), "plies": t.plies});
        tries.iter().map(one).collect()
    };
    let mut value = json!({
        "name": problem.name,
        "game": game.to_string(),
        "sfen": position.sfen(),
        "answer": word(s.verdict),
        "nodes": s.nodes,
        "seconds": solved.seconds,
    });
    if let Verdict::Unknown(why) = s.verdict {
        value["reason"] = json!(why.to_string());
    }
    if s.verdict == Verdict::Mate {
        value["plies"] = json!(s.line.len());
        value["plain_plies"] = json!(s.plain_plies);
        value["shortest"] = json!(s.is_shortest);
        value["line"] = json!(usi(game, &s.line));
        let branch = |b: &::mate::Branch| {
            json!({"at": b.at, "reply": b.reply.usi(game), "plies": b.plies,
                   "answer": b.answer.usi(game)})
        };
        value["branches"] = s.branches.iter().map(branch).collect();
    }
    match &solved.counted {
        Some(Ok(c)) => {
            value["counted"] = json!({"futile": c.futile.name(), "plies": c.plies,
                "shortest": c.is_shortest, "line": usi(game, &c.line), "free": c.free});
        }
        Some(Err(why)) => value["counted"] = json!({"error": why.to_string()}),
        None => {}
    }
    if !solved.first_moves.is_empty() {
        value["first_moves"] = json!(list(&solved.first_moves));
    }
    if !solved.cooks.is_empty() {
        value["cooks"] = json!(list(&solved.cooks));
    }
    match &solved.proof {
        Some(Ok(path)) => value["proof"] = json!(path.to_string_lossy()),
        Some(Err(why)) => value["proof_error"] = json!(why),
        None => {}
    }
    writeln!(out, "{value}")
}
