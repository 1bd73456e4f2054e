//! Where everything stands, as a page shows it.

mod text;

use crate::coordinator::Coordinator;
use crate::error::FleetError;
use crate::ledger::{FaultRow, Ledger, RunRow, RunState};
use fleet::driver::RunProgress;
use fleet::residuals::{Residual, residuals};
use fleet::{Occupancy, OwnerName, Priority, RunId, Standing, TaskId, WorkerId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Faults shown: of all runs together, and of each.
const FAULTS: usize = 100;
const RUN_FAULTS: usize = 5;

/// Everything a page shows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Status {
    pub runs: Vec<RunStatus>,
    pub workers: Vec<WorkerStatus>,
    /// The newest first.
    pub faults: Vec<FaultRow>,
    pub queue: Occupancy,
    /// Whether no task is handed out.
    #[serde(default)]
    pub draining: bool,
}

/// A run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunStatus {
    pub id: RunId,
    pub name: String,
    pub owner: String,
    pub kind: String,
    pub priority: Priority,
    pub share: f64,
    pub state: RunState,
    pub reason: String,
    pub created: i64,
    pub ended: Option<i64>,
    /// Tasks handed out and not finished.
    pub out: usize,
    /// Lately; of a run that has ended, from its beginning to its end.
    pub games_a_minute: f64,
    /// What it waits for, where somebody can do something about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
    /// How far it is, or how it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<RunProgress>,
    /// Faults noted in it, and the newest of them.
    #[serde(default)]
    pub faults: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_faults: Vec<FaultRow>,
}

/// A worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WorkerStatus {
    pub id: WorkerId,
    pub owner: OwnerName,
    pub cores: u32,
    pub speed: u64,
    pub version: String,
    pub standing: Standing,
    pub reason: String,
    pub last_seen: i64,
    pub passed: u64,
    /// What it is working on.
    pub tasks: Vec<TaskId>,
    /// How far its results are from the others', in the run where it is furthest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual: Option<Residual>,
}

/// Games a minute of a run that has ended, from its beginning to its end.
fn pace(row: &RunRow) -> f64 {
    let (Some(ended), Some(progress)) = (row.ended, &row.progress) else { return 0.0 };
    progress.done as f64 * 60.0 / (ended - row.created).max(1) as f64
}

/// Runs and workers as the ledger alone knows them, without a coordinator.
pub fn of_ledger(ledger: &Ledger) -> Result<Status, FleetError> {
    let counts = ledger.fault_counts()?;
    let runs = ledger.runs()?.into_iter().map(|row| RunStatus {
        faults: counts.get(&row.id).copied().unwrap_or(0),
        last_faults: Vec::new(),
        games_a_minute: pace(&row),
        id: row.id,
        name: row.name,
        owner: row.owner,
        kind: row.spec.kind().to_owned(),
        priority: row.priority,
        share: row.share,
        state: row.state,
        reason: row.reason,
        created: row.created,
        ended: row.ended,
        out: 0,
        obstacle: None,
        progress: row.progress,
    });
    let workers = ledger.workers()?.into_iter().map(|row| WorkerStatus {
        id: row.about.id,
        owner: row.about.owner,
        cores: row.about.cores,
        speed: row.about.speed,
        version: row.about.version,
        standing: row.standing,
        reason: row.reason,
        last_seen: row.last_seen,
        passed: row.passed,
        tasks: Vec::new(),
        residual: None,
    });
    let mut runs: Vec<RunStatus> = runs.collect();
    for run in runs.iter_mut().filter(|run| run.faults > 0) {
        run.last_faults = ledger.faults_of(run.id, RUN_FAULTS)?;
    }
    Ok(Status {
        runs,
        workers: workers.collect(),
        faults: ledger.faults(FAULTS)?,
        queue: Occupancy::default(),
        draining: ledger.is_draining()?,
    })
}

impl Coordinator {
    /// Where everything stands.
    pub fn status(&self, now: i64) -> Result<Status, FleetError> {
        let mut status = of_ledger(self.ledger())?;
        for run in &mut status.runs {
            if let Some((out, games, progress)) = self.live(run.id, now) {
                (run.out, run.games_a_minute, run.progress) = (out, games, Some(progress));
                run.obstacle = self.obstacle(run.id, now)?;
            }
        }
        let mut held: HashMap<WorkerId, Vec<TaskId>> = HashMap::new();
        // A queue that is away for a moment shows nobody at work.
        for holding in self.queue().leases().unwrap_or_default() {
            held.entry(holding.worker).or_default().push(holding.task);
        }
        let furthest = self.residuals();
        for worker in &mut status.workers {
            worker.tasks = held.remove(&worker.id).unwrap_or_default();
            worker.residual = furthest.get(&worker.id).copied();
            worker.last_seen = self.last_seen(&worker.id).unwrap_or(worker.last_seen);
        }
        status.queue = self.queue().occupancy().unwrap_or_default();
        Ok(status)
    }

    /// The furthest residual of each worker.
    pub fn residuals(&self) -> HashMap<WorkerId, Residual> {
        let mut furthest: HashMap<WorkerId, Residual> = HashMap::new();
        for rows in self.pair_rows() {
            let (names, rows): (Vec<&WorkerId>, Vec<_>) = rows.iter().unzip();
            for (name, residual) in names.into_iter().zip(residuals(&rows)) {
                let Some(residual) = residual else { continue };
                let kept = furthest.entry(name.clone()).or_insert(residual);
                if residual.deviations > kept.deviations {
                    *kept = residual;
                }
            }
        }
        furthest
    }
}
