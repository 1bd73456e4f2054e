//! The processes of the storm: coordinator, gateway, worker.

use super::worker::work;
use crate::Failure;
use fleet::{OwnerName, Pool, Queue, QueueError, Settings, Worker, WorkerId};
use fleetd::{CoordinatorSettings, DataFolder, Ledger, Service};
use gateway::{Config, Gateway, Limits, Tokens};
use jetstream::{Host, Options, join};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use think::seconds_since_1970;

/// The worker that lies now and then.
pub(super) const LIAR: &str = "w1";

/// What the bench of every worker computes.
const BENCH: u64 = 7;

/// Bytes of events the broker keeps: filled up whenever the coordinator rests.
const ROOM: u64 = 128 << 10;

/// How often the coordinator rests, and for how long.
const REST: (Duration, Duration) = (Duration::from_secs(9), Duration::from_millis(700));

/// How often it is asked whether there was no room: asking takes as long as there is none.
const PROBES: usize = 5;

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

/// Whose a worker is: everybody's is its own.
pub(super) fn owner(name: &str) -> Result<OwnerName, Failure> {
    format!("owner-of-{name}").parse().map_err(|e| Failure::Failed(format!("{e}")))
}

/// A worker as it introduces itself.
pub(crate) fn about(name: &str, slots: usize) -> Result<Worker, Failure> {
    Ok(Worker {
        id: worker_id(name)?,
        owner: owner(name)?,
        cores: u32::try_from(slots).unwrap_or(u32::MAX),
        memory_mib: 0,
        speed: 1,
        bench: BENCH,
        version: String::new(),
        pools: vec![Pool::any()],
        holding: None,
    })
}

pub(crate) fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Failed(error.to_string())
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

/// What `nue fleet serve --nats` does, with a rest now and then.
fn coordinate(args: &PartArgs) -> Result<(), Failure> {
    let data = DataFolder::new(&args.folder);
    let ledger = persevere(|| Ledger::open(&data.ledger_path()));
    let after = ledger.cursor().map_err(failed)?;
    let settings = match args.steady {
        true => Settings::default(),
        // Tasks that were left lying come back soon, and a part that is always killed is not given up.
        false => Settings {
            lease: Duration::from_secs(4),
            retry: Duration::from_millis(200),
            max_attempts: 50,
            ..Settings::default()
        },
    };
    let host = persevere(|| Host::start_after(&args.options(), settings.clone(), after));
    let host = Arc::new(host);
    let queue = Arc::clone(&host) as Arc<dyn Queue>;
    // On its owner's machines nobody is examined.
    let known_answers = if args.steady { 0 } else { CoordinatorSettings::default().known_answers };
    let settings =
        CoordinatorSettings { known_answers, bench: Some(BENCH), ..CoordinatorSettings::default() };
    let service = Service {
        data: &data,
        ledger,
        queue,
        settings,
        local: None,
        until_idle: false,
        now: seconds_since_1970,
    };
    let (mut rested, never) = (Instant::now(), AtomicBool::new(false));
    let mut rest = |_: &fleetd::Status| {
        if !args.steady && rested.elapsed() > REST.0 {
            std::thread::sleep(REST.1);
            note_fullness(&host, &args.folder);
            rested = Instant::now();
        }
    };
    service.run(&never, &mut rest).map_err(failed)
}

/// The file with a line for each time there was no room.
pub(super) fn fullness(folder: &Path) -> PathBuf {
    folder.join("full")
}

/// Notes whether the broker had no room while the coordinator rested.
fn note_fullness(host: &Host, folder: &Path) {
    let path = fullness(folder);
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if known.lines().count() >= PROBES {
        return;
    }
    // An event that means nothing.
    let Ok(probe) = about("probe", 1) else { return };
    if let Err(QueueError::Unavailable { reason }) = host.announce(&probe)
        && reason.contains("maximum bytes")
        && let Ok(mut file) = File::options().append(true).create(true).open(&path)
    {
        // Not worth failing for.
        let _ = file.write_all(b"full\n");
    }
}
