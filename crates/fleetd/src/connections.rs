//! The ways between coordinator and workers: in one process, by a broker, by a gateway.

use crate::data_folder::DataFolder;
use crate::error::FleetError;
use crate::ledger::Ledger;
use fleet::{OwnerName, Queue, Settings, WorkerId};
use gateway::client::ClientOptions;
use gateway::refusals::Log;
use gateway::tokens::issue;
use gateway::{Config, Gateway, Identity, Limits, Tokens};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use think::TimeSource;

/// A broker, as somebody names it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Broker {
    pub url: String,
    /// What the broker calls the connection; a worker's is its own name.
    pub name: String,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// Certificates to trust besides those of the system.
    pub ca: Option<PathBuf>,
}

impl Broker {
    fn options(&self) -> jetstream::Options {
        jetstream::Options {
            nkey: self.nkey.clone(),
            ca: self.ca.clone(),
            name: self.name.clone(),
            ..jetstream::Options::new(self.url.clone())
        }
    }
}

fn refused(error: impl std::fmt::Display) -> FleetError {
    FleetError::Refused(error.to_string())
}

/// The coordinator's queue: by a broker where one is named, else in this process.
pub fn host(
    data: &DataFolder,
    ledger: &Ledger,
    broker: Option<&Broker>,
    time: Arc<dyn TimeSource>,
) -> Result<Arc<dyn Queue>, FleetError> {
    let settings = Settings::default();
    match broker {
        None => Ok(Arc::new(data.queue(ledger, settings, time)?)),
        Some(broker) => {
            let after = ledger.cursor()?;
            let host = jetstream::Host::start_after(&broker.options(), settings, after);
            Ok(Arc::new(host.map_err(refused)?))
        }
    }
}

/// Opens a gateway to a queue, for workers with a token of that file.
pub fn open_gateway(
    tokens: &Path,
    queue: Arc<dyn Queue>,
    listen: SocketAddr,
    tls: Option<(PathBuf, PathBuf)>,
    log: Log,
) -> Result<Gateway, FleetError> {
    if !tokens.exists() {
        let made = durable::write_whole(tokens, b"# worker owner hash\n", false);
        made.map_err(|source| FleetError::File { path: tokens.to_owned(), source })?;
    }
    let tokens = Tokens::load(tokens).map_err(refused)?;
    let config = Config { listen, tls, limits: Limits::default() };
    Gateway::start(&config, queue, tokens, log).map_err(refused)
}

/// A worker's queue: by a broker, or by a gateway.
pub fn join(
    broker: Option<&Broker>,
    gateway: Option<&ClientOptions>,
) -> Result<Arc<dyn Queue>, FleetError> {
    match (broker, gateway) {
        (Some(broker), _) => Ok(Arc::new(jetstream::join(&broker.options()).map_err(refused)?)),
        (None, Some(options)) => Ok(Arc::new(gateway::connect(options).map_err(refused)?)),
        (None, None) => Err(refused("where is the fleet? give --nats URL or --gateway URL")),
    }
}

/// Makes a token for a worker. The ledger keeps its hash, and the file that gateways read is written anew from the
/// ledger. The token is shown once.
pub fn new_token(
    data: &DataFolder,
    worker: WorkerId,
    owner: OwnerName,
    now: i64,
) -> Result<String, FleetError> {
    let ledger = data.keeping_tokens()?;
    let (token, line) = issue(&Identity { worker, owner }).map_err(refused)?;
    ledger.add_token(&line, now)?;
    write_tokens(data, &ledger)?;
    Ok(token)
}

/// Takes all tokens of a worker back; how many there were.
pub fn revoke_tokens(data: &DataFolder, worker: &WorkerId) -> Result<usize, FleetError> {
    let ledger = data.keeping_tokens()?;
    let revoked = ledger.remove_tokens(worker)?;
    write_tokens(data, &ledger)?;
    Ok(revoked)
}

/// Writes the file of tokens that gateways read.
fn write_tokens(data: &DataFolder, ledger: &Ledger) -> Result<(), FleetError> {
    let path = data.tokens_path();
    let text = format!("# worker owner hash; written from the ledger\n{}", ledger.tokens()?);
    let written = durable::write_whole(&path, text.as_bytes(), true);
    written.map_err(|source| FleetError::File { path, source })
}
