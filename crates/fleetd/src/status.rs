//! Where everything stands, as a page shows it.

use crate::coordinator::Coordinator;
use crate::error::FleetError;
use crate::ledger::{FaultRow, Ledger, RunState};
use fleet::driver::RunProgress;
use fleet::residuals::{Residual, residuals};
use fleet::{Occupancy, OwnerName, Priority, RunId, Standing, TaskId, WorkerId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Faults shown.
const FAULTS: usize = 100;

/// Everything a page shows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Status {
    pub runs: Vec<RunStatus>,
    pub workers: Vec<WorkerStatus>,
    /// The newest first.
    pub faults: Vec<FaultRow>,
    pub queue: Occupancy,
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
    pub games_a_minute: f64,
    /// Of active runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<RunProgress>,
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

/// Runs and workers as the ledger alone knows them, without a coordinator.
pub fn of_ledger(ledger: &Ledger) -> Result<Status, FleetError> {
    let runs = ledger.runs()?.into_iter().map(|row| RunStatus {
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
        games_a_minute: 0.0,
        progress: None,
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
    Ok(Status {
        runs: runs.collect(),
        workers: workers.collect(),
        faults: ledger.faults(FAULTS)?,
        queue: Occupancy::default(),
    })
}

impl Coordinator {
    /// Where everything stands.
    pub fn status(&self, now: i64) -> Result<Status, FleetError> {
        let mut status = of_ledger(self.ledger())?;
        for run in &mut status.runs {
            if let Some((out, games, progress)) = self.live(run.id, now) {
                (run.out, run.games_a_minute, run.progress) = (out, games, Some(progress));
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

impl Status {
    /// The runs, as a table for people.
    pub fn runs_text(&self) -> String {
        if self.runs.is_empty() {
            return "there are no runs\n".to_owned();
        }
        let mut text = String::from("run    kind      state    priority  games            name\n");
        for run in &self.runs {
            let done = run.progress.as_ref().map_or_else(String::new, |progress| {
                let total = progress.total.map_or_else(String::new, |total| format!("/{total}"));
                format!("{}{total}", progress.done)
            });
            text += &format!(
                "{:<6} {:<9} {:<8} {:<9} {done:<16} {}\n",
                run.id.to_string(),
                run.kind,
                run.state.name(),
                run.priority.name(),
                run.name
            );
        }
        text
    }

    /// The workers, as a table for people.
    pub fn workers_text(&self) -> String {
        if self.workers.is_empty() {
            return "there are no workers\n".to_owned();
        }
        let mut text =
            String::from("worker           owner        cores  knps  standing   tasks  why\n");
        for worker in &self.workers {
            text += &format!(
                "{:<16} {:<12} {:>5} {:>5}  {:<10} {:>5}  {}\n",
                worker.id.as_str(),
                worker.owner.as_str(),
                worker.cores,
                worker.speed / 1000,
                worker.standing.name(),
                worker.tasks.len(),
                worker.reason
            );
        }
        text
    }

    /// One run in words; `None` if there is no such run.
    pub fn run_text(&self, id: RunId) -> Option<String> {
        let run = self.runs.iter().find(|run| run.id == id)?;
        let mut text = format!(
            "{}: {} ({}), by {}\n{}, priority {}, share {}\n",
            run.id,
            run.name,
            run.kind,
            run.owner,
            run.state.name(),
            run.priority,
            run.share
        );
        if !run.reason.is_empty() {
            text += &format!("ended: {}\n", run.reason);
        }
        if let Some(progress) = &run.progress {
            let total = progress.total.map_or_else(String::new, |total| format!(" of {total}"));
            text += &format!(
                "{}{total} games, {:.1} a minute, {} tasks handed out\n",
                progress.done, run.games_a_minute, run.out
            );
            if let Some(score) = &progress.score {
                text += &format!(
                    "won {}, drawn {}, lost {}; pairs {:?}\n",
                    score.wins, score.draws, score.losses, score.pairs
                );
                if let Some((ratio, low, high)) = score.ratio {
                    text += &format!("LLR {ratio:.2} ({low:.2} to {high:.2})\n");
                }
            }
            if let Some(tuning) = &progress.tuning {
                text += &format!("iteration {} of {}\n", tuning.iteration, tuning.iterations);
                let values = tuning.start.iter().zip(&tuning.values);
                for (name, (start, value)) in tuning.names.iter().zip(values) {
                    text += &format!("  {name}: {start} -> {value:.2}\n");
                }
            }
        }
        for fault in self.faults.iter().filter(|fault| fault.run == Some(id)) {
            let worker = fault.worker.as_ref().map_or_else(String::new, |w| format!("{w}: "));
            text += &format!("fault: {worker}{}: {}\n", fault.kind, fault.reason);
        }
        Some(text)
    }
}
