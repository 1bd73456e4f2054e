//! A worker of the storm. It repeats itself, forgets, leaves tasks lying and, if it is the liar, lies.

use super::parts::{LIAR, PartArgs, persevere, worker_id};
use crate::Failure;
use fleet::{
    Batch, Fault, FaultKind, Finished, Lease, LeaseKey, Pool, Product, Queue, Usage, WorkerId,
};
use gateway::client::ClientOptions;
use gateway::connect;
use jetstream::join;
use seed::Rng;
use std::fs::File;
use std::io::Write;
use std::time::Duration;

/// What a batch of a unit must say.
pub(crate) fn expected(unit: u64, batch: u32) -> u64 {
    Rng::for_purpose(unit, &[u64::from(batch)]).bits()
}

/// A result to be handed in.
#[derive(Clone, Copy)]
struct Brought {
    unit: u64,
    number: u32,
    sum: u64,
    lie: bool,
}

struct Worker<'a> {
    queue: &'a dyn Queue,
    id: WorkerId,
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
    let id = worker_id(&args.name)?;
    let slots: Result<Vec<Worker<'_>>, Failure> = (0..args.slots.max(1))
        .map(|slot| {
            let accepted = File::options().append(true).create(true).open(&log)?;
            let (id, rng) = (id.clone(), rng.split(slot as u64));
            Ok(Worker { queue: &*queue, id, rng, accepted, old: Vec::new() })
        })
        .collect();
    std::thread::scope(|scope| {
        let slots = slots?.into_iter().map(|slot| scope.spawn(|| at_work(slot, args)));
        let slots: Vec<_> = slots.collect();
        let failed = |_| Err(Failure::Failed("a slot of a worker panicked".to_owned()));
        slots.into_iter().try_for_each(|slot| slot.join().unwrap_or_else(failed))
    })
}

fn at_work(mut worker: Worker<'_>, args: &PartArgs) -> Result<(), Failure> {
    loop {
        let lease = worker.queue.lease(&worker.id, &[Pool::any()], Duration::from_secs(1));
        match lease {
            Ok(Some(lease)) => worker.perform(&lease, args.units())?,
            Ok(None) => {}
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

impl Worker<'_> {
    fn perform(&mut self, lease: &Lease, units: u64) -> Result<(), Failure> {
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
        let unit = lease.key.task.0 % units;
        for number in (0..lease.task.batches).filter(|number| !lease.done.contains(number)) {
            let lies = self.id.as_str() == LIAR && self.rng.below(50) == 0;
            let right = expected(unit, number);
            let sum = if lies { right ^ 1 } else { right };
            if !self.bring(&lease.key, Brought { unit, number, sum, lie: lies })? {
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
    fn bring(&mut self, key: &LeaseKey, result: Brought) -> Result<bool, Failure> {
        let Brought { unit, number, sum, lie } = result;
        loop {
            match self.queue.finish(key, &batch(number, sum)) {
                Ok(finished) => {
                    if finished == Finished::Accepted && !lie {
                        self.note(unit, number)?;
                    }
                    // The same once more, with something else in it: changes nothing.
                    if self.rng.below(20) == 0 {
                        let _ = self.queue.finish(key, &batch(number, !sum));
                    }
                    return Ok(true);
                }
                Err(e) if e.is_passing() => std::thread::sleep(Duration::from_millis(50)),
                Err(_) => return Ok(false),
            }
        }
    }

    fn note(&mut self, unit: u64, number: u32) -> Result<(), Failure> {
        let line = format!("{unit} {number}\n");
        Ok(self.accepted.write_all(line.as_bytes())?)
    }
}

/// A result with some weight.
fn batch(number: u32, sum: u64) -> Batch {
    let text = format!("{sum} {}", "x".repeat(400));
    Batch { number, product: Product::Text { text }, usage: Usage::default() }
}
