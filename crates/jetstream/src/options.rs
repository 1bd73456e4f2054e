//! Where the broker is, and how to log in to it.

use fleet::QueueError;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

/// A broker and how to reach it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Addresses with commas between: `nats://host:4222`, `tls://host:4222`.
    pub url: String,
    /// The first word of all subjects, and in capitals of all streams: fleets with different ones share
    /// a broker.
    pub prefix: String,
    /// A file with the seed of an nkey (`SU…`).
    pub nkey: Option<PathBuf>,
    /// A file in PEM with the certificates to trust, besides those of the system.
    pub ca: Option<PathBuf>,
    /// What the broker calls the connection, and where its answers come: under `_INBOX.NAME.`, so that the broker can
    /// keep everybody else from reading them. A worker's is its own name.
    pub name: String,
    /// Bytes of events the broker keeps for a coordinator that is slow or away: results wait with their workers
    /// after that. The broker sets so much of its store aside.
    pub max_event_bytes: u64,
    /// How long the first connection is tried for. Later ones are tried for ever.
    pub patience: Duration,
}

impl Options {
    /// The usual fleet at an address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            prefix: "fleet".to_owned(),
            nkey: None,
            ca: None,
            name: "nue".to_owned(),
            max_event_bytes: 256 << 20,
            patience: Duration::from_secs(10),
        }
    }

    /// Whether the prefix can stand in subjects and names of streams.
    pub(crate) fn check(&self) -> Result<(), StartError> {
        let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        let good = (1..=32).contains(&self.prefix.len()) && self.prefix.bytes().all(plain);
        if !good {
            return Err(StartError::Prefix { prefix: self.prefix.clone() });
        }
        let word = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
        let named = (1..=64).contains(&self.name.len()) && self.name.bytes().all(word);
        if named { Ok(()) } else { Err(StartError::Name { name: self.name.clone() }) }
    }
}

/// Why there is no queue.
#[derive(Debug, Error)]
pub enum StartError {
    #[error("{prefix:?} cannot begin subjects: 1 to 32 small letters, digits or '-'")]
    Prefix { prefix: String },
    #[error("{name:?} cannot name a connection: 1 to 64 letters, digits, '-' or '_'")]
    Name { name: String },
    #[error(
        "{url:?} is not the address of a broker: {reason}; expected nats://HOST:PORT or tls://HOST:PORT"
    )]
    Address { url: String, reason: String },
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("no broker at {url}: {reason}")]
    Connect { url: String, reason: String },
    #[error("{url} has no JetStream, or does not let us use it: {reason} (nats-server -js)")]
    Streams { url: String, reason: String },
    #[error("batches of {bytes} bytes do not fit into the broker's messages of {most}")]
    Batches { bytes: usize, most: usize },
    #[error("another coordinator serves the fleet {prefix:?} at {url}")]
    Taken { url: String, prefix: String },
    #[error("the broker holds something in {stream} that is not a record of a fleet: {reason}")]
    NoRecord { stream: String, reason: String },
    #[error("could not start: {0}")]
    Runtime(#[from] std::io::Error),
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// A new nkey for the broker: the seed, which stays with its user, and the public key for the broker's settings.
pub fn new_nkey() -> Result<(String, String), StartError> {
    let pair = nkeys::KeyPair::new_user();
    let seed =
        pair.seed().map_err(|e| StartError::Runtime(std::io::Error::other(e.to_string())))?;
    Ok((seed, pair.public_key()))
}
