//! A look into a server's data file from another program: what the status page tells, as far as the
//! file knows it. Nothing is written.

use crate::{status_json, store};
use kifu::{NodeId, Record, Replay};
use rules::Color;
use serde_json::{Value, json};
use server::lobby::TournamentResult;
use server::rating::Method;
use server::tournament::{Game, Pair, standings};
use std::path::Path;

/// Finished games listed.
const LATEST: usize = 200;

fn open(path: &Path) -> Result<rusqlite::Connection, String> {
    // Opening makes a file where there is none.
    if !path.is_file() {
        return Err(format!("{} does not exist", path.display()));
    }
    store::reader(path).map_err(|e| e.to_string())
}

/// Games, standings, ratings and records.
pub fn overview(path: &Path) -> Result<Value, String> {
    let connection = open(path)?;
    let read = || -> Result<Value, store::Error> {
        let running: Vec<Value> =
            store::unfinished(&connection)?.into_iter().flatten().map(|g| game(&g)).collect();
        let records = store::latest(&connection, LATEST)?;
        let ratings = status_json::ratings(&connection, &Method::default())?;
        Ok(json!({
            "status": { "connections": null, "players": null, "running": running.len() },
            "games": running,
            "standings": tables(&store::scores(&connection)?),
            "ratings": ratings,
            "records": records,
        }))
    };
    read().map_err(|e| e.to_string())
}

/// A game, running or over.
pub fn record(path: &Path, id: &str) -> Result<Option<Record>, String> {
    let connection = open(path)?;
    let found = store::game(&connection, id).map_err(|e| e.to_string())?;
    Ok(found.map(|game| game.record()))
}

fn game(game: &store::StoredGame) -> Value {
    let record = game.record();
    let last = record.line_from(NodeId::ROOT).last().unwrap_or(NodeId::ROOT);
    let mut replay = Replay::new(&record);
    replay.go_to(&record, last);
    let position = replay.position();
    let turn = if position.turn() == Color::Black { "black" } else { "white" };
    let conditions = &game.conditions;
    json!({
        "id": conditions.id, "event": conditions.event,
        "black": conditions.names[0], "white": conditions.names[1],
        "moves": game.moves.len(), "sfen": position.sfen(), "turn": turn, "running": true,
        "black_seconds": null, "white_seconds": null, "watchers": null,
        "last": replay.last_move(&record).map(|m| m.usi(position.game())),
    })
}

/// The table of the latest stage of every event.
fn tables(scores: &[TournamentResult]) -> Vec<Value> {
    let mut events: Vec<&str> = scores.iter().map(|s| s.event.as_str()).collect();
    events.dedup();
    events.into_iter().map(|event| table(event, scores)).collect()
}

fn table(event: &str, scores: &[TournamentResult]) -> Value {
    let of_event = || scores.iter().filter(|s| s.event == event);
    let stage = of_event().map(|s| s.stage).max().unwrap_or(0);
    let rows: Vec<&TournamentResult> = of_event().filter(|s| s.stage == stage).collect();
    let mut names: Vec<&str> = Vec::new();
    for name in rows.iter().flat_map(|s| [s.black.as_str(), s.white.as_str()]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let seed = |name: &str| names.iter().position(|n| *n == name).unwrap_or(0);
    let games: Vec<Game> = rows
        .iter()
        .map(|s| Game {
            round: s.round,
            pair: Pair { black: seed(&s.black), white: seed(&s.white) },
            winner: s.winner,
        })
        .collect();
    let half = |n: u32| f64::from(n) / 2.0;
    let standings: Vec<Value> = standings(names.len(), &games)
        .iter()
        .enumerate()
        .map(|(rank, row)| {
            json!({ "rank": rank + 1, "name": names[row.seed], "points": half(row.points),
                "solkoff": half(row.solkoff), "berger": half(row.berger), "median": half(row.median),
                "direct": row.direct, "wins": row.games[0], "draws": row.games[1],
                "losses": row.games[2] })
        })
        .collect();
    let round = rows.iter().map(|s| s.round + 1).max();
    json!({ "event": event, "stage": stage + 1, "round": round, "standings": standings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Durability;

    fn score(round: usize, black: &str, white: &str, winner: Option<Color>) -> TournamentResult {
        let (black, white) = (black.to_owned(), white.to_owned());
        TournamentResult {
            event: "cup".to_owned(),
            stage: 0,
            round,
            black,
            white,
            winner,
            game: None,
        }
    }

    #[test]
    fn a_table_is_made_of_results() {
        let scores = [
            score(0, "a", "b", Some(Color::Black)),
            score(0, "c", "d", None),
            score(1, "c", "a", Some(Color::White)),
        ];
        let told = tables(&scores);
        assert_eq!(told.len(), 1);
        assert_eq!((&told[0]["round"], &told[0]["stage"]), (&json!(2), &json!(1)));
        let first = &told[0]["standings"][0];
        assert_eq!((&first["name"], &first["points"]), (&json!("a"), &json!(2.0)));
    }

    #[test]
    fn an_empty_file_and_none_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sqlite");
        assert!(overview(&path).is_err() && !path.exists());
        drop(store::Store::open(&path, Durability::Process).unwrap());
        let told = overview(&path).unwrap();
        assert_eq!((&told["games"], &told["records"]), (&json!([]), &json!([])));
        assert_eq!(record(&path, "x"), Ok(None));
    }
}
