//! Workers, their owners' tokens, and faults.

use super::Ledger;
use super::runs::damaged;
use crate::error::FleetError;
use fleet::{FaultKind, RunId, Standing, TaskId, Worker, WorkerId};
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

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
        let sql =
            "SELECT at, run, task, worker, kind, reason FROM faults ORDER BY id DESC LIMIT ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = statement.query_map([most], |row| {
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
