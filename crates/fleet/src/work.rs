//! A worker: leases tasks, does them, says that it is still there, hands results in.

mod beats;

use crate::batch::{Batch, Fault, FaultKind};
use crate::names::{Pool, TaskId};
use crate::perform::{Equipment, Slot};
use crate::queue::{Finished, Lease, Queue, QueueError};
use crate::worker::Worker;
use beats::Beats;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

/// Games of one host that share one runner: more than these would wait for each other.
pub const CELL: usize = 16;

/// How a host's processors are cut into cells of at most [`CELL`].
pub fn cells(cores: usize) -> Vec<usize> {
    let count = cores.div_ceil(CELL).max(1);
    (0..count).map(|cell| cores * (cell + 1) / count - cores * cell / count).collect()
}

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkSettings {
    /// Tasks at a time.
    pub slots: usize,
    /// How long to wait for a task before looking whether to end.
    pub wait: Duration,
    /// How long to wait before a call that failed is tried again, the first time.
    pub pause: Duration,
    /// How often leases are extended; three times as often as need be if missing.
    pub beat: Option<Duration>,
    /// Ends when there has been nothing to do for so long.
    pub until_idle: Option<Duration>,
    /// Tells how much memory there is now, in MiB: said while it has no task, whose memory would be missing in it. What the
    /// worker was introduced with if missing.
    pub memory: Option<fn() -> u64>,
}

impl Default for WorkSettings {
    fn default() -> Self {
        Self {
            slots: 1,
            wait: Duration::from_millis(500),
            pause: Duration::from_millis(200),
            beat: None,
            until_idle: None,
            memory: None,
        }
    }
}

/// Whoever looks on while a worker works. Called from many threads.
pub trait WorkObserver: Sync {
    /// A task begins.
    fn began(&self, _lease: &Lease) {}

    /// A batch was handed in.
    fn finished(&self, _lease: &Lease, _batch: &Batch, _finished: Finished) {}

    /// A task was not done.
    fn failed(&self, _lease: &Lease, _fault: &Fault) {}

    /// The queue did not do what it was asked.
    fn refused(&self, _error: &QueueError) {}
}

/// Nobody looks on.
impl WorkObserver for () {}

/// What a worker did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Worked {
    pub batches: u64,
    pub duplicates: u64,
    pub faults: u64,
}

/// Works until `stop` is set: then batches under way are finished, the rest of their tasks is given
/// back, and no other begins. Returns also when the queue bars the worker.
pub fn work(
    queue: &dyn Queue,
    worker: &Worker,
    equipment: &Equipment,
    settings: &WorkSettings,
    stop: &AtomicBool,
    observer: &dyn WorkObserver,
) -> Result<Worked, QueueError> {
    // A process that has just begun has nothing, whatever its name had leased before.
    let begun = Worker { holding: Some(Vec::new()), ..worker.clone() };
    retried(stop, settings.pause, observer, &mut || queue.announce(&begun))?;
    let mut pools = vec![Pool::of(&worker.id)];
    pools.extend(worker.pools.iter().cloned());
    let host = Host {
        queue,
        worker,
        equipment,
        settings,
        stop,
        observer,
        pools,
        counts: Default::default(),
        unknown: AtomicBool::new(false),
        holding: Mutex::default(),
        gate: RwLock::new(()),
        barred: Mutex::new(None),
    };
    let sites: Vec<Site<'_>> = cells(settings.slots.max(1))
        .iter()
        .map(|_| Site { host: &host, beats: Beats::default() })
        .collect();
    thread::scope(|scope| {
        let mut number = 0;
        for (site, slots) in sites.iter().zip(cells(settings.slots.max(1))) {
            let first = number;
            number += slots;
            scope.spawn(move || site.run(first..first + slots));
        }
    });
    drop(sites);
    let [batches, duplicates, faults] = host.counts.map(AtomicU64::into_inner);
    match host.barred.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(Worked { batches, duplicates, faults }),
    }
}

/// Tries until it works, the error is one that stays, or everything is to end.
fn retried<T>(
    stop: &AtomicBool,
    pause: Duration,
    observer: &dyn WorkObserver,
    call: &mut dyn FnMut() -> Result<T, QueueError>,
) -> Result<T, QueueError> {
    const LONGEST: Duration = Duration::from_secs(30);
    let mut pause = pause;
    // Even when all is to end a result is worth some attempts.
    let mut last_attempts = 5;
    loop {
        match call() {
            Err(error) if error.is_passing() => {
                observer.refused(&error);
                if stop.load(Ordering::Relaxed) {
                    last_attempts -= 1;
                    if last_attempts == 0 {
                        return Err(error);
                    }
                }
                thread::sleep(pause);
                pause = (pause * 2).min(LONGEST);
            }
            other => return other,
        }
    }
}

/// One worker at work, in all of its cells.
struct Host<'a> {
    queue: &'a dyn Queue,
    worker: &'a Worker,
    equipment: &'a Equipment,
    settings: &'a WorkSettings,
    stop: &'a AtomicBool,
    observer: &'a dyn WorkObserver,
    pools: Vec<Pool>,
    /// Batches, duplicates, faults.
    counts: [AtomicU64; 3],
    /// Whether somebody who may not know this worker answers now.
    unknown: AtomicBool,
    /// What it has, in all of its slots.
    holding: Mutex<BTreeSet<TaskId>>,
    /// Shared while a lease is asked for, its own while it says what it has: no lease is forgotten on its way.
    gate: RwLock<()>,
    barred: Mutex<Option<QueueError>>,
}

/// A cell of it: slots whose leases are kept alive together.
struct Site<'a> {
    host: &'a Host<'a>,
    beats: Beats,
}

impl<'a> std::ops::Deref for Site<'a> {
    type Target = Host<'a>;

    fn deref(&self) -> &Host<'a> {
        self.host
    }
}

impl Host<'_> {
    /// Says who is there and what it has: whatever else is leased to it was lost on the way, and waits again.
    fn introduce(&self) -> Result<(), QueueError> {
        let _gate = self.gate.write().unwrap_or_else(PoisonError::into_inner);
        let holding: Vec<TaskId> = {
            let holding = self.holding.lock().unwrap_or_else(PoisonError::into_inner);
            holding.iter().copied().collect()
        };
        let memory = self.settings.memory.filter(|_| holding.is_empty());
        let memory_mib = memory.map_or(self.worker.memory_mib, |memory| memory());
        self.queue.announce(&Worker { holding: Some(holding), memory_mib, ..self.worker.clone() })
    }

    /// Says who is there after the queue was away: one that began anew knows nobody, and gives who is unknown to it
    /// tasks for one processor.
    fn introduce_again(&self) {
        if self.unknown.swap(false, Ordering::Relaxed)
            && let Err(error) = self.introduce()
        {
            self.observer.refused(&error);
            self.unknown.store(true, Ordering::Relaxed);
        }
    }

    /// Asks for a task.
    fn lease(&self) -> Result<Option<Lease>, QueueError> {
        let _gate = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        let lease = self.queue.lease(&self.worker.id, &self.pools, self.settings.wait)?;
        if let Some(lease) = &lease {
            let mut holding = self.holding.lock().unwrap_or_else(PoisonError::into_inner);
            holding.insert(lease.key.task);
        }
        Ok(lease)
    }
}

/// A task under way in a slot. Where the slot panics too, its lease is not kept alive any longer.
struct UnderWay<'a>(&'a Site<'a>, TaskId);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let Self(site, task) = *self;
        site.beats.drop(task);
        site.holding.lock().unwrap_or_else(PoisonError::into_inner).remove(&task);
    }
}

impl Site<'_> {
    /// Works with the slots of those numbers until all is over.
    fn run(&self, slots: std::ops::Range<usize>) {
        thread::scope(|scope| {
            // One cell speaks for the worker.
            let speaks = slots.start == 0;
            scope.spawn(move || self.beat(speaks));
            let threads: Vec<_> = slots
                .filter_map(|slot| {
                    let builder = thread::Builder::new().name(format!("fleet {slot}"));
                    let work = move || self.slot(slot);
                    builder.stack_size(think::STACK).spawn_scoped(scope, work).ok()
                })
                .collect();
            for thread in threads {
                // A slot that panicked has lost its lease, which runs out; the others go on.
                let _ = thread.join();
            }
            self.beats.end();
        });
    }

    /// Extends what is held, and says now and then who is there: a queue that began anew knows nobody.
    fn beat(&self, speaks: bool) {
        const AGAIN: Duration = Duration::from_secs(40);
        let time = &self.equipment.runner.time;
        let pause = self.settings.beat.unwrap_or(self.queue.settings().lease / 3);
        let mut said = time.now();
        while let Some(held) = self.beats.wait(pause) {
            if speaks && time.now().saturating_sub(said) >= AGAIN {
                said = time.now();
                if let Err(error) = self.introduce() {
                    self.observer.refused(&error);
                }
            }
            for key in held {
                match self.queue.extend(&key) {
                    Ok(()) => {}
                    Err(error) if error.is_passing() => self.observer.refused(&error),
                    // Another's, or not wanted any more: what is under way is for nothing.
                    Err(error) => {
                        self.observer.refused(&error);
                        self.beats.lose(&key);
                    }
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        let barred = self.barred.lock().unwrap_or_else(PoisonError::into_inner);
        self.stop.load(Ordering::Relaxed) || barred.is_some()
    }

    fn slot(&self, number: usize) {
        let lost = Arc::new(AtomicBool::new(false));
        let mut slot = Slot::new(self.equipment, number, Arc::clone(&lost));
        let time = &self.equipment.runner.time;
        let mut busy = time.now();
        while !self.is_over() {
            self.introduce_again();
            match self.lease() {
                Ok(Some(lease)) => {
                    lost.store(false, Ordering::Relaxed);
                    self.beats.hold(&lease.key, &lost);
                    let _under_way = UnderWay(self, lease.key.task);
                    self.observer.began(&lease);
                    self.task(&mut slot, &lease, &lost);
                    busy = time.now();
                }
                Ok(None) => {
                    let idle = time.now().saturating_sub(busy);
                    if self.settings.until_idle.is_some_and(|long| idle >= long) {
                        return;
                    }
                }
                Err(error) if error.is_passing() => {
                    self.observer.refused(&error);
                    self.unknown.store(true, Ordering::Relaxed);
                    thread::sleep(self.settings.pause);
                }
                Err(error) => {
                    self.observer.refused(&error);
                    let mut barred = self.barred.lock().unwrap_or_else(PoisonError::into_inner);
                    *barred = Some(error);
                }
            }
        }
    }

    /// Does what is left of a task.
    fn task(&self, slot: &mut Slot, lease: &Lease, lost: &AtomicBool) {
        let missing = (0..lease.task.batches).filter(|number| !lease.done.contains(number));
        for number in missing {
            if self.stop.load(Ordering::Relaxed) {
                let fault = Fault::new(FaultKind::Leaving, "the worker is leaving");
                self.give_back(lease, &fault);
                return;
            }
            let batch = match slot.batch(&lease.task, number, self.queue) {
                Ok(batch) => batch,
                // Nobody waits for it any more.
                Err(_) if lost.load(Ordering::Relaxed) => return,
                Err(fault) => {
                    self.counts[2].fetch_add(1, Ordering::Relaxed);
                    self.give_back(lease, &fault);
                    return;
                }
            };
            if !self.hand_in(lease, &batch) {
                return;
            }
        }
    }

    fn give_back(&self, lease: &Lease, fault: &Fault) {
        self.observer.failed(lease, fault);
        let fail = &mut || self.queue.fail(&lease.key, fault);
        let given = retried(self.stop, self.settings.pause, self.observer, fail);
        if let Err(error) = given {
            // It runs out by itself.
            self.observer.refused(&error);
        }
    }

    /// Hands a batch in; whether the rest of the task is still wanted.
    fn hand_in(&self, lease: &Lease, batch: &Batch) -> bool {
        let finish = &mut || self.queue.finish(&lease.key, batch);
        match retried(self.stop, self.settings.pause, self.observer, finish) {
            Ok(finished) => {
                let count = usize::from(finished == Finished::Duplicate);
                self.counts[count].fetch_add(1, Ordering::Relaxed);
                self.observer.finished(lease, batch, finished);
                true
            }
            Err(error) => {
                self.observer.refused(&error);
                if matches!(error, QueueError::TooLarge { .. } | QueueError::NoSuchBatch { .. }) {
                    self.give_back(lease, &Fault::new(FaultKind::Spec, error.to_string()));
                }
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slot that panics loses its lease, and another slot does the task.
    #[test]
    fn a_task_whose_slot_panicked_is_done_by_another() {
        use crate::conformance::{name, task};
        use crate::{Cursor, Event, InProcess, Settings, Standing};
        use think::WallTime;

        /// Falls over the first task.
        #[derive(Default)]
        struct Clumsy(AtomicBool);

        impl WorkObserver for Clumsy {
            fn began(&self, _: &Lease) {
                assert!(self.0.swap(true, Ordering::Relaxed), "a slot that panics (a test)");
            }
        }

        let settings = Settings { lease: Duration::from_millis(300), ..Settings::default() };
        let equipment = Equipment::own(Arc::new(WallTime::start()), 1);
        let queue = InProcess::new(settings, Arc::clone(&equipment.runner.time));
        queue.stand(&name("a"), Standing::Admitted).unwrap();
        queue.offer(&task(1)).unwrap();
        let worker = Worker { cores: 2, ..crate::conformance::introduced("a") };
        let settings =
            WorkSettings { slots: 2, wait: Duration::from_millis(20), ..WorkSettings::default() };
        let (stop, clumsy) = (AtomicBool::new(false), Clumsy::default());
        thread::scope(|scope| {
            scope.spawn(|| work(&queue, &worker, &equipment, &settings, &stop, &clumsy));
            let patience = std::time::Instant::now() + Duration::from_secs(60);
            let mut done = false;
            while !done && std::time::Instant::now() < patience {
                let events = queue.watch(Cursor::default(), 100, Duration::from_millis(50));
                let finished = |(_, event): &(_, Event)| matches!(event, Event::Finished { .. });
                done = events.unwrap().iter().any(finished);
            }
            stop.store(true, Ordering::Relaxed);
            assert!(done, "nobody did it");
        });
    }

    #[test]
    fn cells_hold_at_most_sixteen_and_all_cores() {
        for cores in 1..300 {
            let cells = cells(cores);
            assert_eq!(cells.iter().sum::<usize>(), cores);
            assert!(cells.iter().all(|&cell| (1..=CELL).contains(&cell)), "{cores}: {cells:?}");
        }
        assert_eq!(cells(16), [16]);
        assert_eq!(cells(17), [8, 9]);
    }
}
