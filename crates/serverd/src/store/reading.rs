//! What is read from the data file, by its writer and by any number of others.

use super::{
    ADJUDICATED, ANNULLED, Error, FIELD, StoredGame, color, damaged, ending, index, rule, time,
};
use csa::ReasonWord;
use csa::record::{Finish, RecordedMove};
use play::{Ending, Outcome, Side};
use rules::{AnyPosition, Game};
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;
use server::Conditions;
use server::lobby::{Note, NoteKind, Order, TournamentResult};
use server::rating;

const COLUMNS: &str = "key, id, event, black, white, game, start, black_time, white_time, max_moves, \
                       declaration, rated, interruptions, black_interrupted, white_interrupted, started, \
                       ended, reason, winner, last, last_time, abandoned";

/// The columns of a game; files of earlier servers have no ratings.
fn columns(connection: &Connection) -> Result<String, Error> {
    let sql = "SELECT COUNT(*) FROM pragma_table_info('games') WHERE name = 'black_rating'";
    let known: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    let ratings = if known > 0 { "black_rating, white_rating" } else { "NULL, NULL" };
    Ok(format!("{COLUMNS}, {ratings}"))
}

fn game_of(row: &Row<'_>) -> Result<(i64, StoredGame), Error> {
    let game: Game = row.get::<_, String>(5)?.parse().map_err(|_| damaged("game"))?;
    let start: String = row.get(6)?;
    let start = AnyPosition::from_sfen(game, &start).map_err(|_| damaged("start"))?;
    let black = rule(&row.get::<_, String>(7)?).ok_or_else(|| damaged("clock"))?;
    let white = rule(&row.get::<_, String>(8)?).ok_or_else(|| damaged("clock"))?;
    let declaration = row.get::<_, String>(10)?.parse().map_err(|_| damaged("declaration"))?;
    let reason: Option<String> = row.get(17)?;
    let last: Option<String> = row.get(19)?;
    let last_time: Option<i64> = row.get(20)?;
    let finish = match reason.as_deref() {
        None => None,
        Some(ADJUDICATED) => {
            let outcome = Outcome::of(color(row.get(18)?));
            Some(Finish {
                ending: Ending { outcome, reason: play::Reason::Adjudicated },
                last: None,
            })
        }
        Some(ANNULLED) => {
            Some(Finish { ending: Ending::unknown(play::Reason::Adjudicated), last: None })
        }
        Some(word) => Some(Finish {
            ending: ending(
                ReasonWord::from_word(word).ok_or_else(|| damaged("reason"))?,
                color(row.get(18)?),
                row.get::<_, Option<bool>>(21)?.unwrap_or(false),
            ),
            last: last.map(|text| (text, time(last_time.unwrap_or(0)))),
        }),
    };
    let conditions = Conditions {
        id: row.get(1)?,
        event: row.get(2)?,
        names: [row.get(3)?, row.get(4)?],
        times: [black, white],
        start,
        max_moves: row.get(9)?,
        declaration,
        rated: row.get(11)?,
        ratings: [row.get(22)?, row.get(23)?],
        interruptions: row.get(12)?,
    };
    let game = StoredGame {
        conditions,
        started: row.get(15)?,
        ended: row.get(16)?,
        finish,
        moves: Vec::new(),
        interrupted: [row.get(13)?, row.get(14)?],
    };
    Ok((row.get(0)?, game))
}

fn moves_of(connection: &Connection, key: i64) -> Result<Vec<RecordedMove>, Error> {
    let sql = "SELECT text, time, comment FROM moves WHERE game = ?1 ORDER BY number";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([key], |row| {
        Ok(RecordedMove { text: row.get(0)?, time: time(row.get(1)?), comment: row.get(2)? })
    })?;
    rows.collect()
}

/// Games that were not over, with their moves; a row that cannot be read is told and left alone.
pub(crate) fn unfinished(connection: &Connection) -> Result<Vec<Result<StoredGame, Error>>, Error> {
    let columns = columns(connection)?;
    let sql = format!("SELECT {columns} FROM games WHERE ended IS NULL ORDER BY key");
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| Ok(game_of(row)))?;
    rows.map(|row| {
        Ok(row?.and_then(|(key, mut game)| {
            game.moves = moves_of(connection, key)?;
            Ok(game)
        }))
    })
    .collect()
}

/// One game with its moves.
pub fn game(connection: &Connection, id: &str) -> Result<Option<StoredGame>, Error> {
    let columns = columns(connection)?;
    let sql = format!("SELECT {columns} FROM games WHERE id = ?1");
    let found =
        connection.prepare_cached(&sql)?.query_row([id], |row| Ok(game_of(row))).optional()?;
    match found {
        None => Ok(None),
        Some(row) => {
            let (key, mut game) = row?;
            game.moves = moves_of(connection, key)?;
            Ok(Some(game))
        }
    }
}

/// Ids of all games.
pub(crate) fn ids(connection: &Connection) -> Result<Vec<String>, Error> {
    connection.prepare("SELECT id FROM games")?.query_map([], |row| row.get(0))?.collect()
}

/// Ids of games that are over and have no record yet.
pub(crate) fn unrecorded(connection: &Connection) -> Result<Vec<String>, Error> {
    let sql = "SELECT id FROM games WHERE ended IS NOT NULL AND recorded = 0 ORDER BY key";
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// A game that is over, without its moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FinishedGame {
    pub id: String,
    pub event: String,
    pub black: String,
    pub white: String,
    /// Seconds since 1970.
    pub started: i64,
    pub ended: i64,
    /// The word of the CSA protocol.
    pub reason: String,
    pub winner: Option<Side>,
    /// `shogi` or `minishogi`.
    pub game: String,
    pub rated: bool,
    pub abandoned: bool,
    pub moves: i64,
}

/// The latest games that are over.
pub(crate) fn latest(connection: &Connection, count: usize) -> Result<Vec<FinishedGame>, Error> {
    let sql = "SELECT id, event, black, white, started, ended, reason, winner, game, rated, abandoned, \
               (SELECT COUNT(*) FROM moves m WHERE m.game = g.key) FROM games g \
               WHERE ended IS NOT NULL ORDER BY ended DESC, key DESC LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([i64::try_from(count).unwrap_or(i64::MAX)], |row| {
        Ok(FinishedGame {
            id: row.get(0)?,
            event: row.get(1)?,
            black: row.get(2)?,
            white: row.get(3)?,
            started: row.get(4)?,
            ended: row.get(5)?,
            reason: row.get(6)?,
            winner: color(row.get(7)?).map(Into::into),
            game: row.get(8)?,
            rated: row.get(9)?,
            abandoned: row.get::<_, Option<bool>>(10)?.unwrap_or(false),
            moves: row.get(11)?,
        })
    })?;
    rows.collect()
}

/// The hash of somebody's password.
pub(crate) fn account(connection: &Connection, name: &str) -> Result<Option<String>, Error> {
    let sql = "SELECT hash FROM accounts WHERE name = ?1";
    connection.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()
}

/// Every account, and whether it has ever played.
pub(crate) fn accounts(connection: &Connection) -> Result<Vec<(String, bool)>, Error> {
    let sql = "SELECT name, EXISTS (SELECT 1 FROM games WHERE black = name OR white = name) \
               FROM accounts ORDER BY name";
    connection.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// What the lobby wrote down for itself; what no server of this version wrote is left alone.
pub(crate) fn notes(connection: &Connection) -> Result<Vec<Note>, Error> {
    let mut statement = connection.prepare("SELECT kind, key, fields FROM notes")?;
    let rows = statement.query_map([], |row| {
        let (kind, key, fields): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let fields = fields.split(FIELD).map(str::to_owned).collect();
        let note = |kind| Note { kind, key, fields: Some(fields) };
        Ok(NoteKind::from_word(&kind).map(note))
    })?;
    rows.filter_map(Result::transpose).collect()
}

/// The referee's latest orders, the last one first.
pub(crate) fn orders(connection: &Connection, count: usize) -> Result<Vec<Order>, Error> {
    let sql = "SELECT time, referee, text, answer FROM orders ORDER BY number DESC LIMIT ?1";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([i64::try_from(count).unwrap_or(i64::MAX)], |row| {
        Ok(Order {
            wall: row.get(0)?,
            referee: row.get(1)?,
            text: row.get(2)?,
            answer: row.get(3)?,
        })
    })?;
    rows.collect()
}

/// Ratings that were brought from another server.
pub(crate) fn imported(connection: &Connection) -> Result<Vec<(String, f64)>, Error> {
    let sql = "SELECT name, rating FROM imported_ratings ORDER BY name";
    connection.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Results of tournaments, in the order of their rounds.
pub(crate) fn scores(connection: &Connection) -> Result<Vec<TournamentResult>, Error> {
    let sql = "SELECT event, stage, round, black, white, winner, game FROM scores ORDER BY event, stage, round";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        Ok(TournamentResult {
            event: row.get(0)?,
            stage: index(row.get(1)?)?,
            round: index(row.get(2)?)?,
            black: row.get(3)?,
            white: row.get(4)?,
            winner: color(row.get(5)?),
            game: row.get(6)?,
        })
    })?;
    rows.collect()
}

/// Results that count for ratings, seen from that moment. A game somebody ran away from counts
/// only if it was more than thirty moves long, one that both left not at all.
pub(crate) fn results(
    connection: &Connection,
    wall: i64,
    days: f64,
) -> Result<Vec<rating::RatedGame>, Error> {
    let sql = "SELECT black, white, winner, ended FROM games g WHERE rated = 1 AND ended >= ?1 \
               AND reason <> 'ANNULLED' AND (abandoned = 0 OR winner IS NOT NULL AND (SELECT COUNT(*) FROM moves m WHERE m.game = g.key) > 30)";
    let oldest = wall - (days * 86_400.0) as i64;
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([oldest], |row| {
        let ended: i64 = row.get(3)?;
        Ok(rating::RatedGame {
            names: [row.get(0)?, row.get(1)?],
            winner: color(row.get(2)?),
            age: (wall - ended).max(0) as f64 / 86_400.0,
        })
    })?;
    rows.collect()
}
