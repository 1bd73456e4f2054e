//! Many workers at one broker: how fast tasks are leased and results taken, and how soon everybody is
//! back after the broker was away.
//!
//! Broker and coordinator are processes of their own; the workers are threads here, each with a connection of
//! its own, at a steady pace.

use crate::Failure;
use crate::storm::{about, batch, failed, persevere, right, steady_coordinator, worker_name};
use fixtures::nats::NatsServer;
use fleet::{Pool, Queue, Worker};
use jetstream::joined::{join_on, runtime};
use jetstream::{Joined, Options};
use std::fmt::Write as _;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(crate) struct FleetArgs {
    /// Workers that ask for work at the same time.
    #[arg(long, default_value_t = 1000)]
    workers: usize,
    /// Leases a second of all together; 0 for as many as there can be.
    #[arg(long, default_value_t = 500)]
    leases: u64,
    /// Results of each task.
    #[arg(long, default_value_t = 4)]
    batches: u32,
    /// Seconds to measure.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// How often the broker is killed after that.
    #[arg(long, default_value_t = 3)]
    kills: usize,
}

/// Workers that join at a time.
const JOINING: usize = 32;

/// What all workers together have seen.
#[derive(Default)]
struct Seen {
    leases: Mutex<Vec<Duration>>,
    results: Mutex<Vec<Duration>>,
    faults: AtomicU64,
    /// Results that were accepted.
    accepted: AtomicU64,
    /// Workers that were answered since the broker came back, by how often it was killed.
    back: [AtomicU64; 16],
}

/// What workers do.
struct Plan {
    pace: Option<Duration>,
    measuring: AtomicBool,
    /// How often the broker has come back.
    returns: AtomicUsize,
    over: AtomicBool,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn run(args: &FleetArgs) -> Result<(), Failure> {
    let Some(mut server) = NatsServer::start() else {
        return Err(Failure::Failed("nats-server is not installed".to_owned()));
    };
    let folder = tempfile::tempdir()?;
    let coordinator = steady_coordinator(folder.path(), &server.url(), args.batches)?;
    let pace = (args.leases > 0)
        .then(|| Duration::from_secs_f64(args.workers as f64 / args.leases as f64));
    let plan = Plan {
        pace,
        measuring: AtomicBool::new(false),
        returns: AtomicUsize::new(0),
        over: AtomicBool::new(false),
    };
    let (seen, runtime) = (Seen::default(), runtime().map_err(failed)?);
    let (mut workers, url) = (Vec::new(), server.url());
    let begun = Instant::now();
    let join = |number: usize| -> Result<_, Failure> {
        let options = Options { name: worker_name(number), ..Options::new(url.clone()) };
        let queue = persevere(|| join_on(&runtime, &options));
        let holding = Some(Vec::new());
        let about = Worker { holding, ..about(&worker_name(number), 1)? };
        persevere(|| queue.announce(&about));
        Ok((about, queue))
    };
    std::thread::scope(|scope| -> Result<(), Failure> {
        let join = &join;
        let several = (0..JOINING).map(|first| {
            let some = (first..args.workers).step_by(JOINING);
            scope.spawn(move || some.map(join).collect::<Result<Vec<_>, Failure>>())
        });
        for joined in several.collect::<Vec<_>>() {
            let joined = joined.join().map_err(|_| failed("a worker panicked while joining"))?;
            workers.extend(joined?);
        }
        Ok(())
    })?;
    let joined = begun.elapsed();
    let seconds = Duration::from_secs(args.seconds);
    let mut text = format!("{:<32} {:.1}\n", "seconds until all had joined", joined.as_secs_f64());
    std::thread::scope(|scope| -> Result<(), Failure> {
        for (number, (about, queue)) in workers.iter().enumerate() {
            let (seen, plan) = (&seen, &plan);
            let small = std::thread::Builder::new().stack_size(256 << 10);
            small.spawn_scoped(scope, move || {
                let share = number as f64 / args.workers as f64;
                plan.work(queue, about, share, seen);
            })?;
        }
        std::thread::sleep(Duration::from_secs(3));
        plan.measuring.store(true, Ordering::Relaxed);
        std::thread::sleep(seconds);
        plan.measuring.store(false, Ordering::Relaxed);
        describe(&mut text, "leases", &mut locked(&seen.leases), seconds);
        describe(&mut text, "results", &mut locked(&seen.results), seconds);
        let _ = writeln!(text, "{:<32} {}", "faults", seen.faults.load(Ordering::Relaxed));
        let memory = coordinator.memory().unwrap_or(0);
        let _ = writeln!(text, "{:<32} {:.1}", "coordinator, MB", memory as f64 / 1024.0);
        for time in 1..=args.kills.min(seen.back.len() - 1) {
            server.kill();
            std::thread::sleep(Duration::from_secs(1));
            server.run();
            let (first, all) = returned(&plan, &seen, time, args.workers as u64);
            let _ = writeln!(text, "{:<32} {first:.1}", "s from its return to a result");
            let _ = writeln!(text, "{:<32} {all}", "s to a task of every worker");
        }
        plan.over.store(true, Ordering::Relaxed);
        Ok(())
    })?;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// Seconds from the broker's return to the first result that was accepted, and until every worker has done a task from the
/// lease to its last result.
fn returned(plan: &Plan, seen: &Seen, time: usize, workers: u64) -> (f64, String) {
    const PATIENCE: Duration = Duration::from_secs(120);
    let (begun, before) = (Instant::now(), seen.accepted.load(Ordering::Relaxed));
    plan.returns.store(time, Ordering::Relaxed);
    let back = &seen.back[time];
    let wait_for = |back: &AtomicU64, count: u64| {
        while back.load(Ordering::Relaxed) < count && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
        begun.elapsed().as_secs_f64()
    };
    let first = wait_for(&seen.accepted, before + 1);
    let all = wait_for(back, workers);
    let count = back.load(Ordering::Relaxed);
    let all = format!("{all:.1}");
    (first, if count < workers { format!("only {count} of {workers} in {all}") } else { all })
}

fn describe(text: &mut String, what: &str, times: &mut [Duration], seconds: Duration) {
    times.sort_unstable();
    let at = |share: f64| {
        let place = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    };
    let rate = times.len() as f64 / seconds.as_secs_f64();
    let _ = writeln!(text, "{:<32} {rate:.0}", format!("{what} a second"));
    let _ = writeln!(
        text,
        "{:<32} p50 {:.1}, p99 {:.1}, max {:.1}",
        format!("{what}, ms"),
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

impl Plan {
    fn work(&self, queue: &fleet::wire::Remote<Joined>, about: &Worker, share: f64, seen: &Seen) {
        let pace = self.pace.unwrap_or_default();
        let mut next = Instant::now() + pace.mul_f64(share);
        let mut back = 0;
        while !self.over.load(Ordering::Relaxed) {
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
            next = (next + pace).max(Instant::now());
            let returns = self.returns.load(Ordering::Relaxed);
            let done = self.one_task(queue, about, seen);
            if done.is_none() {
                seen.faults.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(20));
                // As a worker does: it says who it is, and that it has nothing. What failed is tried again anyway.
                let _ = queue.announce(about);
            } else if returns > back {
                back = returns;
                seen.back[returns].fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn one_task(
        &self,
        queue: &fleet::wire::Remote<Joined>,
        about: &Worker,
        seen: &Seen,
    ) -> Option<()> {
        let measuring = || self.measuring.load(Ordering::Relaxed);
        let begun = Instant::now();
        let pools = [Pool::of(&about.id), Pool::any()];
        let lease = queue.lease(&about.id, &pools, Duration::from_secs(1)).ok()??;
        if measuring() {
            locked(&seen.leases).push(begun.elapsed());
        }
        for number in 0..lease.task.batches {
            if let Some(pace) = self.pace {
                std::thread::sleep(pace / (2 * lease.task.batches));
            }
            let result = batch(number, right(&lease.task, number));
            let begun = Instant::now();
            queue.finish(&lease.key, &result).ok()?;
            seen.accepted.fetch_add(1, Ordering::Relaxed);
            if measuring() {
                locked(&seen.results).push(begun.elapsed());
            }
        }
        Some(())
    }
}
