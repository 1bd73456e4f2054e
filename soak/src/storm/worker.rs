//! A worker of the storm. It repeats itself, forgets, leaves tasks lying and, if it is the liar, lies.

use super::parts::{LIAR, PartArgs, about, persevere};
use crate::Failure;
use fleet::perform::checksum;
use fleet::{
    Batch, Fault, FaultKind, Finished, Lease, LeaseKey, Pool, Product, Queue, Spec, Task, Usage,
};
use gateway::client::ClientOptions;
use gateway::connect;
use jetstream::join;
use seed::Rng;
use std::fs::File;
use std::io::Write;
use std::time::Duration;

/// The line in a worker's notes that says that a result was there already.
pub(super) const AGAIN: &str = "again";

/// What a batch of a task must be.
pub(crate) fn right(task: &Task, number: u32) -> u64 {
    let Spec::Checksum { rounds, .. } = *task.spec else { return 0 };
    match checksum(rounds, task.seed, task.unit.part(task.batches, number)) {
        Product::Checksum { sum } => sum,
        _ => 0,
    }
}

/// A result to be handed in.
pub(crate) const fn batch(number: u32, sum: u64) -> Batch {
    Batch { number, product: Product::Checksum { sum }, usage: Usage { millis: 0, nodes: 0 } }
}

struct Worker<'a> {
    queue: &'a dyn Queue,
    about: &'a fleet::Worker,
    rng: Rng,
    /// What it was told is accepted.
    accepted: File,
    /// Keys of tasks that are over, to be tried again.
    old: Vec<LeaseKey>,
}

pub(super) fn work(args: &PartArgs) -> Result<(), Failure> {
    let queue: Box<dyn Queue> = match &args.token {
        None => Box::new(persevere(|| join(&args.options()))),
        Some(token) => {
            let url = format!("http://127.0.0.1:{}", args.port);
            let options = ClientOptions { url, token: token.clone(), ca: None };
            Box::new(persevere(|| connect(&options)))
        }
    };
    let log = args.folder.join(format!("{}.accepted", args.name));
    // Another one after each death.
    let rng = Rng::new(args.seed ^ u64::from(std::process::id()) << 20);
    let about = about(&args.name, args.slots)?;
    // A process that was started anew has nothing.
    let begun = fleet::Worker { holding: Some(Vec::new()), ..about.clone() };
    persevere(|| queue.announce(&begun));
    let slots: Result<Vec<Worker<'_>>, Failure> = (0..args.slots.max(1))
        .map(|slot| {
            let accepted = File::options().append(true).create(true).open(&log)?;
            let rng = rng.split(slot as u64);
            Ok(Worker { queue: &*queue, about: &about, rng, accepted, old: Vec::new() })
        })
        .collect();
    std::thread::scope(|scope| {
        let slots = slots?.into_iter().map(|slot| scope.spawn(|| at_work(slot)));
        let slots: Vec<_> = slots.collect();
        let failed = |_| Err(Failure::Failed("a slot of a worker panicked".to_owned()));
        slots.into_iter().try_for_each(|slot| slot.join().unwrap_or_else(failed))
    })
}

fn at_work(mut worker: Worker<'_>) -> Result<(), Failure> {
    let id = &worker.about.id;
    let pools = [Pool::of(id), Pool::any()];
    loop {
        match worker.queue.lease(id, &pools, Duration::from_secs(1)) {
            Ok(Some(lease)) => worker.perform(&lease)?,
            Ok(None) => {}
            Err(_) => {
                std::thread::sleep(Duration::from_millis(50));
                // A coordinator that was started anew knows nobody.
                let _ = worker.queue.announce(worker.about);
            }
        }
    }
}

impl Worker<'_> {
    fn perform(&mut self, lease: &Lease) -> Result<(), Failure> {
        match self.rng.below(200) {
            // Left lying: somebody else gets it when the lease is over.
            0 => return Ok(()),
            1 => {
                let fault = Fault::new(FaultKind::Machine, "a drill");
                let _ = self.queue.fail(&lease.key, &fault);
                return Ok(());
            }
            2 => drop(self.queue.extend(&lease.key)),
            _ => {}
        }
        for number in (0..lease.task.batches).filter(|number| !lease.done.contains(number)) {
            let lies = self.about.id.as_str() == LIAR && self.rng.below(50) == 0;
            if !self.bring(lease, number, lies)? {
                return Ok(());
            }
        }
        self.old.push(lease.key.clone());
        if self.old.len() > 20 {
            let key = self.old.swap_remove(0);
            let _ = self.queue.finish(&key, &batch(0, 0));
        }
        Ok(())
    }

    /// Hands a result in until it is known what came of it; whether the task is still ours.
    fn bring(&mut self, lease: &Lease, number: u32, lies: bool) -> Result<bool, Failure> {
        let sum = right(&lease.task, number) ^ u64::from(lies);
        loop {
            match self.queue.finish(&lease.key, &batch(number, sum)) {
                Ok(finished) => {
                    match finished {
                        Finished::Accepted if !lies => self.note(&lease.task, number)?,
                        Finished::Accepted => {}
                        Finished::Duplicate => self.write_line(AGAIN)?,
                    }
                    // The same once more, with something else in it: changes nothing.
                    if self.rng.below(20) == 0 {
                        let _ = self.queue.finish(&lease.key, &batch(number, !sum));
                    }
                    return Ok(true);
                }
                Err(e) if e.is_passing() => std::thread::sleep(Duration::from_millis(50)),
                Err(_) => return Ok(false),
            }
        }
    }

    /// Notes which sum it was told is accepted. What others did too, or was known, is nobody's work.
    fn note(&mut self, task: &Task, number: u32) -> Result<(), Failure> {
        if task.needs.pool.is_private() {
            return Ok(());
        }
        self.write_line(&task.unit.part(task.batches, number).start.to_string())
    }

    /// In one write: the slots share a file, and any of them may be killed.
    fn write_line(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.accepted.write_all(format!("{text}\n").as_bytes())?)
    }
}
