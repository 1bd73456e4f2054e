//! The one file in which games, studies and books lie, written after every move and change.
//!
//! In WAL mode a committed transaction is in the hands of the operating system: the death of this
//! process loses nothing.

use crate::live_game::Seat;
use board::ending;
use board::error::{ApiError, ErrorCode};
use board::game::{Dates, Game, StoredMove};
use board::setup::Setup;
use board::words::Color;
use play::Ending;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::path::Path;
use std::time::Duration;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS games (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, setup TEXT NOT NULL, reason TEXT, winner TEXT,
  revision INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
  plies INTEGER NOT NULL, sfen TEXT NOT NULL, last TEXT, deleted INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS owned ON games (owner, updated);
CREATE TABLE IF NOT EXISTS moves (
  game TEXT NOT NULL, number INTEGER NOT NULL, usi TEXT NOT NULL, ms INTEGER NOT NULL,
  black INTEGER NOT NULL, white INTEGER NOT NULL, PRIMARY KEY (game, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS studies (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, folder TEXT NOT NULL,
  tags TEXT NOT NULL, source TEXT, facts TEXT NOT NULL, searched TEXT NOT NULL,
  tree TEXT NOT NULL, place TEXT NOT NULL, revision INTEGER NOT NULL,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, deleted INTEGER);
CREATE INDEX IF NOT EXISTS owned_studies ON studies (owner, updated);
CREATE TABLE IF NOT EXISTS seats (
  game TEXT NOT NULL, color INTEGER NOT NULL, key TEXT NOT NULL, visitor TEXT, name TEXT,
  PRIMARY KEY (game, color)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seated ON seats (visitor);
CREATE TABLE IF NOT EXISTS tsume (
  visitor TEXT NOT NULL, problem TEXT NOT NULL, known INTEGER NOT NULL, due INTEGER NOT NULL,
  tries INTEGER NOT NULL, solved INTEGER NOT NULL, PRIMARY KEY (visitor, problem)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS solvers (
  visitor TEXT PRIMARY KEY, level REAL NOT NULL, streak INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS books (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, variant TEXT NOT NULL,
  changes INTEGER NOT NULL, updated INTEGER NOT NULL, deleted INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS owned_books ON books (owner, updated);
CREATE TABLE IF NOT EXISTS book_entries (
  book TEXT NOT NULL, key BLOB NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (book, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS book_changes (
  book TEXT NOT NULL, number INTEGER NOT NULL, item INTEGER NOT NULL, key BLOB NOT NULL,
  before TEXT, after TEXT, PRIMARY KEY (book, number, item)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS guests (secret TEXT PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID;
";

/// The version of the tables; a file of a later version is left alone.
const VERSION: i64 = 4;

/// Games one visitor may have.
pub const GAMES: usize = 1000;

/// How long the bin keeps what was deleted, in milliseconds.
const BIN: i64 = 30 * 24 * 3600 * 1000;

/// The file.
pub struct Store {
    connection: Connection,
}

/// A game as it lies in the file.
#[derive(Clone, Debug)]
pub struct Kept {
    pub owner: String,
    pub game: Game,
    pub dates: Dates,
    /// Who plays, where two browsers do.
    pub seats: Option<[Seat; 2]>,
}

/// A line of the list of games.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    pub id: String,
    pub owner: String,
    /// Who plays, where two browsers do.
    pub seats: Option<[Seat; 2]>,
    /// What it is played under.
    pub setup: Setup,
    pub ending: Option<Ending>,
    /// Moves played.
    pub plies: u32,
    /// The position now.
    pub sfen: String,
    /// The last move.
    pub last: Option<String>,
    pub dates: Dates,
}

/// A part of the list of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// What lies in the bin.
    pub deleted: bool,
    pub offset: usize,
    pub limit: usize,
}

impl Part {
    /// Every game that is not in the bin.
    pub const ALL: Self = Self { deleted: false, offset: 0, limit: usize::MAX >> 1 };
}

#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`")]
fn failed(error: rusqlite::Error) -> ApiError {
    ApiError::new(ErrorCode::Internal, format!("the data file: {error}"))
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn time(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

impl Store {
    /// Opens or makes the file.
    pub fn open(path: &Path) -> Result<Self, ApiError> {
        Self::with(Connection::open(path).map_err(failed)?)
    }

    /// A store that lives as long as the program.
    pub fn in_memory() -> Result<Self, ApiError> {
        Self::with(Connection::open_in_memory().map_err(failed)?)
    }

    fn with(connection: Connection) -> Result<Self, ApiError> {
        let prepare = || -> rusqlite::Result<i64> {
            connection.busy_timeout(Duration::from_secs(5))?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.query_row("PRAGMA user_version", [], |row| row.get(0))
        };
        let version = prepare().map_err(failed)?;
        if !(0..=VERSION).contains(&version) {
            let message = format!(
                "the data file has tables of version {version}, this program knows {VERSION}; \
                 use a newer nue, or name another file with --data"
            );
            return Err(ApiError::new(ErrorCode::Internal, message));
        }
        let mut connection = connection;
        let mut migrate = || -> rusqlite::Result<()> {
            let transaction = connection.transaction()?;
            if version == 1 {
                transaction.execute_batch("ALTER TABLE games ADD COLUMN deleted INTEGER")?;
            }
            transaction.execute_batch(SCHEMA)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            transaction.commit()
        };
        migrate().map_err(failed)?;
        Ok(Self { connection })
    }

    /// Stores a game as it is now: its moves too, however it came to them.
    pub fn save(&mut self, id: &str, owner: &str, game: &Game, now: i64) -> Result<(), ApiError> {
        let work = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction()?;
            let setup = serde_json::to_string(game.setup()).unwrap_or_default();
            let ended = game.ending();
            transaction
                .prepare_cached(
                    "INSERT INTO games (id, owner, setup, reason, winner, revision, created, updated, \
                     plies, sfen, last) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10) \
                     ON CONFLICT (id) DO UPDATE SET reason = ?4, winner = ?5, revision = ?6, \
                     updated = ?7, plies = ?8, sfen = ?9, last = ?10",
                )?
                .execute(params![
                    id,
                    owner,
                    setup,
                    ended.map(|e| ending::word(e.reason)),
                    ended.and_then(Ending::winner).map(|winner| Color::from(winner).word()),
                    i64::try_from(game.revision()).unwrap_or(i64::MAX),
                    now,
                    game.played().len() as i64,
                    game.position().sfen(),
                    game.played().last().map(|p| p.m.usi(game.position().game())),
                ])?;
            let known: i64 = transaction
                .prepare_cached("SELECT COUNT(*) FROM moves WHERE game = ?1")?
                .query_row([id], |row| row.get(0))?;
            // Taken back and played otherwise, the last ones differ; the rest cannot.
            let keep =
                usize::try_from(known).unwrap_or(0).min(game.played().len()).saturating_sub(2);
            transaction
                .prepare_cached("DELETE FROM moves WHERE game = ?1 AND number >= ?2")?
                .execute(params![id, keep as i64])?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO moves (game, number, usi, ms, black, white) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            for (number, stored) in game.stored().enumerate().skip(keep) {
                let [black, white] = stored.left.map(millis);
                let spent = millis(stored.spent);
                insert.execute(params![id, number as i64, stored.text, spent, black, white])?;
            }
            drop(insert);
            transaction.commit()
        };
        let mut work = work;
        work().map_err(failed)
    }

    /// A game, whosever it is.
    pub fn load(&self, id: &str) -> Result<Option<Kept>, ApiError> {
        let sql = "SELECT setup, reason, winner, revision, created, updated, owner FROM games \
                   WHERE id = ?1 AND deleted IS NULL";
        let head = |row: &Row<'_>| -> rusqlite::Result<_> {
            Ok((
                row.get::<_, String>(0)?,
                ending_of(row.get(1)?, row.get(2)?),
                row.get::<_, i64>(3)?,
                row.get::<_, i64>(4)?,
                row.get::<_, i64>(5)?,
                row.get::<_, String>(6)?,
            ))
        };
        let found = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut s| s.query_row([id], head).optional())
            .map_err(failed)?;
        let Some((setup, ended, revision, created, updated, owner)) = found else {
            return Ok(None);
        };
        let damaged =
            |e: serde_json::Error| ApiError::new(ErrorCode::Internal, format!("damaged game: {e}"));
        let setup: Setup = serde_json::from_str(&setup).map_err(damaged)?;
        let moves = self.moves(id).map_err(failed)?;
        let revision = u64::try_from(revision).unwrap_or(0);
        let game = Game::restore(setup, &moves, ended, revision)?;
        let seats = self.seats(id).map_err(failed)?;
        Ok(Some(Kept { owner, game, dates: Dates { created, updated }, seats }))
    }

    fn moves(&self, id: &str) -> rusqlite::Result<Vec<StoredMove>> {
        let sql = "SELECT usi, ms, black, white FROM moves WHERE game = ?1 ORDER BY number";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([id], |row| {
            Ok(StoredMove {
                text: row.get(0)?,
                spent: time(row.get(1)?),
                left: [time(row.get(2)?), time(row.get(3)?)],
            })
        })?;
        rows.collect()
    }

    /// Games of a visitor, in the bin or not: those under way, then the one that changed last first.
    pub fn list(&self, owner: &str, part: &Part) -> Result<Vec<Entry>, ApiError> {
        let sql = "SELECT id, setup, reason, winner, plies, sfen, last, created, updated, owner FROM games \
                   WHERE (owner = ?1 OR id IN (SELECT game FROM seats WHERE visitor = ?1 AND NOT ?2)) \
                   AND (deleted IS NOT NULL) = ?2 \
                   ORDER BY reason IS NOT NULL, updated DESC, id LIMIT ?3 OFFSET ?4";
        let work = || -> rusqlite::Result<Vec<Option<Entry>>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let (limit, offset) = (part.limit as i64, part.offset as i64);
            let rows = statement.query_map(params![owner, part.deleted, limit, offset], |row| {
                // A row this program cannot have written is left out.
                let Ok(setup) = serde_json::from_str(&row.get::<_, String>(1)?) else {
                    return Ok(None);
                };
                let id: String = row.get(0)?;
                Ok(Some(Entry {
                    seats: self.seats(&id)?,
                    id,
                    owner: row.get(9)?,
                    setup,
                    ending: ending_of(row.get(2)?, row.get(3)?),
                    plies: row.get(4)?,
                    sfen: row.get(5)?,
                    last: row.get(6)?,
                    dates: Dates { created: row.get(7)?, updated: row.get(8)? },
                }))
            })?;
            rows.collect()
        };
        Ok(work().map_err(failed)?.into_iter().flatten().collect())
    }

    /// How many games a visitor has, and how many in the bin.
    pub fn counts(&self, owner: &str) -> Result<[usize; 2], ApiError> {
        self.counts_in("games", owner)
    }

    fn counts_in(&self, table: &str, owner: &str) -> Result<[usize; 2], ApiError> {
        // A friend's games are counted with one's own; the bin is one's own alone.
        let theirs = match table {
            "games" => "OR deleted IS NULL AND id IN (SELECT game FROM seats WHERE visitor = ?1)",
            _ => "",
        };
        let sql = format!("SELECT COUNT(*), COUNT(deleted) FROM {table} WHERE owner = ?1 {theirs}");
        let counted = self.connection.prepare_cached(&sql).and_then(|mut statement| {
            statement.query_row([owner], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
        });
        let (all, deleted) = counted.map_err(failed)?;
        Ok([all - deleted, deleted].map(|n| usize::try_from(n).unwrap_or(0)))
    }

    /// Puts a game into the bin, and empties that of what has lain there long; whether there was one.
    pub fn delete(&mut self, id: &str, owner: &str, now: i64) -> Result<bool, ApiError> {
        let mut work = || -> rusqlite::Result<bool> {
            let transaction = self.connection.transaction()?;
            for sql in [
                "DELETE FROM moves WHERE game IN (SELECT id FROM games WHERE deleted < ?1)",
                "DELETE FROM seats WHERE game IN (SELECT id FROM games WHERE deleted < ?1)",
                "DELETE FROM games WHERE deleted < ?1",
                "DELETE FROM studies WHERE deleted < ?1",
                "DELETE FROM book_entries WHERE book IN (SELECT id FROM books WHERE deleted < ?1)",
                "DELETE FROM book_changes WHERE book IN (SELECT id FROM books WHERE deleted < ?1)",
                "DELETE FROM books WHERE deleted < ?1",
            ] {
                transaction.execute(sql, [now - BIN])?;
            }
            let sql =
                "UPDATE games SET deleted = ?3 WHERE id = ?1 AND owner = ?2 AND deleted IS NULL";
            let done = transaction.execute(sql, params![id, owner, now])? > 0;
            transaction.commit()?;
            Ok(done)
        };
        work().map_err(failed)
    }

    /// Takes a game out of the bin; whether it lay there.
    pub fn restore(&mut self, id: &str, owner: &str) -> Result<bool, ApiError> {
        let sql =
            "UPDATE games SET deleted = NULL WHERE id = ?1 AND owner = ?2 AND deleted IS NOT NULL";
        Ok(self.connection.execute(sql, [id, owner]).map_err(failed)? > 0)
    }

    /// Makes room for another game: the oldest that is over goes into the bin; refused where none is.
    pub fn free_a_place(&mut self, owner: &str, now: i64) -> Result<(), ApiError> {
        let [games, _] = self.counts(owner)?;
        if games < GAMES {
            return Ok(());
        }
        let sql = "SELECT id FROM games WHERE owner = ?1 AND deleted IS NULL AND reason IS NOT NULL \
                   ORDER BY updated, id LIMIT 1";
        let oldest: Option<String> =
            self.connection.query_row(sql, [owner], |row| row.get(0)).optional().map_err(failed)?;
        match oldest {
            Some(id) => self.delete(&id, owner, now).map(|_| ()),
            None => {
                let message = format!("{GAMES} games are under way: end or delete one first");
                Err(ApiError::new(ErrorCode::TooMany, message))
            }
        }
    }

    /// Notes that a visitor has shown the token.
    pub fn admit(&mut self, secret: &str, now: i64) -> Result<(), ApiError> {
        let sql = "INSERT OR IGNORE INTO guests (secret, since) VALUES (?1, ?2)";
        self.connection.execute(sql, params![secret, now]).map(|_| ()).map_err(failed)
    }

    /// Whether a visitor has shown the token, now or earlier.
    pub fn is_admitted(&self, secret: &str) -> Result<bool, ApiError> {
        let sql = "SELECT 1 FROM guests WHERE secret = ?1";
        let found = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut s| s.query_row([secret], |_| Ok(())).optional());
        Ok(found.map_err(failed)?.is_some())
    }
}

fn ending_of(reason: Option<String>, winner: Option<String>) -> Option<Ending> {
    let winner = winner.and_then(|word| Color::of_word(&word)).map(Into::into);
    ending::of_words(&reason?, winner)
}

mod books;
mod seats;
mod studies;
#[cfg(test)]
mod tests;
mod tsume;

pub use books::{BOOKS, BookEntry, BookNote, KeptBook, POSITIONS};
pub use studies::STUDIES;
