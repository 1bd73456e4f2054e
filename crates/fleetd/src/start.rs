//! A coordinator or a worker, made from what its owner asked for.

use crate::connections::{self, Broker};
use crate::coordinator::CoordinatorSettings;
use crate::data_folder::DataFolder;
use crate::error::FleetError;
use crate::ledger::Ledger;
use crate::service::Service;
use fleet::files::FileCache;
use fleet::names::NameError;
use fleet::perform::{Equipment, measure};
use fleet::signed::{Sandbox, Signer};
use fleet::work::{WorkObserver, WorkSettings, Worked, work};
use fleet::{Fault, Lease, OwnerName, Pool, QueueError, Worker, WorkerId};
use gateway::client::ClientOptions;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use think::{TimeSource, WallTime};

/// How long there is nothing to do for a worker that ends then: longer than a coordinator takes to examine and admit it.
const IDLE: Duration = Duration::from_secs(10);

/// Whoever is told what happens, a line at a time.
pub type LogSink = fn(&str);

fn wrong(error: &NameError) -> FleetError {
    FleetError::Refused(error.to_string())
}

/// This process as a worker.
fn worker(id: WorkerId, owner: OwnerName, slots: usize, (bench, speed): (u64, u64)) -> Worker {
    Worker {
        id,
        owner,
        cores: u32::try_from(slots).unwrap_or(u32::MAX),
        memory_mib: fleet::worker::memory_mib(),
        speed,
        bench,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pools: vec![Pool::any()],
        holding: None,
    }
}

/// A coordinator.
pub struct ServeRequest<'a> {
    pub data: &'a DataFolder,
    /// The queue is in this process if missing.
    pub broker: Option<Broker>,
    /// Tasks at a time that this process does itself.
    pub threads: usize,
    /// Where workers come in by HTTPS.
    pub gateway: Option<SocketAddr>,
    /// Their tokens; a file of the fleet's folder if missing.
    pub tokens: Option<PathBuf>,
    /// Certificate and key for it, in PEM.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Owners whose workers need no known answers first.
    pub trusted: Vec<OwnerName>,
    /// Ends when no run is active any more.
    pub until_idle: bool,
    /// Seconds since 1970.
    pub now: fn() -> i64,
}

#[cfg(test)]
impl<'a> ServeRequest<'a> {
    /// A coordinator that does one task at a time itself, without a gateway or a broker.
    pub(crate) fn alone(data: &'a DataFolder) -> Self {
        Self {
            data,
            broker: None,
            threads: 1,
            gateway: None,
            tokens: None,
            tls: None,
            trusted: Vec::new(),
            until_idle: false,
            now: || 1,
        }
    }

    /// Does something beside such a coordinator, which ends with it, also where it panics.
    pub(crate) fn beside_one<T>(data: &DataFolder, work: impl FnOnce() -> T) -> T {
        use std::sync::atomic::Ordering;

        struct Stop<'a>(&'a AtomicBool);
        impl Drop for Stop<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let stop = &AtomicBool::new(false);
        std::thread::scope(|scope| {
            let serving = scope.spawn(|| ServeRequest::alone(data).run(stop, |_| ()).unwrap());
            let _stop = Stop(stop);
            while !data.is_served() {
                assert!(!serving.is_finished(), "the coordinator has ended");
                std::thread::sleep(Duration::from_millis(20));
            }
            work()
        })
    }
}

impl ServeRequest<'_> {
    /// Serves until `stop` is set.
    pub fn run(self, stop: &AtomicBool, log: LogSink) -> Result<(), FleetError> {
        let Self { data, broker, threads, now, until_idle, .. } = self;
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        let measured = measure(&time);
        let ledger = Ledger::open(&data.ledger_path())?;
        let queue = connections::host(data, &ledger, broker.as_ref(), Arc::clone(&time))?;
        let owner: OwnerName = "coordinator".parse().map_err(|e| wrong(&e))?;
        let local = match threads {
            0 => None,
            slots => {
                let files = Some(data.files()?);
                let equipment = Equipment { files, ..Equipment::own(time, measured.1) };
                let id = "local".parse().map_err(|e| wrong(&e))?;
                Some((worker(id, owner.clone(), slots, measured), equipment, slots))
            }
        };
        let mut trusted = self.trusted;
        trusted.push(owner);
        let (bench, speed) = (Some(measured.0), Some(measured.1));
        let settings =
            CoordinatorSettings { bench, speed, trusted, ..CoordinatorSettings::default() };
        let tokens = self.tokens.unwrap_or_else(|| data.tokens_path());
        let tls = self.tls;
        let gateway = self.gateway.map(|listen| {
            let log = Arc::new(move |refusal: &gateway::Refusal| log(&refusal.said));
            connections::open_gateway(&tokens, Arc::clone(&queue), listen, tls, log)
        });
        let gateway = gateway.transpose()?;
        if let Some(gateway) = &gateway {
            log(&format!("workers come in at {}", gateway.address()));
        }
        let (signature, speed) = (measured.0, measured.1 / 1000);
        log(&format!("bench signature {signature}, {speed} thousand nodes a second"));
        let service = Service { data, ledger, queue, settings, local, until_idle, now };
        service.run(stop, &mut |_| ())
    }
}

/// A worker.
pub struct WorkRequest {
    pub broker: Option<Broker>,
    /// The address of a gateway.
    pub gateway: Option<String>,
    /// A file with the token for it.
    pub token_file: Option<PathBuf>,
    /// Certificates to trust besides those of the system.
    pub ca: Option<PathBuf>,
    pub name: WorkerId,
    /// Its own if missing.
    pub owner: Option<OwnerName>,
    /// Tasks at a time; as many as processors if missing.
    pub threads: Option<usize>,
    /// A folder for files that come with tasks.
    pub files: PathBuf,
    /// Ends when there is nothing to do.
    pub until_idle: bool,
    /// Whose executables it starts.
    pub signers: Vec<Signer>,
}

impl WorkRequest {
    /// Works until `stop` is set.
    pub fn run(self, stop: &AtomicBool, log: LogSink) -> Result<Worked, FleetError> {
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        let token = self.token_file.map(|path| {
            let read = std::fs::read_to_string(&path);
            read.map_err(|source| FleetError::File { path, source })
        });
        let (token, ca) = (token.transpose()?.unwrap_or_default(), self.ca);
        let options = self.gateway.map(|url| ClientOptions { url, token, ca });
        let files = FileCache::new(&self.files).map_err(FleetError::Refused)?;
        let sandbox = match self.signers.is_empty() {
            true => None,
            false => Some(Sandbox::new(&self.files.join("programs"), self.signers)),
        };
        let sandbox = sandbox.transpose().map_err(FleetError::Refused)?;
        let measured = measure(&time);
        let queue = connections::join(self.broker.as_ref(), options.as_ref())?;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let slots = self.threads.unwrap_or_else(cores).max(1);
        let equipment =
            Equipment { files: Some(files), sandbox, ..Equipment::own(time, measured.1) };
        let own = || self.name.as_str().parse().map_err(|e| wrong(&e));
        let owner = self.owner.map_or_else(own, Ok)?;
        let worker = worker(self.name.clone(), owner, slots, measured);
        let settings = WorkSettings {
            slots,
            until_idle: self.until_idle.then_some(IDLE),
            memory: Some(fleet::worker::memory_mib),
            ..WorkSettings::default()
        };
        Ok(work(&*queue, &worker, &equipment, &settings, stop, &WorkLog(log))?)
    }
}

/// Says what goes wrong.
struct WorkLog(LogSink);

impl WorkObserver for WorkLog {
    fn failed(&self, lease: &Lease, fault: &Fault) {
        (self.0)(&format!("{}: {fault}", lease.key.task));
    }

    fn refused(&self, error: &QueueError) {
        (self.0)(&error.to_string());
    }
}
