//! `nue fleet`: work for many machines, handed out by a coordinator.

use crate::failure::{CommandResult, Failure};
use crate::flags::fleet::{now, order};
use crate::interrupt;
use ::fleet::files::FileCache;
use ::fleet::perform::{Equipment, measure};
use ::fleet::signed::{Sandbox, Signer};
use ::fleet::work::{WorkSettings, work};
use ::fleet::{OwnerName, Pool, Priority, QueueError, RunId, Spec, Worker, WorkerId};
use clap::{Args, Subcommand};
use display::say;
use fleetd::connections::{self, Broker};
use fleetd::orders::Order;
use fleetd::signing;
use fleetd::{CoordinatorSettings, Home, Ledger, Request, Service};
use gateway::client::ClientOptions;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use think::{TimeSource, WallTime};

/// Share work among machines: matches, SPRT, tuning, self-play, rescoring, openings, mates
#[derive(Args)]
pub(crate) struct FleetArgs {
    /// Folder of the fleet: ledger, blobs, tokens
    #[arg(long, value_name = "FOLDER", default_value = "fleet", global = true)]
    data: PathBuf,
    #[command(subcommand)]
    command: FleetCommand,
}

#[derive(Subcommand)]
enum FleetCommand {
    /// Coordinate: hand out tasks, check and count what comes back
    Serve(Box<ServeArgs>),
    /// Work for a fleet
    Work(Box<WorkArgs>),
    /// Ask for a run described in a TOML file: kind = "match" and the settings of nue match, …
    Submit {
        file: PathBuf,
        #[arg(long)]
        name: Option<String>,
        /// Games, where the spec has no end of its own
        #[arg(long, value_name = "N")]
        games: Option<u64>,
        #[arg(long, default_value_t)]
        priority: Priority,
        /// Its part of the workers among runs of the same priority
        #[arg(long, default_value_t = 1.0)]
        share: f64,
    },
    /// Show the runs
    List(Json),
    /// Show a run, or write what it made to a file
    Show {
        run: RunId,
        /// CSA file of a match, teacher file of self-play, scored file, openings, answers and proofs
        #[arg(long, short, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Stop a run
    Stop {
        run: RunId,
        #[arg(long, default_value = "stopped by hand")]
        reason: String,
    },
    /// Set how soon a run is worked on
    Priority {
        run: RunId,
        priority: Priority,
        #[arg(long)]
        share: Option<f64>,
    },
    /// Show the workers
    Workers(Json),
    /// Bar a worker and do again what it did; --pardon lets it begin anew
    Quarantine {
        worker: WorkerId,
        #[arg(long, default_value = "barred by hand")]
        reason: String,
        #[arg(long)]
        pardon: bool,
    },
    /// Make a token for a worker that comes through the gateway; --revoke takes its tokens back
    Token {
        worker: WorkerId,
        #[arg(required_unless_present = "revoke")]
        owner: Option<OwnerName>,
        #[arg(long)]
        revoke: bool,
    },
    /// Make a key that signs executables: the file holds it, what is printed names it to workers
    Key { file: PathBuf },
    /// Sign an executable for matches, into a file beside it
    Sign {
        executable: PathBuf,
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
    /// Hand out no task any more: what is under way is finished; --off hands them out again
    Drain {
        #[arg(long)]
        off: bool,
    },
}

#[derive(Args)]
struct Json {
    /// Print as JSON, with everything
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct BrokerArgs {
    /// NATS server between coordinator and workers
    #[arg(long, value_name = "URL")]
    nats: Option<String>,
    /// File with the seed of an nkey for it
    #[arg(long, value_name = "FILE", requires = "nats")]
    nkey: Option<PathBuf>,
    /// Certificates to trust, in PEM
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

impl BrokerArgs {
    fn broker(&self, name: &str) -> Option<Broker> {
        let (url, name) = (self.nats.clone()?, name.to_owned());
        Some(Broker { url, name, nkey: self.nkey.clone(), ca: self.ca.clone() })
    }
}

#[derive(Args)]
struct ServeArgs {
    #[command(flatten)]
    broker: BrokerArgs,
    /// Tasks at a time that this process does itself
    #[arg(long, short = 'j', value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Let workers in by HTTPS at this address
    #[arg(long, value_name = "ADDRESS")]
    gateway: Option<SocketAddr>,
    /// Tokens of those workers; a file of the fleet's folder if missing
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// Certificate for it, in PEM
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// Its key, in PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Owner whose workers need no known answers first; may be repeated
    #[arg(long, value_name = "OWNER")]
    trust: Vec<OwnerName>,
    /// End when no run is active any more
    #[arg(long)]
    drain: bool,
}

#[derive(Args)]
struct WorkArgs {
    #[command(flatten)]
    broker: BrokerArgs,
    /// Gateway of the fleet
    #[arg(long, value_name = "URL", conflicts_with = "nats")]
    gateway: Option<String>,
    /// File with the token for it
    #[arg(long, value_name = "FILE", requires = "gateway")]
    token_file: Option<PathBuf>,
    /// Name of this worker, the one its token was made for
    #[arg(long)]
    name: WorkerId,
    /// Whose it is; its own if missing
    #[arg(long)]
    owner: Option<OwnerName>,
    /// Tasks at a time; as many as processors if missing
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<usize>,
    /// Folder for files that come with tasks
    #[arg(long, value_name = "FOLDER", default_value = "fleet-files")]
    files: PathBuf,
    /// End when there is nothing to do
    #[arg(long)]
    drain: bool,
    /// Start executables that come with a run and are signed by this key, without network; may be repeated
    #[arg(long, value_name = "PUBLIC KEY")]
    allow_signed: Vec<Signer>,
}

/// Runs the command.
pub(crate) fn run(args: &FleetArgs) -> CommandResult {
    let home = Home::new(&args.data);
    match &args.command {
        FleetCommand::Serve(args) => serve(&home, args),
        FleetCommand::Work(args) => join(args),
        FleetCommand::Submit { file, name, games, priority, share } => {
            let text = std::fs::read_to_string(file)
                .map_err(|e| Failure::failed(format!("{}: {e}", file.display())))?;
            let spec: Spec = toml::from_str(&text)
                .map_err(|e| Failure::usage(format!("{}: {e}", file.display())))?;
            let name = name.clone().unwrap_or_else(|| file.display().to_string());
            let request = Request { name, spec, goal: *games, priority: *priority, share: *share };
            let wait = Duration::from_secs(30);
            crate::flags::fleet::heard(home.submit(request, "local", now(), wait))
        }
        FleetCommand::List(Json { json }) => {
            let status = home.status()?;
            let text = if *json {
                serde_json::json!(status.runs).to_string() + "\n"
            } else {
                status.runs_text()
            };
            Ok(write!(io::stdout(), "{text}")?)
        }
        FleetCommand::Workers(Json { json }) => {
            let status = home.status()?;
            let text = if *json {
                serde_json::json!(status.workers).to_string() + "\n"
            } else {
                status.workers_text()
            };
            Ok(write!(io::stdout(), "{text}")?)
        }
        FleetCommand::Show { run, out: None } => {
            let text = home.status()?.run_text(*run);
            let text = text.ok_or_else(|| Failure::usage(format!("there is no run {run}")))?;
            Ok(write!(io::stdout(), "{text}")?)
        }
        FleetCommand::Show { run, out: Some(path) } => {
            let count = home.export(*run, path)?;
            say(&format!("{}: {count} written", path.display()));
            Ok(())
        }
        FleetCommand::Stop { run, reason } => {
            order(&home, &Order::Stop { run: *run, reason: reason.clone() })
        }
        FleetCommand::Priority { run, priority, share } => {
            order(&home, &Order::Priority { run: *run, priority: *priority, share: *share })
        }
        FleetCommand::Quarantine { worker, pardon: true, .. } => {
            order(&home, &Order::Pardon { worker: worker.clone() })
        }
        FleetCommand::Quarantine { worker, reason, .. } => {
            let (worker, reason) = (worker.clone(), reason.clone());
            order(&home, &Order::Quarantine { worker, reason })
        }
        FleetCommand::Token { worker, owner: Some(owner), revoke: false } => {
            let token = connections::new_token(&home, worker.clone(), owner.clone(), now())?;
            Ok(writeln!(io::stdout(), "{token}")?)
        }
        FleetCommand::Token { worker, .. } => {
            say(&format!("{} tokens taken back", connections::revoke_tokens(&home, worker)?));
            Ok(())
        }
        FleetCommand::Key { file } => Ok(writeln!(io::stdout(), "{}", signing::new_key(file)?)?),
        FleetCommand::Sign { executable, key } => {
            say(&format!("{} written", signing::sign(executable, key)?.display()));
            Ok(())
        }
        FleetCommand::Drain { off } => order(&home, &Order::Drain { draining: !off }),
    }
}

/// This process as a worker.
fn worker(id: WorkerId, owner: OwnerName, slots: usize, (bench, speed): (u64, u64)) -> Worker {
    Worker {
        id,
        owner,
        cores: u32::try_from(slots).unwrap_or(u32::MAX),
        memory_mib: ::fleet::worker::memory_mib(),
        speed,
        bench,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pools: vec![Pool::any()],
    }
}

fn serve(home: &Home, args: &ServeArgs) -> CommandResult {
    let (stop, _) = interrupt::flag();
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let measured = measure(&time);
    let ledger = Ledger::open(&home.ledger_path())?;
    let queue = connections::host(
        home,
        &ledger,
        args.broker.broker("coordinator").as_ref(),
        Arc::clone(&time),
    )?;
    let wrong = |e: ::fleet::names::NameError| Failure::failed(e.to_string());
    let owner: OwnerName = "coordinator".parse().map_err(wrong)?;
    let local = match args.threads {
        0 => None,
        slots => {
            let equipment =
                Equipment { files: Some(home.files()?), ..Equipment::own(time, measured.1) };
            Some((
                worker("local".parse().map_err(wrong)?, owner.clone(), slots, measured),
                equipment,
                slots,
            ))
        }
    };
    let mut trusted = args.trust.clone();
    trusted.push(owner);
    let settings =
        CoordinatorSettings { bench: Some(measured.0), trusted, ..CoordinatorSettings::default() };
    let tls = args.cert.clone().zip(args.key.clone());
    let tokens = args.tokens.clone().unwrap_or_else(|| home.tokens_path());
    let gateway = args.gateway.map(|listen| {
        let log = Arc::new(|refusal: &gateway::Refusal| say(&refusal.said));
        connections::open_gateway(&tokens, Arc::clone(&queue), listen, tls, log)
    });
    let gateway = gateway.transpose()?;
    if let Some(gateway) = &gateway {
        say(&format!("workers come in at {}", gateway.address()));
    }
    say(&format!("bench signature {}, {} thousand nodes a second", measured.0, measured.1 / 1000));
    let service = Service { home, ledger, queue, settings, local, until_idle: args.drain, now };
    service.run(&stop, &mut |_| ())?;
    match stop.load(std::sync::atomic::Ordering::Relaxed) {
        true => Err(Failure::Interrupted("ended; the same command goes on".to_owned())),
        false => Ok(()),
    }
}

fn join(args: &WorkArgs) -> CommandResult {
    let (stop, _) = interrupt::flag();
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let token = args.token_file.as_ref().map(std::fs::read_to_string).transpose()?;
    let options = args.gateway.clone().map(|url| {
        let (token, ca) = (token.unwrap_or_default(), args.broker.ca.clone());
        ClientOptions { url, token, ca }
    });
    let measured = measure(&time);
    let queue =
        connections::join(args.broker.broker(args.name.as_str()).as_ref(), options.as_ref())?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let slots = args.threads.unwrap_or_else(cores).max(1);
    let files = Some(FileCache::new(&args.files).map_err(Failure::usage)?);
    let sandbox = match args.allow_signed.is_empty() {
        true => None,
        false => Some(
            Sandbox::new(&args.files.join("programs"), args.allow_signed.clone())
                .map_err(Failure::failed)?,
        ),
    };
    let equipment = Equipment { files, sandbox, ..Equipment::own(time, measured.1) };
    let own = || args.name.as_str().parse();
    let owner = args.owner.clone().map_or_else(own, Ok);
    let owner = owner.map_err(|e: ::fleet::names::NameError| Failure::usage(e.to_string()))?;
    let worker = worker(args.name.clone(), owner, slots, measured);
    let settings = WorkSettings { slots, until_idle: args.drain, ..WorkSettings::default() };
    let worked = work(&*queue, &worker, &equipment, &settings, &stop, &Told)
        .map_err(|e| Failure::failed(e.to_string()))?;
    say(&format!("{} batches, {} faults", worked.batches, worked.faults));
    match stop.load(std::sync::atomic::Ordering::Relaxed) {
        true => Err(Failure::Interrupted("interrupted".to_owned())),
        false => Ok(()),
    }
}

/// Says what goes wrong.
struct Told;

impl ::fleet::work::WorkObserver for Told {
    fn failed(&self, lease: &::fleet::Lease, fault: &::fleet::Fault) {
        say(&format!("{}: {fault}", lease.key.task));
    }

    fn refused(&self, error: &QueueError) {
        say(&error.to_string());
    }
}
