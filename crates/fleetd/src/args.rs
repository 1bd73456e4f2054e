//! The command line of `nue fleet`.

use crate::connections::Broker;
use crate::orders::parse_share;
use clap::{Args, Subcommand};
use fleet::signed::Signer;
use fleet::{OwnerName, Priority, RunId, WorkerId};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Share work among machines: matches, SPRT, tuning, self-play, rescoring, openings, mates
#[derive(Args)]
pub struct FleetArgs {
    /// Folder of the fleet: ledger, blobs, tokens
    #[arg(long, value_name = "FOLDER", default_value = "fleet", global = true)]
    pub data: PathBuf,
    #[command(subcommand)]
    pub command: FleetCommand,
}

/// What is to be done with a fleet.
#[derive(Subcommand)]
pub enum FleetCommand {
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

/// How a list is printed.
#[derive(Args)]
pub struct Json {
    /// Print as JSON, with everything
    #[arg(long)]
    pub json: bool,
}

/// How a broker is reached.
#[derive(Args)]
pub struct BrokerArgs {
    /// NATS server between coordinator and workers
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// File with the seed of an nkey for it
    #[arg(long, value_name = "FILE", requires = "nats")]
    pub nkey: Option<PathBuf>,
    /// Certificates to trust, in PEM
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
}

impl BrokerArgs {
    /// The broker under that name, if one was named.
    pub fn broker(&self, name: &str) -> Option<Broker> {
        let (url, name) = (self.nats.clone()?, name.to_owned());
        Some(Broker { url, name, nkey: self.nkey.clone(), ca: self.ca.clone() })
    }
}

/// How a fleet is coordinated.
#[derive(Args)]
pub struct ServeArgs {
    #[command(flatten)]
    pub broker: BrokerArgs,
    /// Tasks at a time that this process does itself
    #[arg(long, short = 'j', value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Let workers in by HTTPS at this address
    #[arg(long, value_name = "ADDRESS")]
    pub gateway: Option<SocketAddr>,
    /// Tokens of those workers; a file of the fleet's folder if missing
    #[arg(long, value_name = "FILE")]
    pub tokens: Option<PathBuf>,
    /// Certificate for it, in PEM
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    /// Its key, in PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// Owner whose workers need no known answers first; may be repeated
    #[arg(long, value_name = "OWNER")]
    pub trust: Vec<OwnerName>,
    /// End when no run is active any more
    #[arg(long)]
    pub drain: bool,
}

/// How a worker takes part.
#[derive(Args)]
pub struct WorkArgs {
    #[command(flatten)]
    pub broker: BrokerArgs,
    /// Gateway of the fleet
    #[arg(long, value_name = "URL", conflicts_with = "nats")]
    pub gateway: Option<String>,
    /// File with the token for it
    #[arg(long, value_name = "FILE", requires = "gateway")]
    pub token_file: Option<PathBuf>,
    /// Name of this worker, the one its token was made for
    #[arg(long)]
    pub name: WorkerId,
    /// Whose it is; its own if missing
    #[arg(long)]
    pub owner: Option<OwnerName>,
    /// Tasks at a time; as many as processors if missing
    #[arg(long, short = 'j', value_name = "N")]
    pub threads: Option<usize>,
    /// Folder for files that come with tasks
    #[arg(long, value_name = "FOLDER", default_value = "fleet-files")]
    pub files: PathBuf,
    /// End when there is nothing to do
    #[arg(long)]
    pub drain: bool,
    /// Let other programs of this machine go first
    #[arg(long)]
    pub background: bool,
    /// Start executables that come with a run and are signed by this key, without network; may be repeated
    #[arg(long, value_name = "PUBLIC KEY")]
    pub allow_signed: Vec<Signer>,
}
