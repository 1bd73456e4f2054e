//! Runs, their tasks, and results.

use super::Ledger;
use crate::error::FleetError;
use fleet::driver::RunProgress;
use fleet::{Pins, Pool, Priority, Product, RunId, Spec, TaskId, Unit, Usage, WorkerId};
use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

/// Where a run stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    Active,
    Done,
    Stopped,
}

impl RunState {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Done => "done",
            Self::Stopped => "stopped",
        }
    }
}

/// A run.
#[derive(Clone, Debug)]
pub struct RunRow {
    pub id: RunId,
    pub name: String,
    pub owner: String,
    pub spec: Arc<Spec>,
    pub pins: Arc<Pins>,
    /// Games, where the spec has no end of its own.
    pub goal: Option<u64>,
    pub priority: Priority,
    /// Its part of the workers among runs of the same priority.
    pub share: f64,
    pub state: RunState,
    /// Why it ended.
    pub reason: String,
    pub created: i64,
    pub ended: Option<i64>,
    /// How far it was when it was last written down; where it ended, how it ended.
    pub progress: Option<RunProgress>,
}

/// What a task is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaskKind {
    /// Its results count.
    Work,
    /// Its results must be those of the task it names, of another owner.
    Check(TaskId),
    /// Its results must be those of the task it names, which are known to be right; or, without one, a sum.
    Known(Option<TaskId>),
}

impl TaskKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Check(_) => "check",
            Self::Known(_) => "known",
        }
    }

    pub(crate) const fn subject(self) -> Option<TaskId> {
        match self {
            Self::Work => None,
            Self::Check(task) => Some(task),
            Self::Known(task) => task,
        }
    }
}

/// A task.
#[derive(Clone, Debug)]
pub struct TaskRow {
    pub id: TaskId,
    pub run: RunId,
    pub unit: Unit,
    pub batches: u32,
    pub kind: TaskKind,
    pub pool: Pool,
}

/// A result that counts.
#[derive(Clone, Debug)]
pub struct StoredResult {
    pub task: TaskId,
    pub batch: u32,
    pub worker: WorkerId,
    pub product: Product,
}

/// A text of the file that cannot be what this program wrote.
pub(crate) fn damaged<T: FromStr<Err: std::fmt::Display>>(
    text: &str,
    column: usize,
) -> Result<T, rusqlite::Error> {
    text.parse().map_err(|e: T::Err| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            format!("{text:?}: {e}").into(),
        )
    })
}

fn json<T: for<'de> Deserialize<'de>>(text: &str, column: usize) -> Result<T, rusqlite::Error> {
    serde_json::from_str(text).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, e.into())
    })
}

fn number(row: &Row<'_>, column: usize) -> Result<u64, rusqlite::Error> {
    row.get::<_, i64>(column).map(i64::cast_unsigned)
}

const RUN: &str = "SELECT id, name, owner, spec, pins, goal, priority, share, state, reason, \
                   created, ended, progress FROM runs";

fn run(row: &Row<'_>) -> Result<RunRow, rusqlite::Error> {
    let text = |column: usize| row.get::<_, String>(column);
    let state = match text(8)?.as_str() {
        "active" => RunState::Active,
        "done" => RunState::Done,
        _ => RunState::Stopped,
    };
    Ok(RunRow {
        id: RunId(number(row, 0)?),
        name: text(1)?,
        owner: text(2)?,
        spec: Arc::new(json(&text(3)?, 3)?),
        pins: Arc::new(json(&text(4)?, 4)?),
        goal: row.get::<_, Option<i64>>(5)?.map(i64::cast_unsigned),
        priority: damaged(&text(6)?, 6)?,
        share: row.get(7)?,
        state,
        reason: text(9)?,
        created: row.get(10)?,
        ended: row.get(11)?,
        progress: match row.get::<_, Option<String>>(12)? {
            Some(text) => Some(json(&text, 12)?),
            None => None,
        },
    })
}

const TASK: &str = "SELECT id, run, unit, batches, kind, subject, pool FROM tasks";

fn task(row: &Row<'_>) -> Result<TaskRow, rusqlite::Error> {
    let subject = row.get::<_, Option<i64>>(5)?.map(|id| TaskId(id.cast_unsigned()));
    let kind = match (row.get::<_, String>(4)?.as_str(), subject) {
        ("check", Some(task)) => TaskKind::Check(task),
        ("known", task) => TaskKind::Known(task),
        _ => TaskKind::Work,
    };
    Ok(TaskRow {
        id: TaskId(number(row, 0)?),
        run: RunId(number(row, 1)?),
        unit: json(&row.get::<_, String>(2)?, 2)?,
        batches: row.get(3)?,
        kind,
        pool: damaged(&row.get::<_, String>(6)?, 6)?,
    })
}

impl Ledger {
    /// All runs, the oldest first.
    pub fn runs(&self) -> Result<Vec<RunRow>, FleetError> {
        let mut statement = self.connection.prepare_cached(&format!("{RUN} ORDER BY id"))?;
        Ok(statement.query_map([], run)?.collect::<Result<_, _>>()?)
    }

    /// A run.
    pub fn run(&self, id: RunId) -> Result<RunRow, FleetError> {
        let mut statement = self.connection.prepare_cached(&format!("{RUN} WHERE id = ?1"))?;
        let found = statement.query_row([id.0.cast_signed()], run).optional()?;
        found.ok_or(FleetError::NoRun(id))
    }

    pub(crate) fn add_run(&self, row: &RunRow) -> Result<RunId, FleetError> {
        let sql = "INSERT INTO runs (name, owner, spec, pins, goal, priority, share, state, created) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        self.connection.execute(
            sql,
            params![
                row.name,
                row.owner,
                serde_json::to_string(&*row.spec)?,
                serde_json::to_string(&*row.pins)?,
                row.goal.map(u64::cast_signed),
                row.priority.name(),
                row.share,
                row.state.name(),
                row.created
            ],
        )?;
        Ok(RunId(self.connection.last_insert_rowid().cast_unsigned()))
    }

    pub(crate) fn set_state(
        &self,
        run: RunId,
        state: RunState,
        reason: &str,
        now: i64,
    ) -> Result<(), FleetError> {
        let ended = (state != RunState::Active).then_some(now);
        let sql = "UPDATE runs SET state = ?2, reason = ?3, ended = ?4 WHERE id = ?1";
        let changed = params![run.0.cast_signed(), state.name(), reason, ended];
        self.connection.execute(sql, changed)?;
        Ok(())
    }

    /// Writes down how far a run is.
    pub(crate) fn set_progress(
        &self,
        run: RunId,
        progress: &RunProgress,
    ) -> Result<(), FleetError> {
        let sql = "UPDATE runs SET progress = ?2 WHERE id = ?1";
        let text = serde_json::to_string(progress)?;
        self.connection.prepare_cached(sql)?.execute(params![run.0.cast_signed(), text])?;
        Ok(())
    }

    pub(crate) fn set_priority(
        &self,
        run: RunId,
        priority: Priority,
        share: f64,
    ) -> Result<(), FleetError> {
        let sql = "UPDATE runs SET priority = ?2, share = ?3 WHERE id = ?1";
        self.connection.execute(sql, params![run.0.cast_signed(), priority.name(), share])?;
        Ok(())
    }

    pub(crate) fn add_task(&self, row: &TaskRow) -> Result<TaskId, FleetError> {
        let sql = "INSERT INTO tasks (run, unit, batches, kind, subject, pool) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let subject = row.kind.subject().map(|task| task.0.cast_signed());
        self.connection.prepare_cached(sql)?.execute(params![
            row.run.0.cast_signed(),
            serde_json::to_string(&row.unit)?,
            row.batches,
            row.kind.name(),
            subject,
            row.pool.as_str()
        ])?;
        Ok(TaskId(self.connection.last_insert_rowid().cast_unsigned()))
    }

    /// Forgets what was sent along with the tasks of a run that is over.
    pub(crate) fn drop_inputs(&self, run: RunId) -> Result<(), FleetError> {
        let sql = "UPDATE tasks SET unit = json_remove(unit, '$.input') \
                   WHERE run = ?1 AND json_type(unit, '$.input') IS NOT NULL";
        self.connection.execute(sql, [run.0.cast_signed()])?;
        Ok(())
    }

    pub(crate) fn close_task(&self, id: TaskId) -> Result<(), FleetError> {
        let sql = "UPDATE tasks SET open = 0 WHERE id = ?1";
        self.connection.prepare_cached(sql)?.execute([id.0.cast_signed()])?;
        Ok(())
    }

    /// A task.
    pub fn task(&self, id: TaskId) -> Result<Option<TaskRow>, FleetError> {
        let mut statement = self.connection.prepare_cached(&format!("{TASK} WHERE id = ?1"))?;
        Ok(statement.query_row([id.0.cast_signed()], task).optional()?)
    }

    /// Tasks of a run, in order; only those not finished, or all of them.
    pub(crate) fn tasks(&self, run: RunId, open: bool) -> Result<Vec<TaskRow>, FleetError> {
        let filter = if open { "AND open = 1" } else { "" };
        let sql = format!("{TASK} WHERE run = ?1 {filter} ORDER BY id");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map([run.0.cast_signed()], task)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The last tasks of a run, the newest first.
    pub(crate) fn last_tasks(&self, run: RunId, most: usize) -> Result<Vec<TaskRow>, FleetError> {
        let sql = format!("{TASK} WHERE run = ?1 ORDER BY id DESC LIMIT ?2");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = statement.query_map([run.0.cast_signed(), most], task)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The tasks in which others do a task too, in order.
    pub(crate) fn checks_of(&self, subject: TaskId) -> Result<Vec<TaskId>, FleetError> {
        let sql = "SELECT id FROM tasks WHERE subject = ?1 AND kind = 'check' ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows =
            statement.query_map([subject.0.cast_signed()], |row| Ok(TaskId(number(row, 0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps a result; whether it is the first of its name.
    pub(crate) fn add_result(
        &self,
        run: RunId,
        result: &StoredResult,
        (counts, at): (bool, i64),
        usage: Usage,
    ) -> Result<bool, FleetError> {
        let sql = "INSERT OR IGNORE INTO results \
                   (task, batch, run, worker, at, counts, product, millis, nodes) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let added = self.connection.prepare_cached(sql)?.execute(params![
            result.task.0.cast_signed(),
            result.batch,
            run.0.cast_signed(),
            result.worker.as_str(),
            at,
            counts,
            serde_json::to_string(&result.product)?,
            usage.millis.cast_signed(),
            usage.nodes.cast_signed()
        ])?;
        Ok(added == 1)
    }

    /// Whether a result of that name is there.
    pub(crate) fn has_result(&self, task: TaskId, batch: u32) -> Result<bool, FleetError> {
        let sql = "SELECT COUNT(*) FROM results WHERE task = ?1 AND batch = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let count: i64 =
            statement.query_row(params![task.0.cast_signed(), batch], |row| row.get(0))?;
        Ok(count > 0)
    }

    /// Batches of a task that are there, with who made them.
    pub(crate) fn batches(&self, task: TaskId) -> Result<HashMap<u32, WorkerId>, FleetError> {
        let sql = "SELECT batch, worker FROM results WHERE task = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([task.0.cast_signed()], |row| {
            Ok((row.get(0)?, damaged(&row.get::<_, String>(1)?, 1)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Batches of a task that count, in order.
    pub(crate) fn counting(&self, task: TaskId) -> Result<Vec<u32>, FleetError> {
        let sql = "SELECT batch FROM results WHERE task = ?1 AND counts = 1 ORDER BY batch";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([task.0.cast_signed()], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One result.
    pub(crate) fn product(&self, task: TaskId, batch: u32) -> Result<Option<Product>, FleetError> {
        let sql = "SELECT product FROM results WHERE task = ?1 AND batch = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement
            .query_row(params![task.0.cast_signed(), batch], |row| row.get::<_, String>(0));
        Ok(found.optional()?.map(|text| serde_json::from_str(&text)).transpose()?)
    }

    /// Every result of a run that counts, by task and batch, one at a time.
    pub fn each_result(
        &self,
        run: RunId,
        each: &mut dyn FnMut(StoredResult) -> Result<(), FleetError>,
    ) -> Result<(), FleetError> {
        let sql = "SELECT r.task, r.batch, r.worker, r.product FROM results r \
                   JOIN tasks t ON t.id = r.task \
                   WHERE t.run = ?1 AND t.kind = 'work' AND r.counts = 1 \
                   ORDER BY r.task, r.batch";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([run.0.cast_signed()])?;
        while let Some(row) = rows.next()? {
            each(StoredResult {
                task: TaskId(number(row, 0)?),
                batch: row.get(1)?,
                worker: damaged(&row.get::<_, String>(2)?, 2)?,
                product: json(&row.get::<_, String>(3)?, 3)?,
            })?;
        }
        Ok(())
    }

    /// Takes results of a worker out: they are kept, and count no more. Their names, by run.
    pub(crate) fn purge(
        &self,
        worker: &WorkerId,
        run: RunId,
    ) -> Result<Vec<(TaskId, u32)>, FleetError> {
        let sql = "SELECT r.task, r.batch FROM results r JOIN tasks t ON t.id = r.task \
                   WHERE r.worker = ?1 AND r.run = ?2 AND r.counts = 1 AND t.kind = 'work'";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map(params![worker.as_str(), run.0.cast_signed()], |row| {
            Ok((TaskId(number(row, 0)?), row.get(1)?))
        })?;
        let names: Vec<(TaskId, u32)> = rows.collect::<Result<_, _>>()?;
        let sql = "UPDATE results SET counts = 0 WHERE worker = ?1 AND run = ?2";
        self.connection.execute(sql, params![worker.as_str(), run.0.cast_signed()])?;
        Ok(names)
    }
}
