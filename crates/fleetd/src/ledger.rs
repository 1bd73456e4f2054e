//! The file that is the truth.
//!
//! One connection writes. In WAL mode a committed transaction is in the hands of the operating
//! system: the death of the process loses nothing.

mod runs;
mod workers;

pub use runs::{RunRow, RunState, StoredResult, TaskKind, TaskRow};
pub use workers::{FaultRow, WorkerRow};

use crate::error::FleetError;
use durable::{InUse, Lock};
use fleet::Cursor;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, owner TEXT NOT NULL,
  spec TEXT NOT NULL, pins TEXT NOT NULL, goal INTEGER, priority TEXT NOT NULL, share REAL NOT NULL,
  state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, ended INTEGER,
  progress TEXT);
CREATE TABLE IF NOT EXISTS tasks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, unit TEXT NOT NULL,
  batches INTEGER NOT NULL, kind TEXT NOT NULL, subject INTEGER, pool TEXT NOT NULL,
  open INTEGER NOT NULL DEFAULT 1);
CREATE INDEX IF NOT EXISTS open_tasks ON tasks (run, id) WHERE open = 1;
CREATE INDEX IF NOT EXISTS tasks_of_runs ON tasks (run, id);
CREATE TABLE IF NOT EXISTS results (
  task INTEGER NOT NULL, batch INTEGER NOT NULL, run INTEGER NOT NULL, worker TEXT NOT NULL,
  at INTEGER NOT NULL, counts INTEGER NOT NULL, product TEXT NOT NULL, millis INTEGER NOT NULL,
  nodes INTEGER NOT NULL, PRIMARY KEY (task, batch)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS results_of_workers ON results (worker, run);
CREATE TABLE IF NOT EXISTS workers (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, about TEXT NOT NULL, standing TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '', first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL,
  passed INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS faults (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, run INTEGER, task INTEGER,
  worker TEXT, kind TEXT NOT NULL, reason TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS faults_of_runs ON faults (run, id);
CREATE TABLE IF NOT EXISTS tokens (
  hash TEXT PRIMARY KEY, worker TEXT NOT NULL, owner TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, text TEXT NOT NULL, answer TEXT);
CREATE INDEX IF NOT EXISTS orders_unanswered ON orders (id) WHERE answer IS NULL;
CREATE TABLE IF NOT EXISTS numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
";

/// Made whenever a coordinator opens the file: those before it had none.
const CHECKS: &str =
    "CREATE INDEX IF NOT EXISTS checks ON tasks (subject) WHERE subject IS NOT NULL";

/// From version 1: runs had no progress, tokens no table.
const FROM_1: &str = "ALTER TABLE runs ADD COLUMN progress TEXT;";

/// The version of the tables. Older files are brought to it; one of a newer version is left alone.
const VERSION: i64 = 2;

/// The ledger of a fleet.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) connection: Connection,
    path: PathBuf,
    /// Held by the coordinator; not by those who read and order.
    _lock: Option<Lock>,
}

impl Ledger {
    /// Opens or makes it for a coordinator, of which there is one.
    pub fn open(path: &Path) -> Result<Self, FleetError> {
        let failed = |source| FleetError::File { path: path.to_owned(), source };
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let lock = lock(path).map_err(failed)?;
        let lock = lock.map_err(|InUse| FleetError::InUse(path.to_owned()))?;
        if !is_there(path) {
            Self::make(path)?;
        }
        let ledger = Self::connect(path, Some(lock))?;
        ledger.prepare()?;
        ledger.connection.execute_batch(CHECKS)?;
        Ok(ledger)
    }

    /// Makes one, which appears whole: a file that others may have open cannot be brought into WAL mode
    /// (it is refused at once, however long a connection is ready to wait). By whoever holds the lock.
    fn make(path: &Path) -> Result<(), FleetError> {
        let failed = |source| FleetError::File { path: path.to_owned(), source };
        let draft = with_ending(path, ".new");
        // Of one that was killed on its way, or of a ledger somebody took away.
        remove(&draft).map_err(failed)?;
        for ending in ["-wal", "-shm"] {
            remove(&with_ending(&draft, ending)).map_err(failed)?;
            remove(&with_ending(path, ending)).map_err(failed)?;
        }
        let ledger = Self::connect(&draft, None)?;
        ledger.connection.pragma_update(None, "journal_mode", "WAL")?;
        ledger.prepare()?;
        ledger.connection.close().map_err(|(_, error)| error)?;
        durable::place(&draft, path, true).map_err(failed)
    }

    /// Opens one that is there, to read and to give orders beside its coordinator.
    pub fn beside(path: &Path) -> Result<Self, FleetError> {
        if !is_there(path) {
            return Err(FleetError::NoLedger(path.to_owned()));
        }
        let ledger = Self::connect(path, None)?;
        ledger.prepare()?;
        Ok(ledger)
    }

    /// Another connection to it.
    pub(crate) fn again(&self) -> Result<Self, FleetError> {
        Self::beside(&self.path)
    }

    /// Opens it beside its coordinator, or makes one that a coordinator will find.
    pub(crate) fn beside_or_new(path: &Path) -> Result<Self, FleetError> {
        match Self::beside(path) {
            Err(FleetError::NoLedger(_)) => Self::open(path),
            other => other,
        }
    }

    /// Whether a coordinator has it open.
    pub fn is_served(&self) -> bool {
        Lock::is_held(&lock_path(&self.path))
    }

    fn connect(path: &Path, lock: Option<Lock>) -> Result<Self, FleetError> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(Self { connection, path: path.to_owned(), _lock: lock })
    }

    fn prepare(&self) -> Result<(), FleetError> {
        if self.version()? == VERSION {
            return Ok(());
        }
        self.begin()?;
        let made = self.make_tables();
        match &made {
            Ok(()) => self.commit()?,
            Err(_) => self.roll_back(),
        }
        made
    }

    fn version(&self) -> Result<i64, FleetError> {
        Ok(self.connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
    }

    /// Within a transaction: somebody else may have been quicker.
    fn make_tables(&self) -> Result<(), FleetError> {
        match self.version()? {
            0 => {}
            1 => self.connection.execute_batch(FROM_1)?,
            VERSION => return Ok(()),
            found => {
                let path = self.path.clone();
                return Err(FleetError::Version { path, found, known: VERSION });
            }
        }
        self.connection.execute_batch(SCHEMA)?;
        Ok(self.connection.pragma_update(None, "user_version", VERSION)?)
    }

    /// Begins a transaction, in which everything happens or nothing.
    pub(crate) fn begin(&self) -> Result<(), FleetError> {
        Ok(self.connection.execute_batch("BEGIN IMMEDIATE")?)
    }

    /// Begins one unless somebody else has been writing for longer than is usual; whether it has begun.
    pub(crate) fn begin_if_free(&self) -> Result<bool, FleetError> {
        match self.begin() {
            Err(FleetError::Ledger(error))
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) =>
            {
                Ok(false)
            }
            begun => begun.map(|()| true),
        }
    }

    pub(crate) fn commit(&self) -> Result<(), FleetError> {
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    pub(crate) fn roll_back(&self) {
        // Where it fails the transaction ends with the connection.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    /// Up to which event of the queue everything is in the ledger.
    pub fn cursor(&self) -> Result<Cursor, FleetError> {
        Ok(Cursor(self.number("cursor")?.cast_unsigned()))
    }

    pub(crate) fn set_cursor(&self, cursor: Cursor) -> Result<(), FleetError> {
        self.set_number("cursor", cursor.0.cast_signed())
    }

    /// Whether no task is to be handed out.
    pub fn is_draining(&self) -> Result<bool, FleetError> {
        Ok(self.number("draining")? != 0)
    }

    pub(crate) fn set_draining(&self, draining: bool) -> Result<(), FleetError> {
        self.set_number("draining", draining.into())
    }

    fn number(&self, name: &str) -> Result<i64, FleetError> {
        let mut found =
            self.connection.prepare_cached("SELECT value FROM numbers WHERE name = ?1")?;
        Ok(found.query_row([name], |row| row.get(0)).optional()?.unwrap_or(0))
    }

    fn set_number(&self, name: &str, value: i64) -> Result<(), FleetError> {
        let sql = "INSERT INTO numbers VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2";
        self.connection.prepare_cached(sql)?.execute(params![name, value])?;
        Ok(())
    }

    /// Orders nobody has answered.
    pub(crate) fn unanswered(&self) -> Result<Vec<(i64, String)>, FleetError> {
        let sql = "SELECT id, text FROM orders WHERE answer IS NULL ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(crate) fn answer(&self, order: i64, answer: &str) -> Result<(), FleetError> {
        let sql = "UPDATE orders SET answer = ?2 WHERE id = ?1";
        self.connection.execute(sql, params![order, answer])?;
        Ok(())
    }

    pub(crate) fn add_order(&self, at: i64, text: &str) -> Result<i64, FleetError> {
        let sql = "INSERT INTO orders (at, text) VALUES (?1, ?2)";
        self.connection.execute(sql, params![at, text])?;
        Ok(self.connection.last_insert_rowid())
    }

    pub(crate) fn answer_of(&self, order: i64) -> Result<Option<String>, FleetError> {
        let sql = "SELECT answer FROM orders WHERE id = ?1";
        Ok(self.connection.query_row(sql, [order], |row| row.get(0))?)
    }
}

/// The lock of a coordinator. Whoever asks whether one is running holds it for a moment: it is tried more than once.
fn lock(path: &Path) -> std::io::Result<Result<Lock, InUse>> {
    const ATTEMPTS: usize = 20;
    for _ in 1..ATTEMPTS {
        if let Ok(lock) = Lock::exclusive(&lock_path(path))? {
            return Ok(Ok(lock));
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    Lock::exclusive(&lock_path(path))
}

fn lock_path(path: &Path) -> PathBuf {
    with_ending(path, ".lock")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Whether there is a ledger. An empty file is none: there is nothing in it to lose.
fn is_there(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.len() > 0)
}

/// Removes a file that may be missing.
fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Others look whether it is there yet, again and again, while a coordinator makes it.
    #[test]
    fn one_that_is_new_appears_whole() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..40 {
            let path = folder.path().join(round.to_string()).join("ledger.db");
            let made = AtomicBool::new(false);
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        while !made.load(Ordering::Relaxed) {
                            let ledger = match Ledger::beside(&path) {
                                Err(FleetError::NoLedger(_)) => continue,
                                found => found.unwrap(),
                            };
                            assert!(!ledger.is_draining().unwrap());
                        }
                    });
                }
                let opened = Ledger::open(&path);
                made.store(true, Ordering::Relaxed);
                opened.unwrap().set_draining(false).unwrap();
            });
        }
    }

    #[test]
    fn one_is_made_where_a_kill_left_half_of_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.db");
        for (ending, text) in [("", ""), (".new", "half"), (".new-wal", "x"), ("-wal", "x")] {
            std::fs::write(with_ending(&path, ending), text).unwrap();
        }
        assert!(matches!(Ledger::beside(&path), Err(FleetError::NoLedger(_))), "an empty file");
        let ledger = Ledger::open(&path).unwrap();
        ledger.set_draining(true).unwrap();
        drop(ledger);
        assert!(!with_ending(&path, ".new").exists());
        assert!(Ledger::open(&path).unwrap().is_draining().unwrap(), "what is there is kept");
    }
}
