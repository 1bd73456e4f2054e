//! A match from its files, while it is played or afterwards.

use arena::ledger::{Entry, journal_path};
use arena::live::{self, LiveGame};
use arena::stats::{Estimate, Interval, MatchScore, PairCounter};
use board::watch::{self, CurvePoint, EngineScore, Match, MatchGame, PairingScore, RunningGame};
use kifu::{ReadOptions, Reader, Record, Replay};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Places of the curve.
const PLACES: usize = 500;

/// Games listed.
const LATEST: usize = 50;

/// Largest journal that is read.
const LARGEST: u64 = 64 << 20;

/// A match that was written to this long ago may still go on.
const LIVE: Duration = Duration::from_secs(600);

/// How it stands.
pub(super) fn look(games: &Path, name: &str) -> Match {
    let path = journal_path(games);
    let (standing, error) = match read(&path) {
        Ok((plan, entries)) => (standing(&plan, &entries), None),
        Err(error) => (Match::default(), Some(error)),
    };
    let running: Vec<RunningGame> = live::read(games).iter().filter_map(running).collect();
    let live = is_fresh(&path) || !running.is_empty();
    Match { name: name.to_owned(), live, error, running, ..standing }
}

fn record(csa: &[u8]) -> Option<Record> {
    Reader::new("game.csa", csa, ReadOptions::default()).next()?.ok()
}

fn running(game: &LiveGame) -> Option<RunningGame> {
    let record = record(game.csa.as_bytes())?;
    let mut replay = Replay::new(&record);
    if let Some(last) = record.line_from(kifu::NodeId::ROOT).last() {
        replay.go_to(&record, last);
    }
    let position = replay.position();
    let moves = record.moves();
    Some(RunningGame {
        game: game.game,
        players: game.players.clone(),
        moves: moves.len() as u32,
        sfen: position.sfen(),
        last: moves.last().map(|m| m.usi(record.game())),
        turn: position.turn().into(),
        left: game.left,
        since: game.since,
    })
}

fn is_fresh(path: &Path) -> bool {
    let modified = fs::metadata(path).and_then(|m| m.modified());
    modified.is_ok_and(|m| SystemTime::now().duration_since(m).is_ok_and(|age| age < LIVE))
}

/// The plan and the games so far; a line that is not whole yet is left out.
fn read(path: &Path) -> Result<(Value, Vec<Entry>), String> {
    let failed = |e: std::io::Error| e.to_string();
    let file = fs::File::open(path).map_err(failed)?;
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).map_err(failed)?;
    let mut lines = text.lines();
    let head: Value = lines
        .next()
        .and_then(|line| serde_json::from_str(line).ok())
        .ok_or("this is not the journal of a match")?;
    let entries = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
    Ok((head["plan"].clone(), entries))
}

fn standing(plan: &Value, entries: &[Entry]) -> Match {
    let names: Vec<String> = plan["engines"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|engine| engine["name"].as_str().unwrap_or_default().to_owned())
        .collect();
    let mut tallies: BTreeMap<(usize, usize), PairCounter> = BTreeMap::new();
    let mut curve = Vec::new();
    let mut points = 0.0;
    for entry in entries {
        let seats = entry.players.each_ref().map(|n| names.iter().position(|name| name == n));
        let [Some(black), Some(white)] = seats else { continue };
        let pair = (black.min(white), black.max(white));
        let first_is_black = black < white;
        let half_points = match entry.winner.as_str() {
            "draw" => 1,
            winner if (winner == "black") == first_is_black => 2,
            _ => 0,
        };
        tallies.entry(pair).or_default().add(entry.game / 2, half_points);
        if pair == (0, 1) {
            points += f64::from(half_points) / 2.0;
            curve.push(CurvePoint { game: curve.len() as u32 + 1, points });
        }
    }
    let step = curve.len().div_ceil(PLACES).max(1);
    let last = curve.len();
    let thinned: Vec<CurvePoint> = curve
        .into_iter()
        .enumerate()
        .filter(|(i, _)| (i + 1) % step == 0 || i + 1 == last)
        .map(|(_, place)| place)
        .collect();
    let total = |engine: usize| {
        tallies.iter().fold(MatchScore::default(), |sum, (&(a, b), tally)| match engine {
            e if e == a => sum.plus(tally.score()),
            e if e == b => sum.plus(&tally.score().reversed()),
            _ => sum,
        })
    };
    let engines = names.iter().enumerate();
    let engines =
        engines.map(|(i, name)| EngineScore { name: name.clone(), score: score(&total(i)) });
    let pairings = tallies.iter().map(|(&(a, b), tally)| PairingScore {
        engines: [names[a].clone(), names[b].clone()],
        score: score(tally.score()),
    });
    let latest = entries.iter().rev().take(LATEST).map(|e| MatchGame {
        game: e.game,
        players: e.players.clone(),
        winner: e.winner.clone(),
        end: e.end.clone(),
        plies: e.plies,
        millis: e.millis,
    });
    Match {
        games: entries.len() as u32,
        engines: engines.collect(),
        pairings: pairings.collect(),
        curve: thinned,
        latest: latest.collect(),
        ..Match::default()
    }
}

fn score(score: &MatchScore) -> watch::MatchScore {
    let estimate = Estimate::of(score);
    watch::MatchScore {
        wins: score.wins,
        draws: score.draws,
        losses: score.losses,
        elo: estimate.map(|e| bounds(&e.elo)),
        los: estimate.map(|e| e.superiority),
    }
}

/// JSON has no infinity: a bound that does not exist is null.
fn bounds(interval: &Interval) -> watch::Interval {
    let finite = |number: f64| number.is_finite().then_some(number);
    [finite(interval.low), finite(interval.mid), finite(interval.high)]
}

/// A game by its number, finished or being played.
pub(super) fn game(games: &Path, number: u64) -> Option<Record> {
    finished(games, number).or_else(|| {
        let running = live::read(games).into_iter().find(|game| game.game == number)?;
        record(running.csa.as_bytes())
    })
}

fn finished(games: &Path, number: u64) -> Option<Record> {
    let path = journal_path(games);
    let text = fs::read_to_string(&path).ok()?;
    let mut from = None;
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).ok()?;
        if let Some(start) = value["start"].as_u64() {
            from = Some(start);
            continue;
        }
        let end = value["length"].as_u64()?;
        if value["game"].as_u64() == Some(number) {
            let from = from?;
            let mut file = fs::File::open(games).ok()?;
            file.seek(SeekFrom::Start(from)).ok()?;
            let mut bytes = Vec::new();
            file.take(end.checked_sub(from)?).read_to_end(&mut bytes).ok()?;
            let bytes = bytes.strip_prefix(b"/\n").unwrap_or(&bytes);
            return record(bytes);
        }
        from = Some(end);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_match_on_disk_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games.csa");
        let game = |m: &str| format!("V2.2\nN+a\nN-b\nPI\n+\n{m}\n%TORYO\n");
        let (one, two) = (game("+7776FU"), format!("/\n{}", game("+2726FU")));
        fs::write(&games, format!("{one}{two}")).unwrap();
        let lines = format!(
            "{}\n{}\n{}\n{{\"game\":2,\"pl",
            json!({ "journal": 1, "start": 0, "plan": { "engines": [{ "name": "a" }, { "name": "b" }] } }),
            json!({ "game": 0, "players": ["a", "b"], "winner": "black", "end": "resign", "plies": 1,
                "millis": 5, "length": one.len() }),
            json!({ "game": 1, "players": ["b", "a"], "winner": "draw", "end": "max-moves", "plies": 1,
                "millis": 5, "length": one.len() + two.len() }),
        );
        fs::write(journal_path(&games), lines).unwrap();
        let standing = json!(look(&games, "games.csa"));
        assert_eq!(
            (&standing["games"], &standing["live"], &standing["error"]),
            (&json!(2), &json!(true), &Value::Null)
        );
        assert_eq!(standing["engines"][0]["wins"], 1);
        assert_eq!(standing["pairings"][0]["draws"], 1);
        assert_eq!(standing["curve"][1], json!({ "game": 2, "points": 1.5 }));
        assert_eq!(standing["latest"][0]["game"], 1);
        let second = super::game(&games, 1).unwrap();
        assert_eq!(second.moves()[0].usi(rules::Game::Shogi), "2g2f");
        assert!(super::game(&games, 7).is_none());
        // A third one is being played, by whoever holds the journal.
        let csa = game("+5756FU\n-3334FU").replace("%TORYO\n", "");
        let told = json!([{ "game": 2, "players": ["a", "b"], "left": [9000, null], "since": 5, "csa": csa }]);
        fs::write(live::live_path(&games), told.to_string()).unwrap();
        assert_eq!(json!(look(&games, "games.csa"))["running"], json!([]), "nobody plays");
        let lock = durable::Lock::exclusive(&journal_path(&games)).unwrap().unwrap();
        let running = json!(look(&games, "games.csa"))["running"].clone();
        assert_eq!((&running[0]["moves"], &running[0]["last"]), (&json!(2), &json!("3c3d")));
        assert_eq!(
            (&running[0]["turn"], &running[0]["left"]),
            (&json!("black"), &json!([9000, null]))
        );
        assert_eq!(super::game(&games, 2).unwrap().moves().len(), 2);
        drop(lock);
        fs::write(journal_path(&games), "not a journal").unwrap();
        assert!(look(&games, "x").error.is_some());
    }
}
