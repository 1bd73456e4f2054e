//! A look into a server's data file from another program: what the status page tells, as far as the
//! file knows it. Nothing is written.

use crate::status_json::{self, RatingRow, StandingRow};
use crate::store::{self, FinishedGame};
use kifu::{NodeId, Record, Replay};
use play::Side;
use serde::Serialize;
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

/// What a data file knows of its server. Fields are named as on the status pages, so that whoever
/// reads those reads this.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Overview {
    pub status: ServerTotals,
    pub games: Vec<UnfinishedGame>,
    pub standings: Vec<EventTable>,
    pub ratings: Vec<RatingRow>,
    pub records: Vec<FinishedGame>,
}

/// The server as a whole.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ServerTotals {
    pub running: usize,
}

/// A game that is not over; its clocks are known to the server alone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct UnfinishedGame {
    pub id: String,
    pub event: String,
    pub black: String,
    pub white: String,
    pub moves: usize,
    pub last_move: Option<String>,
    pub sfen: String,
    pub turn: Side,
    pub running: bool,
}

/// The table of the latest stage of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EventTable {
    pub event: String,
    pub stage: usize,
    /// The last that has a result, from 1.
    pub round: Option<usize>,
    pub standings: Vec<StandingRow>,
}

/// Games, standings, ratings and records.
pub fn overview(path: &Path) -> Result<Overview, String> {
    let connection = open(path)?;
    let read = || -> Result<Overview, store::Error> {
        let games: Vec<UnfinishedGame> =
            store::unfinished(&connection)?.into_iter().flatten().map(|g| game(&g)).collect();
        Ok(Overview {
            status: ServerTotals { running: games.len() },
            games,
            standings: tables(&store::scores(&connection)?),
            ratings: status_json::ratings(&connection, &Method::default())?,
            records: store::latest(&connection, LATEST)?,
        })
    };
    read().map_err(|e| e.to_string())
}

/// A game, running or over.
pub fn record(path: &Path, id: &str) -> Result<Option<Record>, String> {
    let connection = open(path)?;
    let found = store::game(&connection, id).map_err(|e| e.to_string())?;
    Ok(found.map(|game| game.record()))
}

fn game(game: &store::StoredGame) -> UnfinishedGame {
    let record = game.record();
    let last = record.line_from(NodeId::ROOT).last().unwrap_or(NodeId::ROOT);
    let mut replay = Replay::new(&record);
    replay.go_to(&record, last);
    let position = replay.position();
    let [black, white] = game.conditions.names.clone();
    UnfinishedGame {
        id: game.conditions.id.clone(),
        event: game.conditions.event.clone(),
        black,
        white,
        moves: game.moves.len(),
        last_move: replay.last_move(&record).map(|m| m.usi(position.game())),
        sfen: position.sfen(),
        turn: position.turn().into(),
        running: true,
    }
}

/// The table of the latest stage of every event.
fn tables(scores: &[TournamentResult]) -> Vec<EventTable> {
    let mut events: Vec<&str> = scores.iter().map(|s| s.event.as_str()).collect();
    events.dedup();
    events.into_iter().map(|event| table(event, scores)).collect()
}

fn table(event: &str, scores: &[TournamentResult]) -> EventTable {
    let of_event = || scores.iter().filter(|s| s.event == event);
    let stage = of_event().map(|s| s.stage).max().unwrap_or(0);
    let rows: Vec<&TournamentResult> = of_event().filter(|s| s.stage == stage).collect();
    let mut names: Vec<String> = Vec::new();
    for name in rows.iter().flat_map(|s| [&s.black, &s.white]) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let seed = |name: &str| names.iter().position(|n| n == name).unwrap_or(0);
    let games: Vec<Game> = rows
        .iter()
        .map(|s| Game {
            round: s.round,
            pair: Pair { black: seed(&s.black), white: seed(&s.white) },
            winner: s.winner,
        })
        .collect();
    EventTable {
        event: event.to_owned(),
        stage: stage + 1,
        round: rows.iter().map(|s| s.round + 1).max(),
        standings: status_json::table(&names, &standings(names.len(), &games)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Durability;
    use rules::Color;

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
        assert_eq!((told[0].round, told[0].stage), (Some(2), 1));
        let first = &told[0].standings[0];
        assert_eq!((first.name.as_deref(), first.points), (Some("a"), 2.0));
    }

    #[test]
    fn an_empty_file_and_none_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sqlite");
        assert!(overview(&path).is_err() && !path.exists());
        drop(store::Store::open(&path, Durability::Process).unwrap());
        let told = overview(&path).unwrap();
        assert!(told.games.is_empty() && told.records.is_empty());
        assert_eq!(record(&path, "x"), Ok(None));
    }
}
