//! The truth of the storm: a data file with every result that counted.

use super::worker::expected;
use crate::Failure;
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;
use std::time::Duration;

pub(super) struct Ledger {
    data: Connection,
}

/// What a check found.
pub(super) struct Found {
    pub(super) repeated: u64,
    pub(super) wrong: u64,
    pub(super) full: u64,
    pub(super) complaints: Vec<String>,
}

fn failed(error: &rusqlite::Error) -> Failure {
    Failure::Failed(format!("ledger: {error}"))
}

impl Ledger {
    /// Makes it, or goes on with it.
    pub(super) fn create(folder: &Path) -> Result<Self, Failure> {
        let data = Connection::open(folder.join("ledger.sqlite")).map_err(|e| failed(&e))?;
        data.busy_timeout(Duration::from_secs(10)).map_err(|e| failed(&e))?;
        data.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
             CREATE TABLE IF NOT EXISTS result (
                 unit INTEGER, batch INTEGER, sum TEXT, worker TEXT, PRIMARY KEY (unit, batch));
             CREATE TABLE IF NOT EXISTS wrong (task INTEGER, batch INTEGER, worker TEXT);
             CREATE TABLE IF NOT EXISTS attempt (unit INTEGER PRIMARY KEY, number INTEGER);
             CREATE TABLE IF NOT EXISTS number (name TEXT PRIMARY KEY, value INTEGER);",
        )
        .map_err(|e| failed(&e))?;
        Ok(Self { data })
    }

    /// One that is there.
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join("ledger.sqlite");
        if !path.exists() {
            return Err(Failure::Failed("there is no ledger".to_owned()));
        }
        let data = Connection::open(path).map_err(|e| failed(&e))?;
        data.busy_timeout(Duration::from_secs(10)).map_err(|e| failed(&e))?;
        let ledger = Self { data };
        ledger.number("counted")?;
        Ok(ledger)
    }

    /// A number under a name; 0 if nobody has written it.
    pub(super) fn number(&self, name: &str) -> Result<u64, Failure> {
        let mut found = self
            .data
            .prepare_cached("SELECT value FROM number WHERE name = ?1")
            .map_err(|e| failed(&e))?;
        let value = found.query_row([name], |row| row.get::<_, i64>(0)).optional();
        Ok(value.map_err(|e| failed(&e))?.unwrap_or(0).cast_unsigned())
    }

    pub(super) fn add(&self, name: &str, more: u64) -> Result<(), Failure> {
        let text =
            "INSERT INTO number VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = value + ?2";
        let mut add = self.data.prepare_cached(text).map_err(|e| failed(&e))?;
        add.execute(params![name, more.cast_signed()]).map(drop).map_err(|e| failed(&e))
    }

    pub(super) fn set(&self, name: &str, value: u64) -> Result<(), Failure> {
        let text = "INSERT INTO number VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2";
        let mut set = self.data.prepare_cached(text).map_err(|e| failed(&e))?;
        set.execute(params![name, value.cast_signed()]).map(drop).map_err(|e| failed(&e))
    }

    /// Results that counted.
    pub(super) fn count(&self) -> Result<u64, Failure> {
        self.number("counted")
    }

    /// Does something as a whole or not at all.
    pub(super) fn whole<T>(&self, act: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        self.data.execute_batch("BEGIN IMMEDIATE").map_err(|e| failed(&e))?;
        match act() {
            Ok(value) => self.data.execute_batch("COMMIT").map(|()| value).map_err(|e| failed(&e)),
            Err(e) => {
                let _ = self.data.execute_batch("ROLLBACK");
                Err(e)
            }
        }
    }

    /// Enters a result; whether it was new. It is counted by whoever enters several.
    pub(super) fn enter(
        &self,
        unit: u64,
        batch: u32,
        sum: u64,
        worker: &str,
    ) -> Result<bool, Failure> {
        let text = "INSERT OR IGNORE INTO result VALUES (?1, ?2, ?3, ?4)";
        let mut insert = self.data.prepare_cached(text).map_err(|e| failed(&e))?;
        let row = params![unit.cast_signed(), batch, sum.to_string(), worker];
        Ok(insert.execute(row).map_err(|e| failed(&e))? == 1)
    }

    pub(super) fn enter_wrong(&self, task: u64, batch: u32, worker: &str) -> Result<(), Failure> {
        let text = "INSERT INTO wrong VALUES (?1, ?2, ?3)";
        let row = params![task.cast_signed(), batch, worker];
        self.data.execute(text, row).map(drop).map_err(|e| failed(&e))
    }

    /// Which attempt at a unit is under way.
    pub(super) fn attempt(&self, unit: u64) -> Result<u64, Failure> {
        let text = "SELECT number FROM attempt WHERE unit = ?1";
        let mut found = self.data.prepare_cached(text).map_err(|e| failed(&e))?;
        let value = found.query_row([unit.cast_signed()], |row| row.get::<_, i64>(0)).optional();
        Ok(value.map_err(|e| failed(&e))?.unwrap_or(0).cast_unsigned())
    }

    pub(super) fn next_attempt(&self, unit: u64) -> Result<(), Failure> {
        let text =
            "INSERT INTO attempt VALUES (?1, 1) ON CONFLICT DO UPDATE SET number = number + 1";
        self.data.execute(text, [unit.cast_signed()]).map(drop).map_err(|e| failed(&e))
    }

    /// Batches of a unit that are there.
    pub(super) fn batches(&self, unit: u64) -> Result<u64, Failure> {
        let text = "SELECT count(*) FROM result WHERE unit = ?1";
        let mut count = self.data.prepare_cached(text).map_err(|e| failed(&e))?;
        let count = count.query_row([unit.cast_signed()], |row| row.get::<_, i64>(0));
        Ok(count.map_err(|e| failed(&e))?.cast_unsigned())
    }

    /// Whether a result, written `UNIT BATCH`, has counted.
    pub(super) fn has(&self, line: &str) -> Result<bool, Failure> {
        let mut words = line.split(' ').map(|word| word.parse::<u64>().ok());
        let (Some(Some(unit)), Some(Some(batch))) = (words.next(), words.next()) else {
            return Ok(false);
        };
        let text = "SELECT 1 FROM result WHERE unit = ?1 AND batch = ?2";
        let mut found = self.data.prepare_cached(text).map_err(|e| failed(&e))?;
        found.exists([unit.cast_signed(), batch.cast_signed()]).map_err(|e| failed(&e))
    }

    /// Whether everything is there, once and right.
    pub(super) fn check(&self, results: u64, batches: u32) -> Result<Found, Failure> {
        let mut complaints = Vec::new();
        let counted = self.count()?;
        let mut rows = 0;
        let text = "SELECT unit, batch, sum FROM result";
        let mut all = self.data.prepare(text).map_err(|e| failed(&e))?;
        let read = all.query_map([], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, u32>(1)?, row.get::<_, String>(2)?))
        });
        for row in read.map_err(|e| failed(&e))? {
            let (unit, batch, sum) = row.map_err(|e| failed(&e))?;
            rows += 1;
            if sum != expected(unit.cast_unsigned(), batch).to_string() {
                complaints.push(format!("unit {unit}, batch {batch}: {sum} is wrong"));
            }
            if batch >= batches {
                complaints.push(format!("unit {unit} has no batch {batch}"));
            }
        }
        if (rows, counted) != (results, results) {
            complaints.push(format!("{rows} rows and {counted} counted, not {results}"));
        }
        let liars = "SELECT count(*) FROM wrong WHERE worker <> ?1";
        let named = self.data.query_row(liars, [super::parts::LIAR], |row| row.get::<_, i64>(0));
        if named.map_err(|e| failed(&e))? > 0 {
            complaints.push("somebody honest is called a liar".to_owned());
        }
        let wrong =
            self.data.query_row("SELECT count(*) FROM wrong", [], |row| row.get::<_, i64>(0));
        let wrong = wrong.map_err(|e| failed(&e))?.cast_unsigned();
        let (repeated, full) = (self.number("repeated")?, self.number("full")?);
        Ok(Found { repeated, wrong, full, complaints })
    }
}
