//! What is handed out: how much at a time, to whom, in which order.

use super::trust::DRILL;
use super::{Active, Coordinator, Effect, Outstanding};
use crate::error::FleetError;
use crate::ledger::{RunState, TaskKind, TaskRow};
use fleet::driver::Part;
use fleet::{Fault, Needs, Pool, Priority, QueueError, RunId, Task, TaskId};
use std::sync::Arc;

/// How long a task is to take, in milliseconds: what a worker that dies loses, and how often one asks.
const TASK: f64 = 300_000.0;

/// Batches of a task, however short they are: the last workers of a run are not waited for by all others.
const BATCHES: f64 = 16.0;

impl Active {
    /// Batches of its next task: as many as fit into the time a task is to take, by what they took so far.
    pub(super) fn size(&self) -> u32 {
        match self.pace {
            None => self.driver.usual(),
            Some(pace) => (TASK / pace.max(1.0)).clamp(1.0, BATCHES) as u32,
        }
    }

    /// A batch took so long.
    pub(super) fn took(&mut self, millis: u64) {
        let millis = millis.min(100_000_000) as f64;
        let pace = self.pace.unwrap_or(millis);
        self.pace = Some(pace + (millis - pace) / 16.0);
    }
}

impl Coordinator {
    pub(super) fn offer(&mut self, id: TaskId) -> Result<(), QueueError> {
        let Some(task) = self.tasks.get(&id).map(|task| &task.row) else { return Ok(()) };
        let Some(active) = self.runs.get(&task.run) else { return Ok(()) };
        let drill = matches!(task.kind, TaskKind::Known(None));
        let (spec, needs) = match drill {
            true => (Arc::new(DRILL), Needs::default()),
            false => (Arc::clone(&active.spec), active.needs.clone()),
        };
        let run = &active.row;
        let task = Task {
            id,
            run: task.run,
            batches: task.batches,
            spec,
            unit: task.unit.clone(),
            seed: 0,
            pins: Arc::clone(&run.pins),
            needs: Needs { pool: task.pool.clone(), ..needs },
            priority: if task.pool.is_private() { Priority::High } else { run.priority },
        };
        self.queue.offer(&task)?;
        self.counts.offered += 1;
        Ok(())
    }

    /// Makes tasks until enough wait: of the most urgent runs, those with the least for their share.
    pub(super) fn hand_out(&mut self, now: i64) -> Result<bool, FleetError> {
        let Ok(occupancy) = self.queue.occupancy() else { return Ok(false) };
        // The more are at work, the more come for another task while a step takes its time.
        let ahead = self.settings.lookahead.max(occupancy.leased / 2);
        let mut room = ahead.saturating_sub(occupancy.waiting);
        let mut made = false;
        let mut dry: Vec<(RunId, Option<Fault>)> = Vec::new();
        while room > 0 {
            let is_dry = |run: RunId| dry.iter().any(|(other, _)| *other == run);
            let ready = self.runs.values_mut().filter(|active| !is_dry(active.row.id));
            let next = ready.min_by(|a, b| {
                let load = |active: &Active| active.out as f64 / active.row.share.max(1e-6);
                b.row.priority.cmp(&a.row.priority).then(load(a).total_cmp(&load(b)))
            });
            let Some(active) = next else { break };
            let run = active.row.id;
            let part = match active.driver.next(active.size()) {
                Ok(Some(part)) => part,
                Ok(None) => {
                    dry.push((run, None));
                    continue;
                }
                Err(fault) => {
                    dry.push((run, Some(fault)));
                    continue;
                }
            };
            self.add_task(run, part, TaskKind::Work, Pool::any())?;
            made = true;
            room -= 1;
        }
        for (run, fault) in dry {
            let verdict = self.runs.get(&run).and_then(|active| active.driver.verdict());
            match (fault, verdict) {
                (Some(fault), _) => {
                    self.end_run(run, RunState::Stopped, &fault.to_string(), now)?;
                }
                // Where the end is, is known only when nothing more is found.
                (None, Some(why)) => self.end_run(run, RunState::Done, &why, now)?,
                (None, None) => {}
            }
        }
        Ok(made)
    }

    /// Has the queue hand out nothing more, or again.
    pub(crate) fn drain(&mut self, draining: bool) {
        self.effects.push(Effect::Drain(draining));
    }

    pub(crate) fn prioritise(
        &mut self,
        run: RunId,
        priority: Priority,
        share: Option<f64>,
    ) -> Result<(), FleetError> {
        if !self.runs.contains_key(&run) {
            return Err(self.is_over(run));
        }
        let active = self.runs.get_mut(&run).ok_or(FleetError::NoRun(run))?;
        active.row.priority = priority;
        active.row.share = share.unwrap_or(active.row.share);
        self.ledger.set_priority(run, priority, active.row.share)
    }

    /// Writes a task down, to be offered.
    pub(super) fn add_task(
        &mut self,
        run: RunId,
        part: Part,
        kind: TaskKind,
        pool: Pool,
    ) -> Result<TaskId, FleetError> {
        let Part { unit, batches } = part;
        let mut row = TaskRow { id: TaskId(0), run, unit, batches, kind, pool };
        row.id = self.ledger.add_task(&row)?;
        let id = row.id;
        if let Some(active) = self.runs.get_mut(&run) {
            active.out += 1;
        }
        self.tasks.insert(id, Outstanding { missing: (0..row.batches).collect(), row });
        self.effects.push(Effect::Offer(id));
        Ok(id)
    }
}
