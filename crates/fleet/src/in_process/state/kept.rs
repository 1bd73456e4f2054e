//! What outlives the process a queue lives in, where somebody writes it down.

use super::{Entry, Stage, State};
use crate::names::{RunId, WorkerId};
use crate::queue::{Cursor, Event, Settings};
use crate::task::Task;
use crate::worker::Standing;
use think::Moment;

/// What a queue is to know from the start. Tasks that only waited are not in it: they are offered again.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Kept {
    /// Tasks that were leased, those that are over since included, the oldest first.
    pub tasks: Vec<KeptTask>,
    /// Events nobody has acknowledged.
    pub events: Vec<(Cursor, Event)>,
    /// The last cursor that was given.
    pub cursor: Cursor,
    pub withdrawn: Vec<RunId>,
    pub standings: Vec<(WorkerId, Standing)>,
    pub draining: bool,
}

/// A task and its last lease.
#[derive(Clone, PartialEq, Debug)]
pub struct KeptTask {
    pub task: Task,
    pub worker: WorkerId,
    pub secret: String,
    pub attempt: u32,
    /// Batches that are there, in any order.
    pub done: Vec<u32>,
    /// Given up or withdrawn; a task with all of its batches is over anyway.
    pub over: bool,
}

impl State {
    /// A queue that goes on. Leases last from now on: nobody loses one to the time nothing answered.
    pub(in crate::in_process) fn restored(kept: Kept, now: Moment, settings: &Settings) -> Self {
        let mut state = Self {
            withdrawn: kept.withdrawn.into_iter().collect(),
            standings: kept.standings.into_iter().collect(),
            draining: kept.draining,
            cursor: kept.cursor.0,
            ..Self::default()
        };
        for kept in kept.tasks {
            state.restore_task(kept, now, settings);
        }
        for (_, event) in &kept.events {
            match event {
                Event::Finished { task, batch, .. } => {
                    state.restore_batch(*task, batch.number, settings);
                }
                Event::Announced { worker } => state.rooms.announced(worker),
                _ => {}
            }
        }
        state.events = kept.events.into();
        state
    }

    fn restore_task(&mut self, kept: KeptTask, now: Moment, settings: &Settings) {
        let KeptTask { task, worker, secret, attempt, mut done, over } = kept;
        done.sort_unstable();
        done.dedup();
        let (id, run, batches) = (task.id, task.run, task.batches.max(1));
        let due = now.saturating_add(settings.lease);
        let over = over || done.len() == batches as usize || self.withdrawn.contains(&run);
        // What a barred worker held waits again, and is offered again.
        if !over && self.standings.get(&worker) == Some(&Standing::Barred) {
            return;
        }
        if !over {
            self.rooms.take(&worker, &task.needs);
        }
        let stage = if over { Stage::Over } else { Stage::Leased(Box::new(task), due) };
        let holder = Some((worker, secret));
        self.tasks.insert(id, Entry { run, stage, holder, attempt, done, batches });
        if over {
            self.is_over(id, settings);
        } else {
            self.expiries.insert((due, id));
        }
    }

    fn restore_batch(&mut self, id: crate::TaskId, number: u32, settings: &Settings) {
        let Some(entry) = self.tasks.get_mut(&id) else { return };
        let (Stage::Leased(..), Err(place)) = (&entry.stage, entry.done.binary_search(&number))
        else {
            return;
        };
        entry.done.insert(place, number);
        if entry.done.len() == entry.batches as usize {
            self.leave(id);
            self.is_over(id, settings);
        }
    }

    pub(in crate::in_process) const fn cursor(&self) -> Cursor {
        Cursor(self.cursor)
    }
}
