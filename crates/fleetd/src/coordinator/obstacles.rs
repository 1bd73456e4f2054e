//! Why nothing of a run is being done, where somebody can do something about it.

use super::Coordinator;
use crate::error::FleetError;
use crate::ledger::WorkerRow;
use fleet::{Needs, RunId, Standing};

/// Seconds after which a worker that said nothing is not counted on, and after which it has said something to a coordinator
/// that has just begun. Workers say every forty who they are.
const SILENT: i64 = 150;
const GREETED: i64 = 45;

impl Coordinator {
    /// What an active run waits for; `None` where it need not wait.
    pub(crate) fn obstacle(&self, run: RunId, now: i64) -> Result<Option<String>, FleetError> {
        let Some(active) = self.runs.get(&run) else { return Ok(None) };
        if self.ledger.is_draining()? {
            let why = "no task is handed out: nue fleet drain --off has them handed out again";
            return Ok(Some(why.to_owned()));
        }
        let begun = self.begun.unwrap_or(now);
        let since = if now - begun < GREETED { now - SILENT } else { begun.max(now - SILENT) };
        let there = self.workers.values().filter(|row| row.last_seen >= since);
        let there: Vec<&WorkerRow> = there.collect();
        Ok(missing(&there, self.settings.bench, &active.needs))
    }
}

/// What those who are there lack.
fn missing(there: &[&WorkerRow], bench: Option<u64>, needs: &Needs) -> Option<String> {
    if there.is_empty() {
        let why =
            "no worker is there: nue fleet work starts one, nue fleet serve -j N works itself";
        return Some(why.to_owned());
    }
    let may = there.iter().filter(|row| {
        let right = bench.is_none_or(|bench| bench == row.about.bench);
        right && row.standing != Standing::Barred
    });
    let may: Vec<&&WorkerRow> = may.collect();
    if may.is_empty() {
        let count = there.len();
        return Some(format!(
            "none of the {count} workers that are there may work: nue fleet workers says why"
        ));
    }
    let fits = |row: &WorkerRow| {
        let memory = row.about.memory_mib;
        row.about.cores >= needs.cores && (memory == 0 || memory >= needs.memory_mib)
    };
    if may.iter().any(|row| fits(row)) {
        return None;
    }
    let (cores, memory) = (needs.cores, needs.memory_mib);
    let processors = if cores == 1 { "processor" } else { "processors" };
    let most = |of: fn(&WorkerRow) -> u64| may.iter().map(|row| of(row)).max().unwrap_or(0);
    let has = (most(|row| row.about.cores.into()), most(|row| row.about.memory_mib));
    Some(format!(
        "no worker has room: a task takes {cores} {processors} and {memory} MiB, those that are there have {} and {} MiB at most",
        has.0, has.1
    ))
}
