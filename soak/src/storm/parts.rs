//! The processes of the storm: coordinator, gateway, worker.

use super::ledger::Ledger;
use super::worker::{expected, work};
use crate::Failure;
use fleet::{
    Cursor, Event, Needs, OwnerName, Pins, Priority, Product, Queue, QueueError, RunId, Settings,
    Spec, Standing, Task, TaskId, Unit, Worker, WorkerId,
};
use gateway::{Config, Gateway, Limits, Tokens};
use jetstream::{Host, Options, join};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The worker that lies now and then.
pub(super) const LIAR: &str = "w1";

/// Bytes of events the broker keeps: filled up whenever the coordinator rests.
const ROOM: u64 = 256 << 10;

/// How often the coordinator rests, and for how long.
const REST: (Duration, Duration) = (Duration::from_secs(9), Duration::from_millis(700));

/// How often it is asked whether there was no room: asking takes as long as there is none.
const PROBES: u64 = 5;

#[derive(clap::Args)]
pub(crate) struct PartArgs {
    /// coordinator, gateway or worker.
    part: String,
    #[arg(long)]
    nats: String,
    #[arg(long)]
    pub(super) folder: PathBuf,
    #[arg(long)]
    pub(super) port: u16,
    #[arg(long)]
    pub(super) results: u64,
    #[arg(long)]
    pub(super) batches: u32,
    #[arg(long)]
    workers: usize,
    #[arg(long, default_value = "")]
    pub(super) name: String,
    /// For a worker that speaks HTTPS.
    #[arg(long)]
    pub(super) token: Option<String>,
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// Tasks at a time of a worker.
    #[arg(long, default_value_t = 1)]
    pub(super) slots: usize,
    /// For a coordinator that never rests.
    #[arg(long)]
    steady: bool,
}

pub(crate) fn worker_name(number: usize) -> String {
    format!("w{number}")
}

pub(crate) fn worker_id(name: &str) -> Result<WorkerId, Failure> {
    name.parse().map_err(|e| Failure::Failed(format!("{e}")))
}

pub(super) fn owner() -> Result<OwnerName, Failure> {
    "storm".parse().map_err(|e| Failure::Failed(format!("{e}")))
}

pub(crate) fn run(args: &PartArgs) -> Result<(), Failure> {
    match args.part.as_str() {
        "coordinator" => coordinate(args),
        "gateway" => serve(args),
        "worker" => work(args),
        other => Err(Failure::Failed(format!("there is no part {other:?}"))),
    }
}

impl PartArgs {
    pub(super) fn options(&self) -> Options {
        let name = format!("{}-{}", self.part, self.name);
        let max_event_bytes = if self.steady { 1 << 30 } else { ROOM };
        Options { name, max_event_bytes, ..Options::new(self.nats.clone()) }
    }

    pub(super) fn units(&self) -> u64 {
        self.results.div_ceil(u64::from(self.batches))
    }
}

fn serve(args: &PartArgs) -> Result<(), Failure> {
    let queue = Arc::new(persevere(|| join(&args.options())));
    let tokens = Tokens::load(&args.folder.join("tokens"));
    let tokens = tokens.map_err(|e| Failure::Failed(e.to_string()))?;
    let limits = Limits { requests_per_second: 1e6, requests_burst: 1e6, ..Limits::default() };
    let listen = ([127, 0, 0, 1], args.port).into();
    let config = Config { listen, tls: None, limits };
    let _gateway = persevere(|| {
        let queue = Arc::clone(&queue) as Arc<dyn Queue>;
        Gateway::start(&config, queue, tokens.clone(), Arc::new(|_| ()))
    });
    loop {
        std::thread::park();
    }
}

/// Tries until it succeeds: whatever is missing will come back.
pub(crate) fn persevere<T, E>(mut act: impl FnMut() -> Result<T, E>) -> T {
    loop {
        match act() {
            Ok(value) => return value,
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

struct Coordinator<'a> {
    args: &'a PartArgs,
    ledger: Ledger,
    host: Host,
    /// Units that are not done, of those that were looked at, with the batches that are missing. Those offered
    /// anew, under another number, are among them.
    under_way: BTreeMap<u64, u64>,
    next: u64,
    /// Units to be offered anew, under another number.
    again: Vec<u64>,
}

fn coordinate(args: &PartArgs) -> Result<(), Failure> {
    let ledger = Ledger::create(&args.folder)?;
    let settings = Settings {
        lease: Duration::from_secs(4),
        retry: Duration::from_millis(200),
        max_attempts: 50,
        ..Settings::default()
    };
    let after = Cursor(ledger.number("cursor")?);
    let host = persevere(|| Host::start_after(&args.options(), settings.clone(), after));
    for number in 0..args.workers {
        let worker = worker_id(&worker_name(number))?;
        persevere(|| host.stand(&worker, Standing::Admitted));
    }
    let (under_way, again, next) = (BTreeMap::new(), Vec::new(), ledger.number("low")?);
    let mut coordinator = Coordinator { args, ledger, host, under_way, next, again };
    coordinator.run()
}

impl Coordinator<'_> {
    fn run(&mut self) -> Result<(), Failure> {
        let mut cursor = Cursor(self.ledger.number("cursor")?);
        // The one before may have died before it could say so.
        let _ = self.host.acknowledge(cursor);
        let mut rested = Instant::now();
        loop {
            self.offer()?;
            let events = self.host.watch(cursor, 256, Duration::from_millis(100));
            let events = events.unwrap_or_default();
            if let Some((last, _)) = events.last() {
                cursor = *last;
                // Units before this one are done: a coordinator that comes after looks at none of them.
                let low = self.under_way.keys().next().copied().unwrap_or(self.next);
                let entered = self.ledger.whole(|| {
                    let (mut entered, mut repeated) = (Vec::new(), 0);
                    for (_, event) in &events {
                        match enter(&self.ledger, self.args.units(), event, &mut self.again)? {
                            Entered::New(unit) => entered.push(unit),
                            Entered::Repeated => repeated += 1,
                            Entered::Nothing => {}
                        }
                    }
                    self.ledger.add("counted", entered.len() as u64)?;
                    self.ledger.add("repeated", repeated)?;
                    self.ledger.set("low", low)?;
                    self.ledger.set("cursor", cursor.0)?;
                    Ok(entered)
                })?;
                for unit in entered {
                    if let Some(missing) = self.under_way.get_mut(&unit) {
                        *missing -= 1;
                    }
                }
                self.under_way.retain(|_, missing| *missing > 0);
                // What is not acknowledged comes again.
                let _ = self.host.acknowledge(cursor);
            }
            if !self.args.steady && rested.elapsed() > REST.0 {
                std::thread::sleep(REST.1);
                self.note_fullness()?;
                rested = Instant::now();
            }
        }
    }

    /// Whether the broker had no room while the coordinator rested.
    fn note_fullness(&self) -> Result<(), Failure> {
        if self.ledger.number("full")? >= PROBES {
            return Ok(());
        }
        // An event that means nothing.
        let probe = self.host.announce(&Worker {
            id: worker_id("probe")?,
            owner: owner()?,
            cores: 1,
            memory_mib: 0,
            speed: 1,
            bench: 0,
            version: String::new(),
            pools: Vec::new(),
        });
        if let Err(QueueError::Unavailable { reason }) = probe
            && reason.contains("maximum bytes")
        {
            self.ledger.add("full", 1)?;
        }
        Ok(())
    }

    fn offer(&mut self) -> Result<(), Failure> {
        let units = self.args.units();
        for unit in std::mem::take(&mut self.again) {
            self.offer_unit(unit)?;
        }
        while self.under_way.len() < 8 * self.args.workers * self.args.slots && self.next < units {
            let unit = self.next;
            self.next += 1;
            let missing = of_unit(self.args, unit).saturating_sub(self.ledger.batches(unit)?);
            if missing > 0 {
                self.under_way.insert(unit, missing);
                self.offer_unit(unit)?;
            }
        }
        Ok(())
    }

    fn offer_unit(&self, unit: u64) -> Result<(), Failure> {
        let attempt = self.ledger.attempt(unit)?;
        let task = Task {
            id: TaskId(attempt * self.args.units() + unit),
            run: RunId(1),
            batches: u32::try_from(of_unit(self.args, unit)).unwrap_or(1),
            spec: Arc::new(Spec::Checksum { rounds: 1 }),
            unit: Unit::new(unit, 1),
            seed: unit,
            pins: Arc::new(Pins::default()),
            needs: Needs::default(),
            priority: Priority::Normal,
        };
        self.host.offer(&task).map(drop).map_err(|e| Failure::Failed(e.to_string()))
    }
}

/// Batches of a unit: the last one may have fewer.
fn of_unit(args: &PartArgs, unit: u64) -> u64 {
    let batches = u64::from(args.batches);
    (args.results - unit * batches).min(batches)
}

/// What became of an event.
enum Entered {
    /// A batch of that unit counted.
    New(u64),
    Repeated,
    Nothing,
}

/// Enters what happened. What is wrong is not counted: its unit is done again, under another number.
fn enter(
    ledger: &Ledger,
    units: u64,
    event: &Event,
    again: &mut Vec<u64>,
) -> Result<Entered, Failure> {
    match event {
        Event::Finished { task, worker, batch, .. } => {
            let (unit, number) = (task.0 % units, batch.number);
            let Product::Text { text } = &batch.product else { return Ok(Entered::Nothing) };
            let sum = text.split(' ').next().and_then(|word| word.parse().ok());
            if sum == Some(expected(unit, number)) {
                let sum = expected(unit, number);
                let new = ledger.enter(unit, number, sum, worker.as_str())?;
                return Ok(if new { Entered::New(unit) } else { Entered::Repeated });
            }
            ledger.enter_wrong(task.0, number, worker.as_str())?;
            ledger.next_attempt(unit)?;
            again.push(unit);
        }
        Event::GivenUp { task, .. } => {
            ledger.next_attempt(task.0 % units)?;
            again.push(task.0 % units);
        }
        Event::Announced { .. } | Event::Failed { .. } | Event::Expired { .. } => {}
    }
    Ok(Entered::Nothing)
}
