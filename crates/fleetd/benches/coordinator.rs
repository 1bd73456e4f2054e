//! How much a coordinator bears: tasks through the queue of one process, and a thousand simulated workers
//! with the ledger behind them. Prints a line for each figure.
//!
//! `cargo bench -p fleetd` (a fleet on the disk of the temporary folder).

#![allow(clippy::print_stdout, reason = "a measurement prints what it measured")]

use fleet::perform::checksum;
use fleet::{
    Batch, InProcess, Pins, Pool, Priority, Queue, Settings, Spec, Standing, Usage, Worker,
    WorkerId, conformance,
};
use fleetd::coordinator::Submission;
use fleetd::{Coordinator, CoordinatorSettings, DataFolder, Ledger};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use think::WallTime;

fn main() {
    in_process();
    thousand_workers();
}

/// Offer, lease, finish, watch and acknowledge, one thread.
fn in_process() {
    const TASKS: u64 = 300_000;
    let queue = InProcess::new(Settings::default(), Arc::new(WallTime::start()));
    let worker: WorkerId = "w".parse().expect("a name");
    queue.stand(&worker, Standing::Admitted).expect("a queue");
    let pools = [Pool::any()];
    let mut after = fleet::Cursor::default();
    let began = Instant::now();
    for id in 0..TASKS {
        queue.offer(&conformance::task(id)).expect("room");
        let lease = queue.lease(&worker, &pools, Duration::ZERO).expect("a queue").expect("a task");
        queue.finish(&lease.key, &conformance::batch(0)).expect("held");
        if id % 256 == 255 {
            let events = queue.watch(after, 1000, Duration::ZERO).expect("a queue");
            after = events.last().map_or(after, |(cursor, _)| *cursor);
            queue.acknowledge(after).expect("a queue");
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("in process: {:.0} tasks/s", TASKS as f64 / seconds);
}

/// A thousand threads that ask for tasks and answer at once, and a coordinator with its ledger.
fn thousand_workers() {
    const WORKERS: usize = 1000;
    const TASKS: u64 = 60_000;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = DataFolder::new(folder.path());
    let ledger = Ledger::open(&data.ledger_path()).expect("a ledger");
    let queue = data.queue(&ledger, Settings::default(), Arc::new(WallTime::start()));
    let queue: Arc<dyn Queue> = Arc::new(queue.expect("a queue"));
    let settings = CoordinatorSettings {
        lookahead: 2 * WORKERS,
        known_answers: 0,
        check_one_in: 0,
        ..CoordinatorSettings::default()
    };
    let files = data.files().expect("a folder");
    let mut coordinator =
        Coordinator::open(ledger, Arc::clone(&queue), files, settings).expect("a coordinator");
    let submission = Submission {
        name: "load".to_owned(),
        owner: "me".to_owned(),
        spec: Spec::sums(1),
        pins: Pins::default(),
        goal: Some(TASKS),
        priority: Priority::Normal,
        share: 1.0,
    };
    coordinator.submit(submission, 0).expect("a run");
    let (over, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let waits: Mutex<Vec<Duration>> = Mutex::default();
    let began = Instant::now();
    thread::scope(|scope| {
        for number in 0..WORKERS {
            let (queue, over, done, waits) = (&queue, &over, &done, &waits);
            let work = move || simulate(&**queue, number, over, done, waits);
            thread::Builder::new()
                .stack_size(128 << 10)
                .spawn_scoped(scope, work)
                .expect("a thread");
        }
        while done.load(Ordering::Relaxed) < TASKS {
            coordinator.step(1, Duration::from_millis(5)).expect("a step");
        }
        over.store(true, Ordering::Relaxed);
    });
    while coordinator.step(1, Duration::ZERO).expect("a step") {}
    let seconds = began.elapsed().as_secs_f64();
    let mut waits = waits.into_inner().expect("nobody panicked");
    waits.sort();
    let at = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let results = coordinator.counts().results;
    println!(
        "{WORKERS} workers: {:.0} leases/s and results/s in the ledger",
        results as f64 / seconds
    );
    println!("a lease: median {:.2} ms, p99 {:.2} ms", at(0.5), at(0.99));
    if let Some(mib) = resident_mib() {
        println!("memory of everything, the workers' threads included: {mib} MiB");
    }
}

fn simulate(
    queue: &dyn Queue,
    number: usize,
    over: &AtomicBool,
    done: &AtomicU64,
    waits: &Mutex<Vec<Duration>>,
) {
    let id: WorkerId = format!("w{number}").parse().expect("a name");
    let worker = Worker {
        owner: format!("o{}", number % 100).parse().expect("a name"),
        id: id.clone(),
        cores: 1,
        memory_mib: 0,
        speed: 1,
        bench: 1,
        version: "1".to_owned(),
        pools: vec![Pool::any()],
        holding: None,
    };
    queue.announce(&worker).expect("a queue");
    let pools = [Pool::any()];
    let mut own = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let asked = Instant::now();
        let Ok(Some(lease)) = queue.lease(&id, &pools, Duration::ZERO) else {
            // As a worker would: nothing to do, ask again soon.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        own.push(asked.elapsed());
        let product = checksum(1, lease.task.seed, lease.task.unit.part(1, 0));
        let batch = Batch { number: 0, product, usage: Usage::default() };
        while queue.finish(&lease.key, &batch).is_err_and(|e| e.is_passing()) {
            thread::sleep(Duration::from_millis(20));
        }
        done.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(100));
    }
    waits.lock().expect("nobody panicked").extend(own);
}

fn resident_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib >> 10)
}
