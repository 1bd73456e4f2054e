//! The one file in which everything lies that must not be lost.
//!
//! One connection writes, from one thread; every batch of entries is one transaction. In WAL mode
//! a committed transaction is in the hands of the operating system, so that the death of this
//! process loses nothing; waiting for the disk with every commit is a setting.

use crate::config::Durability;
use csa::record::{Finish, GameRecord, RecordedMove};
use csa::{Reason, TimeRule};
use play::{Ending, Outcome};
use rules::{AnyPosition, Color, Game};
use rusqlite::{Connection, OptionalExtension, Row, params};
use server::Conditions;
use server::calendar;
use server::lobby::{Score, Source, Stored};
use server::rating;
use server::room::{Entry, Room};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What goes wrong with the file.
pub type Error = rusqlite::Error;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS accounts (
  name TEXT PRIMARY KEY, hash TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
  key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, event TEXT NOT NULL,
  black TEXT NOT NULL, white TEXT NOT NULL, game TEXT NOT NULL, start TEXT NOT NULL,
  black_time TEXT NOT NULL, white_time TEXT NOT NULL, max_moves INTEGER, declaration TEXT NOT NULL,
  rated INTEGER NOT NULL, interruptions INTEGER NOT NULL,
  black_interrupted INTEGER NOT NULL DEFAULT 0, white_interrupted INTEGER NOT NULL DEFAULT 0,
  started INTEGER NOT NULL, ended INTEGER, reason TEXT, winner INTEGER, last TEXT, last_time INTEGER,
  abandoned INTEGER, recorded INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS unfinished ON games (key) WHERE ended IS NULL;
CREATE INDEX IF NOT EXISTS unrecorded ON games (key) WHERE ended IS NOT NULL AND recorded = 0;
CREATE INDEX IF NOT EXISTS finished ON games (ended) WHERE rated = 1;
CREATE INDEX IF NOT EXISTS latest ON games (ended, key) WHERE ended IS NOT NULL;
CREATE TABLE IF NOT EXISTS moves (
  game INTEGER NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, time INTEGER NOT NULL,
  comment TEXT, PRIMARY KEY (game, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scores (
  event TEXT NOT NULL, stage INTEGER NOT NULL, round INTEGER NOT NULL, black TEXT NOT NULL,
  white TEXT NOT NULL, winner INTEGER, game TEXT,
  PRIMARY KEY (event, stage, round, black, white)) WITHOUT ROWID;
";

/// The version of the tables; a file of another version is left alone.
const VERSION: i64 = 1;

/// Makes the tables where they are missing.
pub(crate) fn prepare(connection: &Connection) -> Result<(), Error> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version != 0 && version != VERSION {
        let why = format!("the file has tables of version {version}, this program knows {VERSION}");
        return Err(Error::InvalidParameterName(why));
    }
    connection.execute_batch(SCHEMA)?;
    connection.pragma_update(None, "user_version", VERSION)
}

/// Opens the file for reading beside the writer.
pub fn reader(path: &Path) -> Result<Connection, Error> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Moves what was committed from the log into the file proper, without holding up the writer.
pub(crate) fn checkpoint(connection: &Connection) -> Result<(), Error> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

/// A finished or unfinished game as it lies in the file.
#[derive(Clone, Debug)]
pub struct StoredGame {
    pub conditions: Conditions,
    /// When it began, in seconds since 1970.
    pub started: i64,
    pub ended: Option<i64>,
    pub finish: Option<Finish>,
    pub moves: Vec<RecordedMove>,
    interrupted: [u8; 2],
}

impl StoredGame {
    /// The room it is continued in.
    pub(crate) fn room(&self, patience: Option<Duration>) -> Option<Room> {
        let moves = self.moves.iter().map(|m| (m.text.as_str(), m.time));
        Room::restore(Arc::new(self.conditions.clone()), patience, moves, self.interrupted)
    }

    /// What can be forked of it.
    pub(crate) fn into_source(self) -> Source {
        let moves = self.moves.into_iter().map(|m| m.text).collect();
        Source { event: self.conditions.event, start: self.conditions.start, moves }
    }

    /// The record.
    pub(crate) fn record(&self) -> kifu::Record {
        let conditions = &self.conditions;
        let ended = self.ended.map(calendar::text);
        let game = GameRecord {
            id: &conditions.id,
            names: &conditions.names,
            start: &conditions.start,
            max_moves: conditions.max_moves,
            moves: &self.moves,
            finish: self.finish.as_ref(),
            started: &calendar::text(self.started),
            ended: ended.as_deref(),
        };
        game.record()
    }
}

/// The writing side.
pub(crate) struct Store {
    connection: Connection,
    /// Keys of games that are not over.
    keys: HashMap<String, i64>,
}

impl Store {
    /// Opens or makes the file.
    pub(crate) fn open(path: &Path, durability: Durability) -> Result<Self, Error> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let synchronous = match durability {
            Durability::Process => "NORMAL",
            Durability::Power => "FULL",
        };
        connection.pragma_update(None, "synchronous", synchronous)?;
        // Another thread does it: it waits for the disk, and a move should not.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        prepare(&connection)?;
        connection.set_prepared_statement_cache_capacity(32);
        let mut store = Self { connection, keys: HashMap::new() };
        store.keys = {
            let mut statement =
                store.connection.prepare("SELECT id, key FROM games WHERE ended IS NULL")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<_, _>>()?
        };
        Ok(store)
    }

    /// Stores everything in one transaction, or nothing.
    pub(crate) fn commit(
        &mut self,
        entries: &[Stored],
        recorded: &[String],
        accounts: &[(String, String, i64)],
    ) -> Result<(), Error> {
        let transaction = self.connection.transaction()?;
        let mut keys = std::mem::take(&mut self.keys);
        let result = (|| {
            for entry in entries {
                match entry {
                    Stored::Game { conditions, entry, wall } => {
                        store_entry(&transaction, &mut keys, conditions, entry, *wall)?;
                    }
                    Stored::Score(score) => store_score(&transaction, score)?,
                }
            }
            for id in recorded {
                let mut statement =
                    transaction.prepare_cached("UPDATE games SET recorded = 1 WHERE id = ?1")?;
                statement.execute(params![id])?;
            }
            for (name, hash, wall) in accounts {
                let sql =
                    "INSERT OR IGNORE INTO accounts (name, hash, created) VALUES (?1, ?2, ?3)";
                transaction.prepare_cached(sql)?.execute(params![name, hash, wall])?;
            }
            Ok(())
        })();
        self.keys = keys;
        result.and_then(|()| transaction.commit())?;
        for entry in entries {
            if let Stored::Game { conditions, entry: Entry::Ended(_), .. } = entry {
                self.keys.remove(&conditions.id);
            }
        }
        Ok(())
    }

    /// The reading side of the same connection.
    pub(crate) const fn connection(&self) -> &Connection {
        &self.connection
    }
}

fn store_entry(
    transaction: &Connection,
    keys: &mut HashMap<String, i64>,
    conditions: &Conditions,
    entry: &Entry,
    wall: i64,
) -> Result<(), Error> {
    if *entry == Entry::Started {
        let key = store_start(transaction, conditions, wall)?;
        keys.insert(conditions.id.clone(), key);
        return Ok(());
    }
    let key = *keys.get(&conditions.id).ok_or(Error::QueryReturnedNoRows)?;
    match entry {
        Entry::Started | Entry::Resumed | Entry::Interrupted(None) => {}
        Entry::Move { number, text, time, comment } => {
            let sql =
                "INSERT INTO moves (game, number, text, time, comment) VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut statement = transaction.prepare_cached(sql)?;
            statement.execute(params![key, number, text, nanos(*time), comment])?;
        }
        Entry::Interrupted(Some(side)) => {
            let column =
                if *side == Color::Black { "black_interrupted" } else { "white_interrupted" };
            let sql = format!("UPDATE games SET {column} = {column} + 1 WHERE key = ?1");
            transaction.prepare_cached(&sql)?.execute(params![key])?;
        }
        Entry::Ended(finish) => {
            let sql = "UPDATE games SET ended = ?2, reason = ?3, winner = ?4, last = ?5, last_time = ?6, \
                       abandoned = ?7 WHERE key = ?1";
            transaction.prepare_cached(sql)?.execute(params![
                key,
                wall,
                finish.reason().word(),
                finish.winner().map(number),
                finish.last.as_ref().map(|(text, _)| text),
                finish.last.as_ref().map(|(_, time)| nanos(*time)),
                finish.ending.reason == play::Reason::Abandoned
            ])?;
        }
    }
    Ok(())
}

/// Names tried for a game whose id lies in the file already: the clock of the machine went back,
/// or the server was killed and started again within a second.
const NAMES: u32 = 1000;

fn store_start(transaction: &Connection, conditions: &Conditions, wall: i64) -> Result<i64, Error> {
    let sql = "INSERT INTO games (id, event, black, white, game, start, black_time, white_time, \
               max_moves, declaration, rated, interruptions, started) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) \
               ON CONFLICT (id) DO NOTHING";
    let mut statement = transaction.prepare_cached(sql)?;
    let mut id = conditions.id.clone();
    for number in 2..NAMES {
        let inserted = statement.execute(params![
            id,
            conditions.event,
            conditions.names[0],
            conditions.names[1],
            conditions.start.game().name(),
            conditions.start.sfen(),
            conditions.times[0].lines().join(";"),
            conditions.times[1].lines().join(";"),
            conditions.max_moves,
            conditions.declaration.name(),
            conditions.rated,
            conditions.interruptions,
            wall
        ])?;
        if inserted > 0 {
            return Ok(transaction.last_insert_rowid());
        }
        id = format!("{}-{number}", conditions.id);
    }
    Err(damaged("too many games of one name"))
}

fn store_score(transaction: &Connection, score: &Score) -> Result<(), Error> {
    let sql = "INSERT OR REPLACE INTO scores (event, stage, round, black, white, winner, game) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let winner = score.winner.map(number);
    let Score { event, black, white, game, .. } = score;
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let (stage, round) = (count(score.stage), count(score.round));
    let values = params![event, stage, round, black, white, winner, game];
    transaction.prepare_cached(sql)?.execute(values).map(|_| ())
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

fn number(color: Color) -> i64 {
    i64::from(color == Color::White)
}

fn color(number: Option<i64>) -> Option<Color> {
    Color::BOTH.get(usize::try_from(number?).ok()?).copied()
}

fn index(number: i64) -> Result<usize, Error> {
    usize::try_from(number).map_err(|_| damaged("number"))
}

fn time(nanos: i64) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(0))
}

fn rule(text: &str) -> Option<TimeRule> {
    let mut rule = TimeRule::default();
    for line in text.split(';').filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(':')?;
        rule.set(key, value).ok()?;
    }
    Some(rule)
}

/// How a game ended, from the columns that say so.
fn ending(reason: Reason, winner: Option<Color>, abandoned: bool) -> Ending {
    let reason = if abandoned { play::Reason::Abandoned } else { reason.meaning() };
    let broken_off = Reason::of(reason) == Reason::IllegalAction && winner.is_none();
    let outcome = if broken_off { Outcome::Unknown } else { Outcome::of(winner) };
    Ending { outcome, reason }
}

/// What is wrong with a row that this program cannot have written.
fn damaged(what: &str) -> Error {
    Error::InvalidParameterName(format!("damaged row: {what}"))
}

const COLUMNS: &str = "key, id, event, black, white, game, start, black_time, white_time, max_moves, \
                       declaration, rated, interruptions, black_interrupted, white_interrupted, started, \
                       ended, reason, winner, last, last_time, abandoned";

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
    let finish = match reason {
        None => None,
        Some(word) => Some(Finish {
            ending: ending(
                Reason::from_word(&word).ok_or_else(|| damaged("reason"))?,
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
    let sql = format!("SELECT {COLUMNS} FROM games WHERE ended IS NULL ORDER BY key");
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
    let sql = format!("SELECT {COLUMNS} FROM games WHERE id = ?1");
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

/// Ids of games that are over and have no record yet.
pub(crate) fn unrecorded(connection: &Connection) -> Result<Vec<String>, Error> {
    let sql = "SELECT id FROM games WHERE ended IS NOT NULL AND recorded = 0 ORDER BY key";
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// Ids, players and results of the latest games that are over.
pub(crate) fn latest(
    connection: &Connection,
    count: usize,
) -> Result<Vec<serde_json::Value>, Error> {
    let sql = "SELECT id, event, black, white, started, ended, reason, winner, game, rated, abandoned, \
               (SELECT COUNT(*) FROM moves m WHERE m.game = g.key) FROM games g \
               WHERE ended IS NOT NULL ORDER BY ended DESC, key DESC LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map([i64::try_from(count).unwrap_or(i64::MAX)], |row| {
        let winner = color(row.get(7)?).map(|c| if c == Color::Black { "black" } else { "white" });
        Ok(serde_json::json!({
            "id": row.get::<_, String>(0)?, "event": row.get::<_, String>(1)?,
            "black": row.get::<_, String>(2)?, "white": row.get::<_, String>(3)?,
            "started": row.get::<_, i64>(4)?, "ended": row.get::<_, i64>(5)?,
            "reason": row.get::<_, String>(6)?, "winner": winner,
            "game": row.get::<_, String>(8)?, "rated": row.get::<_, bool>(9)?,
            "abandoned": row.get::<_, Option<bool>>(10)?.unwrap_or(false),
            "moves": row.get::<_, i64>(11)?,
        }))
    })?;
    rows.collect()
}

/// The hash of somebody's password.
pub(crate) fn account(connection: &Connection, name: &str) -> Result<Option<String>, Error> {
    let sql = "SELECT hash FROM accounts WHERE name = ?1";
    connection.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()
}

/// Sets somebody's password.
pub(crate) fn set_account(
    connection: &Connection,
    name: &str,
    hash: &str,
    wall: i64,
) -> Result<(), Error> {
    let sql = "INSERT INTO accounts (name, hash, created) VALUES (?1, ?2, ?3) \
               ON CONFLICT (name) DO UPDATE SET hash = ?2";
    connection.execute(sql, params![name, hash, wall]).map(|_| ())
}

/// Results of tournaments, in the order of their rounds.
pub(crate) fn scores(connection: &Connection) -> Result<Vec<Score>, Error> {
    let sql = "SELECT event, stage, round, black, white, winner, game FROM scores ORDER BY event, stage, round";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| {
        Ok(Score {
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
) -> Result<Vec<rating::Result>, Error> {
    let sql = "SELECT black, white, winner, ended FROM games g WHERE rated = 1 AND ended >= ?1 \
               AND (abandoned = 0 OR winner IS NOT NULL AND (SELECT COUNT(*) FROM moves m WHERE m.game = g.key) > 30)";
    let oldest = wall - (days * 86_400.0) as i64;
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([oldest], |row| {
        let ended: i64 = row.get(3)?;
        Ok(rating::Result {
            names: [row.get(0)?, row.get(1)?],
            winner: color(row.get(2)?),
            age: (wall - ended).max(0) as f64 / 86_400.0,
        })
    })?;
    rows.collect()
}
