//! Finds mate problems in games of the teacher format and writes the table of `board::tsume`:
//!
//!   cargo run --release -p board --example tsume -- games.teacher 150 4000 > crates/board/src/tsume.tsv
//!
//! with how many problems are wanted and how many games are looked at.
//!
//! A position is taken where a mate is proven to be as short as any and every move of the attacker before the last (of a
//! mate in one, the only move) is the only one that mates. These are positions of games, not compositions: what is
//! left in hand does not matter.

use mate::{Bounds, Questions, Verdict, study};
use rules::{AnyPosition, Game};
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Write};
use think::{Control, ManualTime};

/// Problems wanted of each length.
const LENGTHS: [usize; 6] = [1, 3, 5, 7, 9, 11];

/// How hard a problem is: by its length, and by how many checks there are at its beginning.
fn level(plies: usize, checks: usize) -> usize {
    let base = match plies {
        1 => 1,
        3 => 2,
        5 => 4,
        7 => 6,
        9 => 8,
        _ => 9,
    };
    base + usize::from(plies > 1 && checks > 6)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: tsume FILE.teacher PROBLEMS GAMES")?;
    let wanted: usize = arguments.next().ok_or("how many problems?")?.parse()?;
    let looked_at: usize = arguments.next().ok_or("in how many games?")?.parse()?;
    let each = wanted.div_ceil(LENGTHS.len());
    let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for game in teacher::Reader::new(BufReader::new(File::open(path)?))?.games().take(looked_at) {
        let game = game?;
        let plies = game.plies.len();
        let mut at: AnyPosition = game.start.clone();
        for (number, ply) in game.plies.iter().enumerate() {
            // A mate of up to eleven plies stands near the end, and whoever played there saw it.
            let winning = ply.score.is_some_and(|score| score > 1500);
            if winning
                && number + 14 > plies
                && at.game() == Game::Shogi
                && let Some((length, row)) = problem(&at)
            {
                let list = found.entry(length).or_default();
                // One of a game is enough.
                if list.len() < each && seen.insert(at.key()) {
                    list.push(row);
                    break;
                }
            }
            at.play(ply.mv);
        }
        if LENGTHS.iter().all(|length| found.get(length).is_some_and(|list| list.len() >= each)) {
            break;
        }
    }
    let mut out = std::io::stdout().lock();
    let mut rows: Vec<String> = found.into_values().flatten().collect();
    rows.sort_by_key(|row| row.split('\t').next().and_then(|level| level.parse::<usize>().ok()));
    for (number, row) in rows.iter().enumerate() {
        writeln!(out, "t{:03}\t{row}", number + 1)?;
    }
    Ok(())
}

/// The row of a position that makes a problem, with its length.
fn problem(position: &AnyPosition) -> Option<(usize, String)> {
    let checks = position.legal_moves().iter().filter(|m| position.gives_check(**m)).count();
    if checks < 3 || position.in_check() {
        return None;
    }
    let bounds = Bounds { nodes: Some(20_000), hash: 4 << 20, shortest: true, ..Bounds::default() };
    let questions = Questions { bounds, cooks: true, ..Questions::default() };
    let found = study(position, &questions, &Control::new(false), &ManualTime::new());
    let line = &found.solution.line;
    if found.solution.verdict != Verdict::Mate
        || !found.solution.is_shortest
        || !LENGTHS.contains(&line.len())
    {
        return None;
    }
    let last = line.len() - 1;
    // A mate in one with several answers is no problem either.
    let strict = if last == 0 { 1 } else { last };
    if found.cooks.iter().any(|t| t.at < strict && t.verdict != Verdict::NoMate) {
        return None;
    }
    let text: Vec<String> = line.iter().map(|m| m.usi(Game::Shogi)).collect();
    let sfen = position.without_history().sfen();
    Some((line.len(), format!("{}\t{sfen}\t{}", level(line.len(), checks), text.join(" "))))
}
