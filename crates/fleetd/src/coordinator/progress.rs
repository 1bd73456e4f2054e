//! How far runs are, in the ledger: shown while they run, after they ended and after a restart.

use super::{Active, Coordinator, events};
use crate::error::FleetError;
use crate::ledger::{RunRow, TaskKind};
use fleet::RunId;
use fleet::driver::RunProgress;
use std::collections::HashMap;

/// How often the progress of a run is written down, in seconds.
const WRITE: i64 = 2;

impl Active {
    /// Notes games for the pace: a number for each second.
    pub(super) fn counted_lately(&mut self, games: u64, now: i64) {
        match self.recent.back_mut() {
            Some((at, sum)) if *at == now => *sum += games,
            _ => self.recent.push_back((now, games)),
        }
        while self.recent.front().is_some_and(|(at, _)| *at < now - events::RECENT) {
            self.recent.pop_front();
        }
    }
}

impl Coordinator {
    /// Tasks out, games a minute and progress of an active run.
    pub(crate) fn live(&self, run: RunId, now: i64) -> Option<(usize, f64, RunProgress)> {
        let active = self.runs.get(&run)?;
        let lately = active.recent.iter().filter(|(at, _)| *at >= now - events::RECENT);
        let games: u64 = lately.map(|(_, games)| games).sum();
        let since = active.recent.front().map_or(1, |(at, _)| (now - at).clamp(1, events::RECENT));
        Some((active.out, games as f64 * 60.0 / since as f64, active.driver.progress()))
    }

    /// Writes down how far runs are in which something has counted, now and then.
    pub(super) fn write_progress(&mut self, now: i64) -> Result<(), FleetError> {
        for (run, active) in &mut self.runs {
            let (at, changed) = active.written;
            if changed && (now - at).abs() >= WRITE {
                self.ledger.set_progress(*run, &active.driver.progress())?;
                active.written = (now, false);
            }
        }
        Ok(())
    }

    /// Counts the results of a run that ended before its progress was kept. One whose files are gone stays
    /// without.
    pub(super) fn count_anew(&self, row: &RunRow) -> Result<(), FleetError> {
        let Ok(mut driver) = self.driver(&row.spec, row.goal) else { return Ok(()) };
        let mut units = HashMap::new();
        for task in self.ledger.tasks(row.id, false)? {
            if task.kind == TaskKind::Work {
                driver.handed_out(&task.unit);
                units.insert(task.id, (task.unit, task.batches));
            }
        }
        self.ledger.each_result(row.id, &mut |result| {
            if let Some((unit, batches)) = units.get(&result.task) {
                let range = unit.part(*batches, result.batch);
                // What counts no more by today's rules is not shown as if it did.
                let _ = driver.accept(unit, range, &result.product);
            }
            Ok(())
        })?;
        self.ledger.set_progress(row.id, &driver.progress())
    }
}
