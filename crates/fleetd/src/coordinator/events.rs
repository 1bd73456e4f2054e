//! What came from the queue.

use super::{Coordinator, Effect};
use crate::error::FleetError;
use crate::ledger::{RunState, TaskKind, TaskRow, WorkerRow};
use fleet::driver::Part;
use fleet::{
    Batch, Event, Fault, FaultKind, Pool, RunId, Standing, TaskId, Unit, Worker, WorkerId,
};

/// How long back games a minute are counted, in seconds.
pub(super) const RECENT: i64 = 300;

impl Coordinator {
    pub(super) fn take_event(&mut self, event: Event, now: i64) -> Result<(), FleetError> {
        match event {
            Event::Announced { worker } => self.announced(*worker, now),
            Event::Finished { task, worker, batch, .. } => self.came(task, &worker, &batch, now),
            Event::Failed { task, run, worker, fault } => {
                self.seen(&worker, now);
                if fault.kind == FaultKind::Leaving {
                    return Ok(());
                }
                self.note_fault(now, (Some(run), Some(task)), Some(&worker), &fault)?;
                self.accused(run, &worker, &fault, now)
            }
            Event::Expired { task, run, worker } => {
                let fault = Fault::new(FaultKind::Expired, "the lease ran out");
                self.note_fault(now, (Some(run), Some(task)), Some(&worker), &fault)
            }
            Event::GivenUp { task, run, attempts } => self.given_up(task, run, attempts, now),
        }
    }

    fn seen(&mut self, worker: &WorkerId, now: i64) {
        if let Some(row) = self.workers.get_mut(worker) {
            row.last_seen = now;
        }
    }

    fn announced(&mut self, worker: Worker, now: i64) -> Result<(), FleetError> {
        let id = worker.id.clone();
        let known = self.workers.get(&id);
        // Whoever the queue has heard nothing of is on probation.
        let before = known.map_or(Standing::Probation, |row| row.standing);
        let mut row = WorkerRow {
            standing: before,
            reason: known.map_or_else(String::new, |row| row.reason.clone()),
            first_seen: known.map_or(now, |row| row.first_seen),
            last_seen: now,
            passed: known.map_or(0, |row| row.passed),
            about: worker,
        };
        // A name that belongs to somebody else is not lent.
        if let Some(known) = known
            && known.about.owner != row.about.owner
        {
            let (owner, other) = (&known.about.owner, &row.about.owner);
            let why = format!("worker {id} of {owner} was announced by {other}");
            let fault = Fault::new(FaultKind::Dishonest, why);
            return self.note_fault(now, (None, None), Some(&id), &fault);
        }
        let right = self.settings.bench.is_none_or(|bench| bench == row.about.bench);
        if !right && row.standing != Standing::Barred {
            let (found, version) = (row.about.bench, &row.about.version);
            let why = format!("executable {version} computes the bench {found}, which is wrong");
            // Workers say again and again who they are; it is noted once.
            if row.reason != why {
                let fault = Fault::new(FaultKind::Executable, why.clone());
                self.note_fault(now, (None, None), Some(&id), &fault)?;
            }
            (row.standing, row.reason) = (Standing::Probation, why);
        }
        let trusted = self.settings.trusted.contains(&row.about.owner);
        if right && row.standing == Standing::Probation && trusted {
            row.standing = Standing::Admitted;
            row.reason = "of a trusted owner".to_owned();
        }
        self.ledger.put_worker(&row)?;
        if row.standing != before {
            self.effects.push(Effect::Stand(id.clone(), row.standing));
        }
        self.workers.insert(id, row);
        Ok(())
    }

    /// A batch of results.
    fn came(
        &mut self,
        task: TaskId,
        worker: &WorkerId,
        batch: &Batch,
        now: i64,
    ) -> Result<(), FleetError> {
        self.seen(worker, now);
        let Some(outstanding) = self.tasks.get(&task) else {
            // Of a run that is over, or finished before a restart: it is there, or nobody wants it.
            self.counts.duplicates += 1;
            return Ok(());
        };
        let row = outstanding.row.clone();
        let barred = self.workers.get(worker).is_some_and(|row| row.standing == Standing::Barred);
        if batch.number >= row.batches || self.ledger.has_result(task, batch.number)? {
            self.counts.duplicates += 1;
            return Ok(());
        }
        if barred {
            return self.refuse(&row, worker, batch, now);
        }
        if row.kind != TaskKind::Work {
            return self.check_came(&row, worker, batch, now);
        }
        let Some(active) = self.runs.get_mut(&row.run) else { return Ok(()) };
        let range = row.unit.part(row.batches, batch.number);
        let counted = match active.driver.accept(&row.unit, range, &batch.product) {
            Ok(counted) => counted,
            Err(fault) => {
                self.note_fault(now, (Some(row.run), Some(task)), Some(worker), &fault)?;
                let place = format!("{task} of {}", row.run);
                self.bar(worker, &format!("{place}: {fault}"), now)?;
                return self.refuse(&row, worker, batch, now);
            }
        };
        let result = Self::stored(task, worker, batch);
        self.ledger.add_result(row.run, &result, (true, now), batch.usage)?;
        self.counts.results += 1;
        self.counts.games += counted.games;
        active.took(batch.usage.millis);
        active.written.1 = true;
        active.counted_lately(counted.games, now);
        let verdict = active.driver.verdict();
        for part in counted.more {
            self.add_task(row.run, part, TaskKind::Work, Pool::any())?;
        }
        let sums = self.rows.entry(row.run).or_default().entry(worker.clone()).or_default();
        sums.iter_mut().zip(counted.pairs).for_each(|(sum, n)| *sum += n);
        self.is_there(task, batch.number, worker)?;
        match verdict {
            // What one worker alone saw decides nothing.
            Some(_) if self.bar_outlier(row.run, now)? => Ok(()),
            Some(why) => self.end_run(row.run, RunState::Done, &why, now),
            None => Ok(()),
        }
    }

    /// Notes that a batch is there; the task is over with the last.
    pub(super) fn is_there(
        &mut self,
        task: TaskId,
        number: u32,
        worker: &WorkerId,
    ) -> Result<(), FleetError> {
        let Some(outstanding) = self.tasks.get_mut(&task) else { return Ok(()) };
        outstanding.missing.retain(|&n| n != number);
        if !outstanding.missing.is_empty() {
            return Ok(());
        }
        let Some(done) = self.tasks.remove(&task) else { return Ok(()) };
        self.ledger.close_task(task)?;
        if let Some(active) = self.runs.get_mut(&done.row.run) {
            active.out = active.out.saturating_sub(1);
        }
        self.maybe_check(&done.row, worker)
    }

    /// Keeps a batch that does not count, and has it done again. Kept because a coordinator that is started anew, or
    /// counts its run anew, must know that somebody else was asked: otherwise it would count twice.
    fn refuse(
        &mut self,
        row: &TaskRow,
        worker: &WorkerId,
        batch: &Batch,
        now: i64,
    ) -> Result<(), FleetError> {
        let result = Self::stored(row.id, worker, batch);
        self.ledger.add_result(row.run, &result, (false, now), batch.usage)?;
        self.counts.refused += 1;
        self.do_again(row.id, batch.number)
    }

    /// The queue has a batch that does not count: its part is handed out under another name.
    pub(super) fn do_again(&mut self, task: TaskId, number: u32) -> Result<(), FleetError> {
        let Some(outstanding) = self.tasks.get_mut(&task) else { return Ok(()) };
        let row = outstanding.row.clone();
        outstanding.missing.retain(|&n| n != number);
        let over = outstanding.missing.is_empty();
        if row.kind == TaskKind::Work && self.runs.contains_key(&row.run) {
            let part = part_of(&row.unit, row.batches, number);
            self.add_task(row.run, part, TaskKind::Work, Pool::any())?;
        }
        if over {
            self.tasks.remove(&task);
            self.ledger.close_task(task)?;
            if let Some(active) = self.runs.get_mut(&row.run) {
                active.out = active.out.saturating_sub(1);
            }
        }
        Ok(())
    }

    fn given_up(
        &mut self,
        task: TaskId,
        run: RunId,
        attempts: u32,
        now: i64,
    ) -> Result<(), FleetError> {
        let fault = Fault::new(FaultKind::Spec, format!("given up after {attempts} leases"));
        self.note_fault(now, (Some(run), Some(task)), None, &fault)?;
        let Some(outstanding) = self.tasks.get(&task) else { return Ok(()) };
        let (unit, missing) = (outstanding.row.unit.clone(), outstanding.missing.clone());
        let work = outstanding.row.kind == TaskKind::Work;
        if let (TaskKind::Known(_), Some(worker)) =
            (outstanding.row.kind, outstanding.row.pool.worker())
        {
            // Whoever never answered is examined anew.
            self.owed.remove(&worker);
        }
        for number in missing {
            self.do_again(task, number)?;
        }
        let Some(active) = self.runs.get_mut(&run).filter(|_| work) else { return Ok(()) };
        let times = active.given_up.entry(unit.first).or_default();
        *times += 1;
        if *times < self.settings.give_ups {
            return Ok(());
        }
        let last = self.ledger.faults(50)?.into_iter().find(|fault| {
            fault.run == Some(run) && fault.worker.is_some() && fault.kind != "expired"
        });
        let who = last.and_then(|fault| {
            let worker = fault.worker?;
            let version = self.version_of(&worker);
            let (kind, reason) = (fault.kind, fault.reason);
            Some(format!(": worker {worker} with executable {version} says {kind}: {reason}"))
        });
        let who = who.unwrap_or_default();
        let why = format!("game {} was given up again and again{who}", unit.first);
        self.end_run(run, RunState::Stopped, &why, now)
    }

    fn version_of(&self, worker: &WorkerId) -> &str {
        self.workers.get(worker).map_or("?", |row| row.about.version.as_str())
    }

    /// A worker says that the executable does not work: believed when enough owners say so.
    fn accused(
        &mut self,
        run: RunId,
        worker: &WorkerId,
        fault: &Fault,
        now: i64,
    ) -> Result<(), FleetError> {
        if fault.kind != FaultKind::Executable || !self.runs.contains_key(&run) {
            return Ok(());
        }
        let owners = self.ledger.accusers(run)?;
        if owners.len() < self.settings.accusers {
            return Ok(());
        }
        let version = self.version_of(worker);
        let why = format!(
            "{} owners ({}) say so; the last was worker {worker} with executable {version}: {}",
            owners.len(),
            owners.join(", "),
            fault.reason
        );
        self.end_run(run, RunState::Stopped, &why, now)
    }
}

/// What a batch of a unit is, as a part of its own.
pub(super) fn part_of(unit: &Unit, batches: u32, number: u32) -> Part {
    Part { unit: unit.cut(batches, number), batches: 1 }
}
