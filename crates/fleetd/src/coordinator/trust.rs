//! Whom a coordinator trusts: known answers for new workers, second opinions for all, and what
//! happens to those who are caught.

use super::{Coordinator, Effect};
use crate::error::FleetError;
use crate::ledger::{TaskKind, TaskRow};
use fleet::driver::Part;
use fleet::residuals::residuals;
use fleet::{
    Batch, Fault, FaultKind, Pool, Product, RunId, Spec, Standing, TaskId, Unit, WorkerId,
};
use seed::Rng;

/// What a new worker computes where no answer of a run is known yet.
pub(super) const DRILL: Spec = Spec::sums(1000);

/// How many results back answers are taken from.
const KNOWN: usize = 200;

impl Coordinator {
    /// Everybody on probation who is not being examined, is.
    pub(super) fn examine_new(&mut self) -> Result<(), FleetError> {
        let bench = self.settings.bench;
        let new = self.workers.values().filter(|row| {
            row.standing == Standing::Probation
                && bench.is_none_or(|bench| bench == row.about.bench)
                && !self.owed.contains_key(&row.about.id)
        });
        let mut new: Vec<WorkerId> = new.map(|row| row.about.id.clone()).collect();
        new.sort();
        new.iter().try_for_each(|worker| self.examine(worker))
    }

    /// Gives a new worker tasks whose answers are known.
    pub(super) fn examine(&mut self, worker: &WorkerId) -> Result<(), FleetError> {
        if self.settings.known_answers == 0 {
            return self.admit(worker, "no known answers are asked for");
        }
        let Some(run) = self.runs.keys().next().copied() else { return Ok(()) };
        if self.owed.contains_key(worker) {
            return Ok(());
        }
        let pool = Pool::of(worker);
        let mut asked = 0;
        for (number, task) in self.known_tasks(worker)?.into_iter().enumerate() {
            if number as u64 >= self.settings.known_answers {
                break;
            }
            let part = Part { unit: task.unit, batches: task.batches };
            self.add_task(task.run, part, TaskKind::Known(Some(task.id)), pool.clone())?;
            asked += 1;
        }
        while asked < self.settings.known_answers {
            let part = Part { unit: Unit::new(asked, 1), batches: 1 };
            self.add_task(run, part, TaskKind::Known(None), pool.clone())?;
            asked += 1;
        }
        self.owed.insert(worker.clone(), asked);
        Ok(())
    }

    /// Finished tasks of reproducible runs that were done by others, small ones first.
    fn known_tasks(&self, worker: &WorkerId) -> Result<Vec<TaskRow>, FleetError> {
        let owner = self.workers.get(worker).map(|row| row.about.owner.clone());
        let mut found = Vec::new();
        for (run, active) in &self.runs {
            if !active.row.spec.is_reproducible() {
                continue;
            }
            for task in self.ledger.last_tasks(*run, KNOWN)? {
                let there = self.ledger.batches(task.id)?;
                // What was taken out is nobody's answer.
                let whole = self.ledger.counting(task.id)?.len() == task.batches as usize;
                let by_another = there.values().all(|maker| {
                    let maker = self.workers.get(maker);
                    maker.is_some_and(|row| {
                        row.standing == Standing::Admitted
                            && Some(&row.about.owner) != owner.as_ref()
                    })
                });
                if task.kind == TaskKind::Work && whole && by_another {
                    found.push(task);
                }
            }
        }
        found.sort_by_key(|task| (task.unit.count, task.id));
        Ok(found)
    }

    pub(super) fn admit(&mut self, worker: &WorkerId, why: &str) -> Result<(), FleetError> {
        self.owed.remove(worker);
        let Some(row) = self.workers.get_mut(worker) else { return Ok(()) };
        if row.standing != Standing::Probation {
            return Ok(());
        }
        row.standing = Standing::Admitted;
        why.clone_into(&mut row.reason);
        self.ledger.put_worker(row)?;
        self.effects.push(Effect::Stand(worker.clone(), Standing::Admitted));
        Ok(())
    }

    /// Bars a worker, takes its results out of every run that can do without, and hands their parts
    /// out again.
    pub(crate) fn bar(
        &mut self,
        worker: &WorkerId,
        why: &str,
        now: i64,
    ) -> Result<usize, FleetError> {
        let row = self.workers.get_mut(worker);
        let row = row.ok_or_else(|| FleetError::NoWorker(worker.clone()))?;
        row.standing = Standing::Barred;
        why.clone_into(&mut row.reason);
        row.last_seen = row.last_seen.max(now);
        self.ledger.put_worker(row)?;
        self.owed.remove(worker);
        self.effects.push(Effect::Stand(worker.clone(), Standing::Barred));
        let mut purged = 0;
        let runs: Vec<RunId> = self.runs.keys().copied().collect();
        for run in runs {
            purged += self.purge(worker, run)?;
        }
        Ok(purged)
    }

    /// Bars the worker whose results in a run are further from the others' than chance explains, if there is one; what
    /// it did is done again. Of two workers nobody knows which is the odd one.
    pub(super) fn bar_outlier(&mut self, run: RunId, now: i64) -> Result<bool, FleetError> {
        let Some(rows) = self.rows.get(&run).filter(|rows| rows.len() >= 3) else {
            return Ok(false);
        };
        if !self.runs.get(&run).is_some_and(|active| active.driver.can_purge()) {
            return Ok(false);
        }
        let (names, rows): (Vec<&WorkerId>, Vec<_>) = rows.iter().unzip();
        let found = names.into_iter().zip(residuals(&rows));
        let known = found.filter_map(|(name, residual)| Some((name, residual?.deviations)));
        let worst = known.max_by(|(_, one), (_, other)| one.total_cmp(other));
        let Some((worker, deviations)) = worst.filter(|(_, far)| *far > self.settings.residual)
        else {
            return Ok(false);
        };
        let worker = worker.clone();
        let why = format!("{run}: its results are {deviations:.1} deviations from the others'");
        let fault = Fault::new(FaultKind::Dishonest, why.clone());
        self.note_fault(now, (Some(run), None), Some(&worker), &fault)?;
        self.bar(&worker, &why, now)?;
        Ok(true)
    }

    /// Takes what a worker did out of a run.
    fn purge(&mut self, worker: &WorkerId, run: RunId) -> Result<usize, FleetError> {
        let can = self.runs.get(&run).is_some_and(|active| active.driver.can_purge());
        if !can {
            // The path of a tuning has moved: what was wrong in it is corrected by what comes.
            return Ok(0);
        }
        let names = self.ledger.purge(worker, run)?;
        if names.is_empty() {
            return Ok(0);
        }
        let Some(active) = self.runs.remove(&run) else { return Ok(0) };
        // The run is counted anew from what is left; what waits is offered already.
        self.rows.remove(&run);
        self.drop_tasks(run);
        self.take_up(active.row)?;
        for (task, number) in &names {
            if let Some(row) = self.ledger.task(*task)? {
                let part = super::events::part_of(&row.unit, row.batches, *number);
                self.add_task(run, part, TaskKind::Work, Pool::any())?;
            }
        }
        Ok(names.len())
    }

    /// Lets a worker begin anew: it is on probation.
    pub(crate) fn pardon(&mut self, worker: &WorkerId) -> Result<(), FleetError> {
        let row = self.workers.get_mut(worker);
        let row = row.ok_or_else(|| FleetError::NoWorker(worker.clone()))?;
        row.standing = Standing::Probation;
        row.reason = "begins anew".to_owned();
        self.ledger.put_worker(row)?;
        self.effects.push(Effect::Stand(worker.clone(), Standing::Probation));
        self.owed.remove(worker);
        Ok(())
    }

    /// Of some finished tasks a second owner does one too.
    pub(super) fn maybe_check(
        &mut self,
        task: &TaskRow,
        worker: &WorkerId,
    ) -> Result<(), FleetError> {
        let reproducible =
            self.runs.get(&task.run).is_some_and(|active| active.row.spec.is_reproducible());
        let one_in = self.settings.check_one_in;
        if task.kind != TaskKind::Work || !reproducible || one_in == 0 {
            return Ok(());
        }
        let mut random = Rng::for_purpose(task.id.0, &[task.run.0]);
        if !random.bits().is_multiple_of(one_in) {
            return Ok(());
        }
        let Some(second) = self.another_owner(std::slice::from_ref(worker), &mut random) else {
            return Ok(());
        };
        self.counts.checks += 1;
        let part = Part { unit: task.unit.clone(), batches: task.batches };
        self.add_task(task.run, part, TaskKind::Check(task.id), Pool::of(&second))?;
        Ok(())
    }

    /// An admitted worker whose owner is none of these workers'.
    fn another_owner(&self, than: &[WorkerId], random: &mut Rng) -> Option<WorkerId> {
        let owner = |id: &WorkerId| self.workers.get(id).map(|row| row.about.owner.clone());
        let known: Vec<_> = than.iter().filter_map(owner).collect();
        let mut others: Vec<&WorkerId> = self
            .workers
            .values()
            .filter(|row| row.standing == Standing::Admitted && !known.contains(&row.about.owner))
            .map(|row| &row.about.id)
            .collect();
        others.sort();
        others.get(random.below(others.len())).map(|&id| id.clone())
    }

    /// The answer to a task whose answer is known, or to one that somebody else did too.
    pub(super) fn check_came(
        &mut self,
        task: &TaskRow,
        worker: &WorkerId,
        batch: &Batch,
        now: i64,
    ) -> Result<(), FleetError> {
        let result = Self::stored(task.id, worker, batch);
        self.ledger.add_result(task.run, &result, (false, now), batch.usage)?;
        self.counts.results += 1;
        let expected = match task.kind.subject() {
            Some(subject) => self.counting_product(subject, batch.number)?,
            None => Some(drill_answer(&task.unit)),
        };
        self.is_there(task.id, batch.number, worker)?;
        if expected.is_none() && matches!(task.kind, TaskKind::Check(_)) {
            // It was taken out meanwhile: there is nothing to compare.
            return Ok(());
        }
        let same = expected.is_none_or(|product| product.is_same_work(&batch.product));
        match task.kind {
            TaskKind::Known(_) if same => self.passed(task, worker),
            TaskKind::Known(_) => {
                let why = format!("{}: a known answer was wrong", task.id);
                self.caught(task, worker, &why, now)
            }
            TaskKind::Check(subject) if same => {
                if let Some(row) = self.workers.get_mut(worker) {
                    row.passed += 1;
                    self.ledger.put_worker(row)?;
                }
                // Whoever said something else before is outvoted.
                for (other, product) in self.opinions(subject, batch.number, task.id)? {
                    if !product.is_same_work(&batch.product) {
                        let number = batch.number;
                        let why = format!("{subject}, batch {number}: not what others computed");
                        self.caught(task, &other, &why, now)?;
                    }
                }
                Ok(())
            }
            TaskKind::Check(subject) => self.disagree(task, subject, batch, worker, now),
            TaskKind::Work => Ok(()),
        }
    }

    /// A result that nobody has taken out.
    fn counting_product(&self, task: TaskId, number: u32) -> Result<Option<Product>, FleetError> {
        match self.ledger.counting(task)?.contains(&number) {
            true => self.ledger.product(task, number),
            false => Ok(None),
        }
    }

    fn passed(&mut self, task: &TaskRow, worker: &WorkerId) -> Result<(), FleetError> {
        if self.tasks.contains_key(&task.id) {
            return Ok(());
        }
        if let Some(row) = self.workers.get_mut(worker) {
            row.passed += 1;
        }
        let Some(owed) = self.owed.get_mut(worker) else { return Ok(()) };
        *owed = owed.saturating_sub(1);
        if *owed > 0 {
            return Ok(());
        }
        let asked = self.settings.known_answers;
        self.admit(worker, &format!("{asked} known answers were right"))
    }

    fn caught(
        &mut self,
        task: &TaskRow,
        worker: &WorkerId,
        why: &str,
        now: i64,
    ) -> Result<(), FleetError> {
        self.counts.mismatches += 1;
        let fault = Fault::new(FaultKind::Dishonest, why);
        self.note_fault(now, (Some(task.run), Some(task.id)), Some(worker), &fault)?;
        self.bar(worker, why, now).map(|_| ())
    }

    /// Two owners have different answers. A third decides; without one, the less proven is not believed.
    fn disagree(
        &mut self,
        task: &TaskRow,
        subject: TaskId,
        batch: &Batch,
        checker: &WorkerId,
        now: i64,
    ) -> Result<(), FleetError> {
        let number = batch.number;
        let first = self.ledger.batches(subject)?.remove(&number);
        let Some(first) = first else { return Ok(()) };
        // Other checks of the same task have an opinion.
        let opinions = self.opinions(subject, number, task.id)?;
        let own = self.ledger.product(subject, number)?;
        let why = |other: &WorkerId| {
            format!("{subject}, batch {number}: not what {other} computed, and others agree")
        };
        for (third, product) in opinions {
            if product.is_same_work(&batch.product) {
                return self.caught(task, &first, &why(checker), now);
            }
            if own.as_ref().is_some_and(|own| own.is_same_work(&product)) {
                return self.caught(task, checker, &why(&third), now);
            }
        }
        let mut random = Rng::for_purpose(task.id.0, &[task.run.0, 1]);
        if let Some(third) = self.another_owner(&[first.clone(), checker.clone()], &mut random) {
            let fault = Fault::new(
                FaultKind::Dishonest,
                format!("{first} and {checker} disagree on {subject}; {third} decides"),
            );
            self.note_fault(now, (Some(task.run), Some(subject)), None, &fault)?;
            let part = Part { unit: task.unit.clone(), batches: task.batches };
            self.add_task(task.run, part, TaskKind::Check(subject), Pool::of(&third))?;
            return Ok(());
        }
        let proven = |id: &WorkerId| self.workers.get(id).map_or(0, |row| row.passed);
        let (less, more) = if proven(&first) < proven(checker) {
            (first, checker.clone())
        } else {
            (checker.clone(), first)
        };
        let why =
            format!("{subject}, batch {number}: not what {more} computed, who is better proven");
        self.caught(task, &less, &why, now)
    }

    /// What other checks of a task say.
    fn opinions(
        &self,
        subject: TaskId,
        number: u32,
        but: TaskId,
    ) -> Result<Vec<(WorkerId, Product)>, FleetError> {
        let mut found = Vec::new();
        for check in self.ledger.checks_of(subject)?.into_iter().filter(|check| *check != but) {
            let maker = self.ledger.batches(check)?.remove(&number);
            found.extend(maker.zip(self.ledger.product(check, number)?));
        }
        Ok(found)
    }
}

/// The right answer of a drill.
fn drill_answer(unit: &Unit) -> Product {
    let Spec::Checksum { rounds, .. } = DRILL else { return Product::Checksum { sum: 0 } };
    fleet::perform::checksum(rounds, 0, unit.part(1, 0))
}
