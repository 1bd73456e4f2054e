//! What the queue in memory knows. Nothing here waits, locks or asks a clock.

pub(super) mod kept;
mod room;

use crate::batch::{Batch, Fault, FaultKind};
use crate::names::{Pool, RunId, TaskId, WorkerId};
use crate::queue::{
    Cursor, Event, Finished, Holding, Lease, LeaseKey, Occupancy, Offered, QueueError, Settings,
};
use crate::task::{Priority, Task};
use crate::worker::{Standing, Worker};
use room::Rooms;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use think::Moment;

/// A task and where it stands.
struct Entry {
    run: RunId,
    stage: Stage,
    /// Of the last lease.
    holder: Option<(WorkerId, String)>,
    attempt: u32,
    /// Numbers of batches that are there, in order.
    done: Vec<u32>,
    batches: u32,
}

enum Stage {
    Waiting(Box<Task>),
    /// After a failure.
    Resting(Box<Task>, Moment),
    Leased(Box<Task>, Moment),
    /// Done, given up or withdrawn.
    Over,
}

/// Tasks that wait in a pool, by class. A number may be left over from a task that waits no more.
#[derive(Default)]
struct Lines([VecDeque<TaskId>; 3]);

impl Lines {
    fn of(&mut self, priority: Priority) -> &mut VecDeque<TaskId> {
        &mut self.0[priority as usize]
    }
}

#[derive(Default)]
pub(super) struct State {
    tasks: HashMap<TaskId, Entry>,
    lines: HashMap<Pool, Lines>,
    /// When leases run out.
    expiries: BTreeSet<(Moment, TaskId)>,
    /// When tasks have rested.
    rests: BTreeSet<(Moment, TaskId)>,
    waiting: usize,
    /// Tasks that are over, the oldest first.
    over: VecDeque<TaskId>,
    withdrawn: HashSet<RunId>,
    standings: HashMap<WorkerId, Standing>,
    rooms: Rooms,
    draining: bool,
    events: VecDeque<(Cursor, Event)>,
    cursor: u64,
}

impl State {
    /// Does what is due; says whether something was.
    pub(super) fn advance(&mut self, now: Moment, settings: &Settings) -> bool {
        let mut changed = false;
        while let Some(&(due, id)) = self.expiries.first().filter(|(due, _)| *due <= now) {
            self.expiries.remove(&(due, id));
            changed = true;
            let Some(entry) = self.tasks.get(&id) else { continue };
            let (run, holder) = (entry.run, entry.holder.clone());
            if let Some((worker, _)) = holder {
                self.push(Event::Expired { task: id, run, worker });
            }
            self.again(id, None, settings);
        }
        while let Some(&(due, id)) = self.rests.first().filter(|(due, _)| *due <= now) {
            self.rests.remove(&(due, id));
            changed = true;
            if let Some(entry) = self.tasks.get_mut(&id)
                && let Stage::Resting(task, _) = std::mem::replace(&mut entry.stage, Stage::Over)
            {
                let (pool, priority) = (task.needs.pool.clone(), task.priority);
                entry.stage = Stage::Waiting(task);
                self.lines.entry(pool).or_default().of(priority).push_front(id);
            }
        }
        changed
    }

    /// What a task takes of its holder is free again.
    fn vacate(&mut self, id: TaskId) {
        let Some(Entry { stage: Stage::Leased(task, _), holder: Some((worker, _)), .. }) =
            self.tasks.get(&id)
        else {
            return;
        };
        self.rooms.give_back(worker, &task.needs);
    }

    pub(super) fn announce(&mut self, worker: &Worker, settings: &Settings) {
        self.rooms.announced(worker);
        if let Some(holding) = &worker.holding {
            self.take_lost(&worker.id, holding, settings);
        }
        let worker = Worker { holding: None, ..worker.clone() };
        self.push(Event::Announced { worker: Box::new(worker) });
    }

    /// Tasks leased to a worker that it has not got wait again at once.
    fn take_lost(&mut self, worker: &WorkerId, holding: &[TaskId], settings: &Settings) {
        let lost = self.leased_to(worker);
        for task in lost.into_iter().filter(|task| !holding.contains(task)) {
            let Some(run) = self.tasks.get(&task).map(|entry| entry.run) else { continue };
            let fault = Fault::new(FaultKind::Leaving, "its worker has not got it any more");
            self.push(Event::Failed { task, run, worker: worker.clone(), fault });
            self.again(task, None, settings);
            if let Some(entry) = self.tasks.get_mut(&task) {
                entry.holder = None;
            }
        }
    }

    /// The tasks a worker has leased.
    fn leased_to(&self, worker: &WorkerId) -> Vec<TaskId> {
        let leased = self.expiries.iter().map(|(_, id)| *id);
        let is_its = |id: &TaskId| {
            let holder = self.tasks.get(id).and_then(|entry| entry.holder.as_ref());
            holder.is_some_and(|(holder, _)| holder == worker)
        };
        leased.filter(is_its).collect()
    }

    /// Takes a leased task back: at once, or when it has rested; gives it up after too many leases.
    fn again(&mut self, id: TaskId, rest: Option<Moment>, settings: &Settings) {
        self.vacate(id);
        let Some(entry) = self.tasks.get_mut(&id) else { return };
        let Stage::Leased(task, due) = std::mem::replace(&mut entry.stage, Stage::Over) else {
            return;
        };
        self.expiries.remove(&(due, id));
        let (run, attempts) = (entry.run, entry.attempt);
        if attempts >= settings.max_attempts {
            self.push(Event::GivenUp { task: id, run, attempts });
            self.is_over(id, settings);
            return;
        }
        self.waiting += 1;
        if let Some(until) = rest {
            entry.stage = Stage::Resting(task, until);
            self.rests.insert((until, id));
        } else {
            let (pool, priority) = (task.needs.pool.clone(), task.priority);
            entry.stage = Stage::Waiting(task);
            self.lines.entry(pool).or_default().of(priority).push_front(id);
        }
    }

    fn is_over(&mut self, id: TaskId, settings: &Settings) {
        if let Some(entry) = self.tasks.get_mut(&id) {
            entry.stage = Stage::Over;
            entry.done = Vec::new();
        }
        self.over.push_back(id);
        while self.over.len() > settings.remembered {
            if let Some(oldest) = self.over.pop_front() {
                self.tasks.remove(&oldest);
            }
        }
    }

    pub(super) fn push(&mut self, event: Event) {
        self.cursor += 1;
        self.events.push_back((Cursor(self.cursor), event));
    }

    pub(super) fn offer(
        &mut self,
        task: &Task,
        settings: &Settings,
    ) -> Result<Offered, QueueError> {
        if self.withdrawn.contains(&task.run) {
            return Err(QueueError::Withdrawn { run: task.run });
        }
        if self.tasks.contains_key(&task.id) {
            return Ok(Offered::Known);
        }
        if self.waiting >= settings.max_waiting {
            let bound = settings.max_waiting as u64;
            return Err(QueueError::Full { what: "tasks that wait".to_owned(), bound });
        }
        let entry = Entry {
            run: task.run,
            stage: Stage::Waiting(Box::new(task.clone())),
            holder: None,
            attempt: 0,
            done: Vec::new(),
            batches: task.batches.max(1),
        };
        self.tasks.insert(task.id, entry);
        self.waiting += 1;
        let lines = self.lines.entry(task.needs.pool.clone()).or_default();
        lines.of(task.priority).push_back(task.id);
        Ok(Offered::Accepted)
    }

    pub(super) fn withdraw(&mut self, run: RunId, settings: &Settings) {
        self.withdrawn.insert(run);
        let of_run = |(id, entry): (&TaskId, &Entry)| {
            (entry.run == run && !matches!(entry.stage, Stage::Over)).then_some(*id)
        };
        let ids: Vec<TaskId> = self.tasks.iter().filter_map(of_run).collect();
        for id in ids {
            self.leave(id);
            self.is_over(id, settings);
        }
    }

    /// Takes a task out of whatever it waits for.
    fn leave(&mut self, id: TaskId) {
        self.vacate(id);
        match self.tasks.get(&id).map(|entry| &entry.stage) {
            Some(Stage::Leased(_, due)) => drop(self.expiries.remove(&(*due, id))),
            Some(Stage::Resting(_, until)) => {
                self.rests.remove(&(*until, id));
                self.waiting -= 1;
            }
            Some(Stage::Waiting(_)) => self.waiting -= 1,
            Some(Stage::Over) | None => {}
        }
    }

    pub(super) fn stand(&mut self, worker: &WorkerId, standing: Standing, settings: &Settings) {
        self.standings.insert(worker.clone(), standing);
        if standing != Standing::Barred {
            return;
        }
        for id in self.leased_to(worker) {
            self.again(id, None, settings);
        }
        // What it held before, and finished late, is not taken from it either.
        for entry in self.tasks.values_mut() {
            if entry.holder.as_ref().is_some_and(|(holder, _)| holder == worker) {
                entry.holder = None;
            }
        }
    }

    pub(super) fn lease(
        &mut self,
        worker: &WorkerId,
        pools: &[Pool],
        now: Moment,
        settings: &Settings,
    ) -> Result<Option<Lease>, QueueError> {
        let standing = self.standings.get(worker).copied().unwrap_or_default();
        if standing == Standing::Barred {
            return Err(QueueError::Barred { worker: worker.clone() });
        }
        if self.draining {
            return Ok(None);
        }
        let admitted = standing == Standing::Admitted;
        let may = |pool: &Pool| pool.is_of(worker) || (admitted && !pool.is_private());
        let Some(id) = self.next(worker, pools, &may) else { return Ok(None) };
        Ok(self.lend(id, worker, now, settings))
    }

    /// The task whose turn it is, of those the worker has room for.
    fn next(
        &mut self,
        worker: &WorkerId,
        pools: &[Pool],
        may: &dyn Fn(&Pool) -> bool,
    ) -> Option<TaskId> {
        let Self { tasks, lines, rooms, .. } = self;
        for priority in Priority::ALL {
            for pool in pools.iter().filter(|pool| may(pool)) {
                let Some(line) = lines.get_mut(pool).map(|lines| lines.of(priority)) else {
                    continue;
                };
                let mut place = 0;
                while let Some(&id) = line.get(place) {
                    match tasks.get(&id).map(|entry| &entry.stage) {
                        Some(Stage::Waiting(task)) if !rooms.is_enough(worker, &task.needs) => {
                            place += 1;
                        }
                        Some(Stage::Waiting(_)) => return line.remove(place),
                        _ => drop(line.remove(place)),
                    }
                }
            }
        }
        None
    }

    fn lend(
        &mut self,
        id: TaskId,
        worker: &WorkerId,
        now: Moment,
        settings: &Settings,
    ) -> Option<Lease> {
        let entry = self.tasks.get_mut(&id)?;
        let Stage::Waiting(task) = std::mem::replace(&mut entry.stage, Stage::Over) else {
            return None;
        };
        let due = now.saturating_add(settings.lease);
        let lent = Task::clone(&task);
        entry.stage = Stage::Leased(task, due);
        entry.attempt += 1;
        let secret = secret();
        entry.holder = Some((worker.clone(), secret.clone()));
        self.rooms.take(worker, &lent.needs);
        self.waiting -= 1;
        self.expiries.insert((due, id));
        Some(Lease {
            key: LeaseKey { task: id, worker: worker.clone(), secret },
            task: lent,
            done: entry.done.clone(),
            millis: u64::try_from(settings.lease.as_millis()).unwrap_or(u64::MAX),
            attempt: entry.attempt,
        })
    }

    /// The task of a valid key.
    fn held(&mut self, key: &LeaseKey) -> Result<&mut Entry, QueueError> {
        let not_held = || QueueError::NotHeld { task: key.task, worker: key.worker.clone() };
        let entry = self.tasks.get_mut(&key.task).ok_or_else(not_held)?;
        let (worker, secret) = entry.holder.as_ref().ok_or_else(not_held)?;
        if *worker != key.worker || *secret != key.secret {
            return Err(not_held());
        }
        if self.withdrawn.contains(&entry.run) {
            return Err(QueueError::Withdrawn { run: entry.run });
        }
        Ok(entry)
    }

    pub(super) fn extend(
        &mut self,
        key: &LeaseKey,
        now: Moment,
        settings: &Settings,
    ) -> Result<(), QueueError> {
        let due = now.saturating_add(settings.lease);
        let Stage::Leased(_, until) = &mut self.held(key)?.stage else {
            return Err(QueueError::NotHeld { task: key.task, worker: key.worker.clone() });
        };
        let before = std::mem::replace(until, due);
        self.expiries.remove(&(before, key.task));
        self.expiries.insert((due, key.task));
        Ok(())
    }

    pub(super) fn check_events(&self, settings: &Settings) -> Result<(), QueueError> {
        if self.events.len() < settings.max_events {
            return Ok(());
        }
        let bound = settings.max_events as u64;
        Err(QueueError::Full { what: "events not acknowledged".to_owned(), bound })
    }

    pub(super) fn finish(
        &mut self,
        key: &LeaseKey,
        batch: &Batch,
        settings: &Settings,
    ) -> Result<Finished, QueueError> {
        let full = self.check_events(settings);
        let entry = self.held(key)?;
        let (task, number, batches) = (key.task, batch.number, entry.batches);
        if number >= batches {
            return Err(QueueError::NoSuchBatch { task, batches, number });
        }
        if matches!(entry.stage, Stage::Over) {
            return Ok(Finished::Duplicate);
        }
        let Err(place) = entry.done.binary_search(&number) else {
            return Ok(Finished::Duplicate);
        };
        full?;
        entry.done.insert(place, number);
        let (run, all) = (entry.run, entry.done.len() == batches as usize);
        let (worker, batch) = (key.worker.clone(), Box::new(batch.clone()));
        self.push(Event::Finished { task, run, worker, batch });
        if all {
            self.leave(task);
            self.is_over(task, settings);
        }
        Ok(Finished::Accepted)
    }

    pub(super) fn fail(
        &mut self,
        key: &LeaseKey,
        fault: &Fault,
        now: Moment,
        settings: &Settings,
    ) -> Result<(), QueueError> {
        let entry = self.held(key)?;
        if !matches!(entry.stage, Stage::Leased(..)) {
            return Err(QueueError::NotHeld { task: key.task, worker: key.worker.clone() });
        }
        let run = entry.run;
        let (task, worker, fault) = (key.task, key.worker.clone(), fault.clone());
        self.push(Event::Failed { task, run, worker, fault });
        self.again(task, Some(now.saturating_add(settings.retry)), settings);
        if let Some(entry) = self.tasks.get_mut(&task) {
            entry.holder = None;
        }
        Ok(())
    }

    pub(super) const fn drain(&mut self, draining: bool) {
        self.draining = draining;
    }

    pub(super) fn events_after(&self, after: Cursor, most: usize) -> Vec<(Cursor, Event)> {
        let skipped = self.events.partition_point(|(cursor, _)| *cursor <= after);
        self.events.iter().skip(skipped).take(most).cloned().collect()
    }

    pub(super) fn acknowledge(&mut self, upto: Cursor) {
        let known = self.events.partition_point(|(cursor, _)| *cursor <= upto);
        self.events.drain(..known);
    }

    pub(super) fn occupancy(&self) -> Occupancy {
        let (waiting, leased) = (self.waiting, self.expiries.len());
        Occupancy { waiting, leased, events: self.events.len(), stored: 0 }
    }

    pub(super) fn holdings(&self) -> Vec<Holding> {
        let mut ids: Vec<TaskId> = self.expiries.iter().map(|(_, id)| *id).collect();
        ids.sort_unstable();
        let holding = |id: TaskId| {
            let entry = self.tasks.get(&id)?;
            let (worker, _) = entry.holder.clone()?;
            Some(Holding { task: id, run: entry.run, worker })
        };
        ids.into_iter().filter_map(holding).collect()
    }
}

/// What nobody can guess.
fn secret() -> String {
    let mut bytes = [0; 16];
    // Without randomness of the system nobody could be told apart: there is no going on.
    getrandom::fill(&mut bytes).expect("the system gives random numbers");
    u128::from_ne_bytes(bytes).to_string()
}

#[cfg(test)]
impl State {
    /// Entries of everything that could grow: tasks, those in lines, expiries and rests, events, over.
    pub(super) fn sizes(&self) -> [usize; 5] {
        let lines = self.lines.values().flat_map(|lines| &lines.0).map(VecDeque::len).sum();
        let due = self.expiries.len() + self.rests.len();
        [self.tasks.len(), lines, due, self.events.len(), self.over.len()]
    }
}
