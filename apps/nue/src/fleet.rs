//! `nue fleet`: work for many machines, handed out by a coordinator.

use crate::failure::{CommandResult, Failure};
use crate::flags::fleet::order;
use crate::interrupt;
use ::fleet::signed::Signer;
use ::fleet::{OwnerName, Priority, RunId, Spec, WorkerId};
use clap::{Args, Subcommand};
use display::say;
use fleetd::connections::{self, Broker};
use fleetd::orders::{Order, parse_share};
use fleetd::signing;
use fleetd::start::{ServeRequest, WorkRequest};
use fleetd::{DataFolder, Request};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use think::seconds_since_1970;

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
        #[arg(long, default_value_t = 1.0, value_parser = parse_share)]
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
        #[arg(long, value_parser = parse_share)]
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
    /// Let other programs of this machine go first
    #[arg(long)]
    background: bool,
    /// Start executables that come with a run and are signed by this key, without network; may be repeated
    #[arg(long, value_name = "PUBLIC KEY")]
    allow_signed: Vec<Signer>,
}

pub(crate) fn run(args: &FleetArgs) -> CommandResult {
    let data = DataFolder::new(&args.data);
    match &args.command {
        FleetCommand::Serve(args) => serve(&data, args),
        FleetCommand::Work(args) => join(args),
        FleetCommand::Submit { file, name, games, priority, share } => {
            let text = std::fs::read_to_string(file)
                .map_err(|e| Failure::failed(format!("{}: {e}", file.display())))?;
            let spec: Spec = toml::from_str(&text)
                .map_err(|e| Failure::usage(format!("{}: {e}", file.display())))?;
            let name = name.clone().unwrap_or_else(|| file.display().to_string());
            let request = Request { name, spec, goal: *games, priority: *priority, share: *share };
            let wait = Duration::from_secs(30);
            crate::flags::fleet::heard(data.submit(request, "local", seconds_since_1970(), wait))
        }
        FleetCommand::List(Json { json }) => {
            let status = data.status()?;
            shown(*json, &status.runs, &status.runs_text())
        }
        FleetCommand::Workers(Json { json }) => {
            let status = data.status()?;
            shown(*json, &status.workers, &status.workers_text())
        }
        FleetCommand::Show { run, out: None } => {
            let text = data.status()?.run_text(*run);
            let text = text.ok_or_else(|| Failure::usage(format!("there is no run {run}")))?;
            Ok(write!(io::stdout(), "{text}")?)
        }
        FleetCommand::Show { run, out: Some(path) } => {
            let count = data.export(*run, path)?;
            say(&format!("{}: {count} written", path.display()));
            Ok(())
        }
        FleetCommand::Stop { run, reason } => {
            order(&data, &Order::Stop { run: *run, reason: reason.clone() })
        }
        FleetCommand::Priority { run, priority, share } => {
            order(&data, &Order::Priority { run: *run, priority: *priority, share: *share })
        }
        FleetCommand::Quarantine { worker, pardon: true, .. } => {
            order(&data, &Order::Pardon { worker: worker.clone() })
        }
        FleetCommand::Quarantine { worker, reason, .. } => {
            let (worker, reason) = (worker.clone(), reason.clone());
            order(&data, &Order::Quarantine { worker, reason })
        }
        FleetCommand::Token { worker, owner: Some(owner), revoke: false } => {
            let token =
                connections::new_token(&data, worker.clone(), owner.clone(), seconds_since_1970())?;
            Ok(writeln!(io::stdout(), "{token}")?)
        }
        FleetCommand::Token { worker, .. } => {
            say(&format!("{} tokens revoked", connections::revoke_tokens(&data, worker)?));
            Ok(())
        }
        FleetCommand::Key { file } => Ok(writeln!(io::stdout(), "{}", signing::new_key(file)?)?),
        FleetCommand::Sign { executable, key } => {
            say(&format!("{} written", signing::sign(executable, key)?.display()));
            Ok(())
        }
        FleetCommand::Drain { off } => order(&data, &Order::Drain { draining: !off }),
    }
}

fn shown(json: bool, value: &impl serde::Serialize, text: &str) -> CommandResult {
    let line = || serde_json::json!(value).to_string() + "\n";
    Ok(write!(io::stdout(), "{}", if json { line() } else { text.to_owned() })?)
}

fn serve(data: &DataFolder, args: &ServeArgs) -> CommandResult {
    let (stop, _) = interrupt::flag();
    let request = ServeRequest {
        data,
        broker: args.broker.broker("coordinator"),
        threads: args.threads,
        gateway: args.gateway,
        tokens: args.tokens.clone(),
        tls: args.cert.clone().zip(args.key.clone()),
        trusted: args.trust.clone(),
        until_idle: args.drain,
        now: seconds_since_1970,
    };
    request.run(&stop, say)?;
    ended(&stop, "ended; the same command continues")
}

fn join(args: &WorkArgs) -> CommandResult {
    let (stop, _) = interrupt::flag();
    if args.background && !os::process::yield_to_others() {
        say("this system cannot lower the priority of a program");
    }
    let request = WorkRequest {
        broker: args.broker.broker(args.name.as_str()),
        gateway: args.gateway.clone(),
        token_file: args.token_file.clone(),
        ca: args.broker.ca.clone(),
        name: args.name.clone(),
        owner: args.owner.clone(),
        threads: args.threads,
        files: args.files.clone(),
        until_idle: args.drain,
        signers: args.allow_signed.clone(),
    };
    let worked = request.run(&stop, say)?;
    say(&format!("{} batches, {} faults", worked.batches, worked.faults));
    ended(&stop, "interrupted")
}

fn ended(stop: &AtomicBool, interrupted: &str) -> CommandResult {
    match stop.load(Ordering::Relaxed) {
        true => Err(Failure::Interrupted(interrupted.to_owned())),
        false => Ok(()),
    }
}
