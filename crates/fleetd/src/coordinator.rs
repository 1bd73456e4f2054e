//! What is handed out, what counts, whom it trusts.

mod events;
mod obstacles;
mod offers;
mod progress;
mod trust;

use crate::error::FleetError;
use crate::ledger::{
    FaultRow, Ledger, RunRow, RunState, StoredResult, TaskKind, TaskRow, WorkerRow,
};
use fleet::driver::{Driver, driver};
use fleet::files::FileCache;
use fleet::{
    Cursor, Fault, Needs, OwnerName, Pins, Priority, Queue, QueueError, RunId, Spec, Standing,
    TaskId, WorkerId,
};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// How a coordinator works.
#[derive(Clone, Debug)]
pub struct CoordinatorSettings {
    /// Tasks that wait in the queue at a time, or half as many as are leased; more are made when these are taken.
    pub lookahead: usize,
    /// Events taken in one step.
    pub events: usize,
    /// Of how many reproducible tasks a second owner does one too.
    pub check_one_in: u64,
    /// Tasks with known answers for a new worker.
    pub known_answers: u64,
    /// What the bench of a right executable computes; `None` accepts any.
    pub bench: Option<u64>,
    /// Nodes a second of the machine that clocks are meant for, where a run does not say; `None` has them run as they are.
    pub speed: Option<u64>,
    /// Owners who must say that an executable does not work before its run is stopped.
    pub accusers: usize,
    /// How often one part may be given up before its run is stopped.
    pub give_ups: u32,
    /// How far, in deviations of a normal distribution, a worker's results may be from the others' when a run is about
    /// to end; one that is further is barred, and what it did is done again.
    pub residual: f64,
    /// Owners whose workers need no known answers: the machines of whoever runs the coordinator.
    pub trusted: Vec<OwnerName>,
}

impl Default for CoordinatorSettings {
    fn default() -> Self {
        Self {
            lookahead: 64,
            events: 1000,
            check_one_in: 64,
            known_answers: 2,
            bench: None,
            speed: None,
            accusers: 3,
            give_ups: 3,
            residual: 7.0,
            trusted: Vec::new(),
        }
    }
}

/// What somebody wants done.
#[derive(Clone, Debug)]
pub struct Submission {
    pub name: String,
    pub owner: String,
    pub spec: Spec,
    pub pins: Pins,
    /// Games, where the spec has no end of its own.
    pub goal: Option<u64>,
    pub priority: Priority,
    pub share: f64,
}

/// A run under way.
struct Active {
    row: RunRow,
    driver: Box<dyn Driver>,
    /// Parts given up, by their first game.
    given_up: HashMap<u64, u32>,
    /// Tasks handed out and not finished.
    out: usize,
    /// When games were counted lately: (seconds since 1970, games).
    recent: VecDeque<(i64, u64)>,
    /// The spec and the needs of its tasks, as workers see them.
    spec: Arc<Spec>,
    needs: Needs,
    /// Milliseconds a batch takes, on average, the later ones counting more.
    pace: Option<f64>,
    /// When its progress was last written down, and whether something has counted since.
    written: (i64, bool),
}

/// A task handed out, with the batches that are still to come.
struct Outstanding {
    row: TaskRow,
    missing: Vec<u32>,
}

/// What is to be told to the queue once the ledger has it.
enum Effect {
    Offer(TaskId),
    Withdraw(RunId),
    Stand(WorkerId, Standing),
    Drain(bool),
}

/// The coordinator of one ledger.
pub struct Coordinator {
    ledger: Ledger,
    queue: Arc<dyn Queue>,
    settings: CoordinatorSettings,
    /// Files that runs name.
    files: FileCache,
    runs: BTreeMap<RunId, Active>,
    tasks: HashMap<TaskId, Outstanding>,
    workers: HashMap<WorkerId, WorkerRow>,
    /// Pairs won, drawn and lost, by run and worker.
    rows: HashMap<RunId, HashMap<WorkerId, [u64; 3]>>,
    cursor: Cursor,
    effects: Vec<Effect>,
    /// Known answers a worker still owes.
    owed: HashMap<WorkerId, u64>,
    /// When its first step was.
    begun: Option<i64>,
    pub(crate) counts: Counts,
}

/// What happened since the start, for metrics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub results: u64,
    pub duplicates: u64,
    pub refused: u64,
    pub games: u64,
    pub faults: u64,
    pub offered: u64,
    pub checks: u64,
    pub mismatches: u64,
}

impl Coordinator {
    /// Takes up a ledger: runs that are active are brought to where they were, and what was handed out and
    /// is not finished is offered again.
    pub fn open(
        ledger: Ledger,
        queue: Arc<dyn Queue>,
        files: FileCache,
        settings: CoordinatorSettings,
    ) -> Result<Self, FleetError> {
        let cursor = ledger.cursor()?;
        let workers = ledger.workers()?.into_iter().map(|row| (row.about.id.clone(), row));
        let mut coordinator = Self {
            workers: workers.collect(),
            ledger,
            queue,
            settings,
            files,
            runs: BTreeMap::new(),
            tasks: HashMap::new(),
            rows: HashMap::new(),
            cursor,
            effects: Vec::new(),
            owed: HashMap::new(),
            begun: None,
            counts: Counts::default(),
        };
        // Whoever was killed before it could say so: events that the ledger has take the room of others.
        coordinator.forgiven(coordinator.queue.acknowledge(cursor))?;
        let stand = |row: &WorkerRow| Effect::Stand(row.about.id.clone(), row.standing);
        coordinator.effects.extend(coordinator.workers.values().map(stand));
        for row in coordinator.ledger.runs()? {
            if row.state == RunState::Active {
                coordinator.take_up(row)?;
            } else if row.progress.is_none() {
                coordinator.count_anew(&row)?;
            }
        }
        coordinator.effects.push(Effect::Drain(coordinator.ledger.is_draining()?));
        coordinator.perform_effects()?;
        Ok(coordinator)
    }

    fn driver(&self, spec: &Spec, goal: Option<u64>) -> Result<Box<dyn Driver>, FleetError> {
        Ok(driver(&self.resolved(spec)?, goal)?)
    }

    /// A spec with paths in the place of references.
    pub fn resolved(&self, spec: &Spec) -> Result<Spec, FleetError> {
        let resolved = self.files.resolve(spec, &*self.queue);
        resolved.map_err(|fault| FleetError::Refused(fault.to_string()))
    }

    /// Brings a run to where the ledger says it is.
    fn take_up(&mut self, row: RunRow) -> Result<(), FleetError> {
        let id = row.id;
        let mut active = Active {
            driver: self.driver(&row.spec, row.goal)?,
            spec: Arc::new(row.spec.for_workers()),
            needs: row.spec.needs(),
            pace: None,
            row,
            given_up: HashMap::new(),
            out: 0,
            recent: VecDeque::new(),
            written: (0, true),
        };
        let tasks = self.ledger.tasks(id, false)?;
        let mut units = HashMap::new();
        for task in tasks.iter().filter(|task| task.kind == TaskKind::Work) {
            active.driver.handed_out(&task.unit);
            units.insert(task.id, (task.unit.clone(), task.batches));
        }
        let rows = self.rows.entry(id).or_default();
        let mut refused = Vec::new();
        self.ledger.each_result(id, &mut |result| {
            let Some((unit, batches)) = units.get(&result.task) else { return Ok(()) };
            let range = unit.part(*batches, result.batch);
            match active.driver.accept(unit, range, &result.product) {
                Ok(counted) => {
                    let row = rows.entry(result.worker).or_default();
                    row.iter_mut().zip(counted.pairs).for_each(|(sum, n)| *sum += n);
                    // Parts that were asked for because of it are tasks of the ledger already.
                }
                Err(fault) => refused.push(format!("{}: {fault}", result.task)),
            }
            Ok(())
        })?;
        if let Some(first) = refused.first() {
            let why = format!("results of {id} in the ledger count no more: {first}");
            return Err(FleetError::Refused(why));
        }
        for task in self.ledger.tasks(id, true)? {
            let there = self.ledger.batches(task.id)?;
            let missing: Vec<u32> = (0..task.batches).filter(|n| !there.contains_key(n)).collect();
            active.out += 1;
            if let (TaskKind::Known(_), Some(worker)) = (task.kind, task.pool.worker()) {
                *self.owed.entry(worker).or_default() += 1;
            }
            self.effects.push(Effect::Offer(task.id));
            self.tasks.insert(task.id, Outstanding { row: task, missing });
        }
        self.runs.insert(id, active);
        Ok(())
    }

    pub(crate) fn last_seen(&self, worker: &WorkerId) -> Option<i64> {
        self.workers.get(worker).map(|row| row.last_seen)
    }

    /// Pairs won, drawn and lost by worker, of each run.
    pub(crate) fn pair_rows(&self) -> impl Iterator<Item = &HashMap<WorkerId, [u64; 3]>> {
        self.rows.values()
    }

    /// The ledger, to read.
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether there is no run to be worked on.
    pub fn is_idle(&self) -> bool {
        self.runs.is_empty()
    }

    /// The queue.
    pub fn queue(&self) -> &Arc<dyn Queue> {
        &self.queue
    }

    /// What happened since the start.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Takes in a run. `now` is in seconds since 1970, as everywhere here.
    pub fn submit(&mut self, submission: Submission, now: i64) -> Result<RunId, FleetError> {
        self.transaction(|this| this.submit_within(submission, now))
    }

    pub(crate) fn submit_within(
        &mut self,
        submission: Submission,
        now: i64,
    ) -> Result<RunId, FleetError> {
        // Whoever asked put them into the folder; workers look for them in the queue's store.
        for hash in submission.pins.files.values() {
            self.files.share(hash, &*self.queue)?;
        }
        // What makes no sense is refused before it has a number.
        self.driver(&submission.spec, submission.goal)?;
        let mut pins = submission.pins;
        if matches!(submission.spec, Spec::Match(_) | Spec::Tune(_)) {
            pins.reference_speed = pins.reference_speed.or(self.settings.speed);
        }
        let mut row = RunRow {
            id: RunId(0),
            name: submission.name,
            owner: submission.owner,
            spec: Arc::new(submission.spec),
            pins: Arc::new(pins),
            goal: submission.goal,
            priority: submission.priority,
            share: submission.share,
            state: RunState::Active,
            reason: String::new(),
            created: now,
            ended: None,
            progress: None,
        };
        row.id = self.ledger.add_run(&row)?;
        let id = row.id;
        self.take_up(row)?;
        Ok(id)
    }

    /// What is wrong with an order for a run that is not active.
    fn is_over(&self, run: RunId) -> FleetError {
        match self.ledger.run(run) {
            Ok(row) => {
                let (state, why) = (row.state.name(), row.reason);
                FleetError::Refused(format!("{run} is {state} already: {why}"))
            }
            Err(error) => error,
        }
    }

    /// Ends a run, and says why.
    pub(crate) fn end_run(
        &mut self,
        run: RunId,
        state: RunState,
        reason: &str,
        now: i64,
    ) -> Result<(), FleetError> {
        let Some(active) = self.runs.remove(&run) else { return Err(self.is_over(run)) };
        self.ledger.set_progress(run, &active.driver.progress())?;
        self.ledger.drop_inputs(run)?;
        self.ledger.set_state(run, state, reason, now)?;
        self.drop_tasks(run);
        self.effects.push(Effect::Withdraw(run));
        Ok(())
    }

    /// Forgets the tasks of a run. Whoever was being examined by them is examined anew.
    fn drop_tasks(&mut self, run: RunId) {
        for task in self.tasks.values().filter(|task| task.row.run == run) {
            if let (TaskKind::Known(_), Some(worker)) = (task.row.kind, task.row.pool.worker()) {
                self.owed.remove(&worker);
            }
        }
        self.tasks.retain(|_, task| task.row.run != run);
    }

    /// One step: what came is counted, orders are done, and as much is handed out as the lookahead
    /// says. Waits up to `wait` for something to happen. Returns whether something did.
    pub fn step(&mut self, now: i64, wait: Duration) -> Result<bool, FleetError> {
        self.begun.get_or_insert(now);
        let events = match self.queue.watch(self.cursor, self.settings.events, wait) {
            Ok(events) => events,
            // A broker that is away comes back.
            Err(error) if error.is_passing() => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let last = events.last().map(|(cursor, _)| *cursor);
        // Somebody else may hold the ledger for long: one that was halted while it wrote. What came comes again.
        if !self.ledger.begin_if_free()? {
            return Ok(false);
        }
        let busy = self.within(|this| {
            for (_, event) in events {
                this.take_event(event, now)?;
            }
            if let Some(cursor) = last {
                this.ledger.set_cursor(cursor)?;
            }
            let ordered = this.do_orders(now)?;
            this.examine_new()?;
            let made = this.hand_out(now)?;
            this.write_progress(now)?;
            Ok(last.is_some() || ordered || made)
        })?;
        if let Some(cursor) = last {
            self.cursor = cursor;
            self.forgiven(self.queue.acknowledge(cursor))?;
        }
        Ok(busy)
    }

    /// Everything in it or nothing; then the queue is told.
    fn transaction<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<T, FleetError>,
    ) -> Result<T, FleetError> {
        self.ledger.begin()?;
        self.within(body)
    }

    /// The same where the transaction has begun.
    fn within<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<T, FleetError>,
    ) -> Result<T, FleetError> {
        let earlier = self.effects.len();
        let result = body(self);
        match &result {
            Ok(_) => self.ledger.commit()?,
            Err(_) => {
                self.ledger.roll_back();
                self.effects.truncate(earlier);
            }
        }
        self.perform_effects()?;
        result
    }

    /// A queue that is away for a moment is told later: everything is offered again.
    fn forgiven(&self, told: Result<(), QueueError>) -> Result<(), FleetError> {
        match told {
            Err(error) if !error.is_passing() => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn perform_effects(&mut self) -> Result<(), FleetError> {
        let mut later = Vec::new();
        let mut effects = std::mem::take(&mut self.effects).into_iter();
        while let Some(effect) = effects.next() {
            let told = match &effect {
                Effect::Offer(id) => self.offer(*id),
                Effect::Withdraw(run) => self.queue.withdraw(*run),
                Effect::Stand(worker, standing) => self.queue.stand(worker, *standing),
                Effect::Drain(draining) => self.queue.drain(*draining),
            };
            match told {
                Ok(()) | Err(QueueError::Withdrawn { .. }) => {}
                // A broker that is away is away for all of them: it is asked once in a step.
                Err(QueueError::Unavailable { .. }) => {
                    later.push(effect);
                    later.extend(effects);
                    break;
                }
                Err(error) if error.is_passing() => later.push(effect),
                Err(error) => return Err(error.into()),
            }
        }
        self.effects = later;
        Ok(())
    }

    fn note_fault(
        &mut self,
        now: i64,
        place: (Option<RunId>, Option<TaskId>),
        worker: Option<&WorkerId>,
        fault: &Fault,
    ) -> Result<(), FleetError> {
        self.counts.faults += 1;
        self.ledger.add_fault(&FaultRow {
            at: now,
            run: place.0,
            task: place.1,
            worker: worker.cloned(),
            kind: fault.kind.name().to_owned(),
            reason: fault.reason.clone(),
        })
    }

    /// A stored result, as the ledger takes it.
    fn stored(task: TaskId, worker: &WorkerId, batch: &fleet::Batch) -> StoredResult {
        let (number, product) = (batch.number, batch.product.clone());
        StoredResult { task, batch: number, worker: worker.clone(), product }
    }
}

#[cfg(test)]
mod tests;
