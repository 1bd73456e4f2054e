//! Workers, their owners' tokens, and faults.

use super::Ledger;
use super::runs::damaged;
use crate::error::FleetError;
use fleet::{FaultKind, RunId, Standing, TaskId, Worker, WorkerId};
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A worker as the ledger knows it.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkerRow {
    pub about: Worker,
    pub standing: Standing,
    /// Why it stands there.
    pub reason: String,
    pub first_seen: i64,
    pub last_seen: i64,
    /// Checks it has passed.
    pub passed: u64,
}

/// A fault as the ledger knows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FaultRow {
    pub at: i64,
    pub run: Option<RunId>,
    pub task: Option<TaskId>,
    pub worker: Option<WorkerId>,
    pub kind: String,
    pub reason: String,
}

fn worker(row: &Row<'_>) -> Result<WorkerRow, rusqlite::Error> {
    let about: String = row.get(0)?;
    let about = serde_json::from_str(&about).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, e.into())
    })?;
    let standing = match row.get::<_, String>(1)?.as_str() {
        "admitted" => Standing::Admitted,
        "barred" => Standing::Barred,
        _ => Standing::Probation,
    };
    Ok(WorkerRow {
        about,
        standing,
        reason: row.get(2)?,
        first_seen: row.get(3)?,
        last_seen: row.get(4)?,
        passed: row.get::<_, i64>(5)?.cast_unsigned(),
    })
}

fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

impl Ledger {
    /// All workers, by name.
    pub fn workers(&self) -> Result<Vec<WorkerRow>, FleetError> {
        let sql = "SELECT about, standing, reason, first_seen, last_seen, passed FROM workers \
                   ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_map([], worker)?.collect::<Result<_, _>>()?)
    }

    pub(crate) fn put_worker(&self, row: &WorkerRow) -> Result<(), FleetError> {
        let sql = "INSERT INTO workers (id, owner, about, standing, reason, first_seen, last_seen, \
                   passed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
                   ON CONFLICT (id) DO UPDATE SET owner = ?2, about = ?3, standing = ?4, \
                   reason = ?5, last_seen = ?7, passed = ?8";
        self.connection.prepare_cached(sql)?.execute(params![
            row.about.id.as_str(),
            row.about.owner.as_str(),
            serde_json::to_string(&row.about)?,
            row.standing.name(),
            row.reason,
            row.first_seen,
            row.last_seen,
            row.passed.cast_signed()
        ])?;
        Ok(())
    }

    /// Keeps a token's line, `WORKER OWNER HASH`.
    pub(crate) fn add_token(&self, line: &str, now: i64) -> Result<(), FleetError> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [worker, owner, hash] = words[..] else {
            return Err(FleetError::Refused(format!("{line:?} is not a line of a file of tokens")));
        };
        let sql = "INSERT OR IGNORE INTO tokens (hash, worker, owner, at) VALUES (?1, ?2, ?3, ?4)";
        self.connection.execute(sql, params![hash, worker, owner, now])?;
        Ok(())
    }

    pub(crate) fn remove_tokens(&self, worker: &WorkerId) -> Result<usize, FleetError> {
        Ok(self.connection.execute("DELETE FROM tokens WHERE worker = ?1", [worker.as_str()])?)
    }

    /// The lines of all tokens.
    pub(crate) fn tokens(&self) -> Result<String, FleetError> {
        let sql = "SELECT worker, owner, hash FROM tokens ORDER BY worker, at, hash";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut text = String::new();
        while let Some(row) = rows.next()? {
            let word = |column: usize| row.get::<_, String>(column);
            text += &format!("{} {} {}\n", word(0)?, word(1)?, word(2)?);
        }
        Ok(text)
    }

    pub(crate) fn add_fault(&self, fault: &FaultRow) -> Result<(), FleetError> {
        let sql = "INSERT INTO faults (at, run, task, worker, kind, reason) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.connection.prepare_cached(sql)?.execute(params![
            fault.at,
            fault.run.map(|run| run.0.cast_signed()),
            fault.task.map(|task| task.0.cast_signed()),
            fault.worker.as_ref().map(WorkerId::as_str),
            fault.kind,
            fault.reason
        ])?;
        Ok(())
    }

    /// The latest faults, the newest first.
    pub fn faults(&self, most: usize) -> Result<Vec<FaultRow>, FleetError> {
        self.select_faults("ORDER BY id DESC LIMIT ?1", params![limit(most)])
    }

    /// The latest faults of a run, the newest first.
    pub fn faults_of(&self, run: RunId, most: usize) -> Result<Vec<FaultRow>, FleetError> {
        let of_run = params![run.0.cast_signed(), limit(most)];
        self.select_faults("WHERE run = ?1 ORDER BY id DESC LIMIT ?2", of_run)
    }

    fn select_faults(
        &self,
        which: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<FaultRow>, FleetError> {
        let sql = format!("SELECT at, run, task, worker, kind, reason FROM faults {which}");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(values, |row| {
            let worker: Option<String> = row.get(3)?;
            Ok(FaultRow {
                at: row.get(0)?,
                run: row.get::<_, Option<i64>>(1)?.map(|id| RunId(id.cast_unsigned())),
                task: row.get::<_, Option<i64>>(2)?.map(|id| TaskId(id.cast_unsigned())),
                worker: worker.map(|name| damaged(&name, 3)).transpose()?,
                kind: row.get(4)?,
                reason: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How many faults each run has had.
    pub fn fault_counts(&self) -> Result<HashMap<RunId, u64>, FleetError> {
        let sql = "SELECT run, COUNT(*) FROM faults WHERE run IS NOT NULL GROUP BY run";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            let (run, count): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok((RunId(run.cast_unsigned()), count.cast_unsigned()))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Owners whose workers say that the executable of a run does not work.
    pub(crate) fn accusers(&self, run: RunId) -> Result<Vec<String>, FleetError> {
        let sql = "SELECT DISTINCT w.owner FROM faults f JOIN workers w ON w.id = f.worker \
                   WHERE f.run = ?1 AND f.kind = ?2 ORDER BY w.owner";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement
            .query_map(params![run.0.cast_signed(), FaultKind::Executable.name()], |row| {
                row.get(0)
            })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
