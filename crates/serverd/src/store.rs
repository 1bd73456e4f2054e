//! The one file in which everything lies that must not be lost.
//!
//! One connection writes, from one thread; every batch of entries is one transaction. In WAL mode
//! a committed transaction is in the hands of the operating system, so that the death of this
//! process loses nothing; waiting for the disk with every commit is a setting.

mod reading;

pub use reading::{FinishedGame, game};
pub(crate) use reading::{
    account, accounts, ids, imported, latest, notes, orders, results, scores, unfinished,
    unrecorded,
};

use crate::config::Durability;
use csa::record::{Finish, GameRecord, RecordedMove};
use csa::{ReasonWord, TimeRule};
use play::{Ending, Outcome};
use rules::Color;
use rusqlite::{Connection, params};
use server::Conditions;
use server::calendar;
use server::lobby::{Note, Order, Source, Stored, TournamentResult};
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
CREATE TABLE IF NOT EXISTS notes (
  kind TEXT NOT NULL, key TEXT NOT NULL, fields TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS orders (
  number INTEGER PRIMARY KEY, time INTEGER NOT NULL, referee TEXT NOT NULL, text TEXT NOT NULL,
  answer TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS imported_ratings (
  name TEXT PRIMARY KEY, rating REAL NOT NULL) WITHOUT ROWID;
";

/// Columns that earlier servers did not have.
const ADDED: [&str; 2] = ["black_rating", "white_rating"];

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
    for column in ADDED {
        let sql = "SELECT COUNT(*) FROM pragma_table_info('games') WHERE name = ?1";
        let there: i64 = connection.query_row(sql, [column], |row| row.get(0))?;
        if there == 0 {
            connection.execute(&format!("ALTER TABLE games ADD COLUMN {column} INTEGER"), [])?;
        }
    }
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

    pub(crate) fn record(&self) -> kifu::Record {
        let (started, ended) = self.dates();
        self.game_record(&started, ended.as_deref()).record()
    }

    /// The record as a file.
    pub(crate) fn file(&self) -> Result<Vec<u8>, kifu::WriteError> {
        let (started, ended) = self.dates();
        self.game_record(&started, ended.as_deref()).file()
    }

    fn dates(&self) -> (String, Option<String>) {
        (calendar::text(self.started), self.ended.map(calendar::text))
    }

    fn game_record<'a>(&'a self, started: &'a str, ended: Option<&'a str>) -> GameRecord<'a> {
        let conditions = &self.conditions;
        GameRecord {
            id: &conditions.id,
            names: &conditions.names,
            start: &conditions.start,
            times: &conditions.times,
            ratings: conditions.ratings,
            max_moves: conditions.max_moves,
            moves: &self.moves,
            finish: self.finish.as_ref(),
            started,
            ended,
        }
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
                    Stored::Tournament(score) => store_score(&transaction, score)?,
                    Stored::Annulled { event, stage, round } => {
                        annul_scores(&transaction, event, *stage, *round)?;
                    }
                    Stored::Note(note) => store_note(&transaction, note)?,
                    Stored::Order(order) => store_order(&transaction, order)?,
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

    /// Takes over somebody's rating from another server.
    pub(crate) fn import_rating(&self, name: &str, rating: f64) -> Result<(), Error> {
        let sql = "INSERT OR REPLACE INTO imported_ratings (name, rating) VALUES (?1, ?2)";
        self.connection.execute(sql, params![name, rating]).map(|_| ())
    }

    /// The reading side of the same connection.
    pub(crate) const fn connection(&self) -> &Connection {
        &self.connection
    }
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
                reason_word(finish),
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
               max_moves, declaration, rated, interruptions, started, black_rating, white_rating) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) \
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
            wall,
            conditions.ratings[0],
            conditions.ratings[1]
        ])?;
        if inserted > 0 {
            return Ok(transaction.last_insert_rowid());
        }
        id = format!("{}-{number}", conditions.id);
    }
    Err(damaged("too many games of one name"))
}

fn store_score(transaction: &Connection, score: &TournamentResult) -> Result<(), Error> {
    let sql = "INSERT OR REPLACE INTO scores (event, stage, round, black, white, winner, game) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let winner = score.winner.map(number);
    let TournamentResult { event, black, white, game, .. } = score;
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let (stage, round) = (count(score.stage), count(score.round));
    let values = params![event, stage, round, black, white, winner, game];
    transaction.prepare_cached(sql)?.execute(values).map(|_| ())
}

fn annul_scores(
    transaction: &Connection,
    event: &str,
    stage: usize,
    round: usize,
) -> Result<(), Error> {
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let sql = "DELETE FROM scores WHERE event = ?1 AND stage = ?2 AND round >= ?3";
    transaction.execute(sql, params![event, count(stage), count(round)]).map(|_| ())
}

/// What separates the fields of a note: a character that is in none of them.
const FIELD: char = '\u{1f}';

fn store_note(transaction: &Connection, note: &Note) -> Result<(), Error> {
    let (kind, key) = (note.kind.word(), &note.key);
    match &note.fields {
        Some(fields) => {
            let text = fields.join(&FIELD.to_string());
            let sql = "INSERT OR REPLACE INTO notes (kind, key, fields) VALUES (?1, ?2, ?3)";
            transaction.prepare_cached(sql)?.execute(params![kind, key, text])?;
        }
        None => {
            let sql = "DELETE FROM notes WHERE kind = ?1 AND key = ?2";
            transaction.prepare_cached(sql)?.execute(params![kind, key])?;
        }
    }
    Ok(())
}

fn store_order(transaction: &Connection, order: &Order) -> Result<(), Error> {
    let sql = "INSERT INTO orders (time, referee, text, answer) VALUES (?1, ?2, ?3, ?4)";
    let Order { wall, referee, text, answer } = order;
    transaction.execute(sql, params![wall, referee, text, answer]).map(|_| ())
}

/// The words for games that a referee ended, with a result and without.
const ADJUDICATED: &str = "ADJUDICATED";
const ANNULLED: &str = "ANNULLED";

fn reason_word(finish: &Finish) -> &'static str {
    match (finish.ending.reason, finish.ending.outcome) {
        (play::Reason::Adjudicated, Outcome::Unknown) => ANNULLED,
        (play::Reason::Adjudicated, _) => ADJUDICATED,
        _ => finish.reason().word(),
    }
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
fn ending(reason: ReasonWord, winner: Option<Color>, abandoned: bool) -> Ending {
    let reason = if abandoned { play::Reason::Abandoned } else { reason.meaning() };
    let broken_off = ReasonWord::of(reason) == ReasonWord::IllegalAction && winner.is_none();
    let outcome = if broken_off { Outcome::Unknown } else { Outcome::of(winner) };
    Ending { outcome, reason }
}

/// What is wrong with a row that this program cannot have written.
fn damaged(what: &str) -> Error {
    Error::InvalidParameterName(format!("damaged row: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    /// Rows as servers have always written them, whatever the house calls the endings.
    #[test]
    fn finished_games_of_earlier_servers_are_read() {
        let connection = Connection::open_in_memory().unwrap();
        prepare(&connection).unwrap();
        let sql = "INSERT INTO games (id, event, black, white, game, start, black_time, white_time, \
                   max_moves, declaration, rated, interruptions, started, ended, reason, winner, last, \
                   last_time, abandoned) VALUES (?1, 'test-600-10', 'a', 'b', 'shogi', \
                   'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1', ?2, ?2, 320, \
                   'CSARule27', 1, 1, 10, 20, ?3, ?4, ?5, 3000000000, ?6)";
        let times = "Time_Unit:1sec;Total_Time:600;Byoyomi:10;Least_Time_Per_Move:0";
        for (reason, winner, last, abandoned, want) in [
            ("RESIGN", Some(1), Some("%TORYO"), false, Ending::won(White, play::Reason::Resign)),
            ("SENNICHITE", None, None, false, Ending::draw(play::Reason::Repetition)),
            (
                "OUTE_SENNICHITE",
                Some(0),
                None,
                false,
                Ending::won(Black, play::Reason::PerpetualCheck),
            ),
            (
                "ILLEGAL_ACTION",
                Some(0),
                None,
                false,
                Ending::won(Black, play::Reason::IllegalAction),
            ),
            ("ILLEGAL_ACTION", Some(0), None, true, Ending::won(Black, play::Reason::Abandoned)),
            ("ILLEGAL_ACTION", None, None, true, Ending::unknown(play::Reason::Abandoned)),
            (
                "JISHOGI",
                Some(0),
                Some("%KACHI"),
                false,
                Ending::won(Black, play::Reason::Declaration),
            ),
            ("MAX_MOVES", None, None, false, Ending::draw(play::Reason::MaxMoves)),
            ("TIME_UP", Some(1), None, false, Ending::won(White, play::Reason::TimeUp)),
        ] {
            connection.execute("DELETE FROM games", []).unwrap();
            let values = params!["g", times, reason, winner, last, abandoned];
            connection.execute(sql, values).unwrap();
            let game = game(&connection, "g").unwrap().unwrap();
            let finish = game.finish.as_ref().unwrap();
            assert_eq!(finish.ending, want, "{reason}");
            assert_eq!(finish.reason().word(), reason);
            let said = finish.last.as_ref().map(|(text, time)| (text.as_str(), time.as_secs()));
            assert_eq!(said, last.map(|text| (text, 3)));
            assert_eq!(game.conditions.times[1].byoyomi, Some(10));
            assert_eq!(game.record().outcome(), want.outcome, "{reason}");
        }
    }
}
