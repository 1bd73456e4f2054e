//! The other end: a queue reached through the broker.

use crate::blobs::BlobStream;
use crate::host::{call_subject, started_subject};
use crate::link::{Link, unavailable};
use crate::options::{Options, StartError};
use fleet::wire::{Answer, Call, Remote, Transport};
use fleet::{BlobHash, QueueError, Settings};
use futures_util::StreamExt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// The longest one call waits for something to happen: a coordinator that died leaves nobody hanging longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long an answer may take that waits for nothing.
const ANSWER: Duration = Duration::from_secs(3);

/// A connection to the fleet's broker.
pub struct Joined {
    link: Link,
    blobs: BlobStream,
    settings: OnceLock<Settings>,
    /// How often a host has said that it has started.
    started: watch::Receiver<u64>,
    runtime: Option<Arc<Runtime>>,
}

/// Joins a fleet. The coordinator must answer once; after that broker and coordinator may come and go.
pub fn join(options: &Options) -> Result<Remote<Joined>, StartError> {
    join_on(&runtime()?, options)
}

/// As [`join`], for many in one process: they share threads.
pub fn join_on(runtime: &Arc<Runtime>, options: &Options) -> Result<Remote<Joined>, StartError> {
    let link = runtime.block_on(Link::connect(options))?;
    let started = runtime.block_on(starts(&link))?;
    let blobs = BlobStream::new(link.clone());
    let runtime = Some(Arc::clone(runtime));
    let joined = Joined { link, blobs, settings: OnceLock::new(), started, runtime };
    Ok(Remote::new(joined)?)
}

/// Counts how often a host says that it has started, as long as the connection lives.
async fn starts(link: &Link) -> Result<watch::Receiver<u64>, StartError> {
    let heard = link.client.subscribe(started_subject(&link.prefix)).await;
    let mut heard = heard.map_err(|e| unavailable(&e))?;
    let (told, started) = watch::channel(0);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                Some(_) = heard.next() => told.send_modify(|times| *times += 1),
                // Nobody asks any more: the connection is not kept open for this.
                () = told.closed() => return,
                else => return,
            }
        }
    });
    Ok(started)
}

/// Threads for connections.
pub fn runtime() -> Result<Arc<Runtime>, StartError> {
    let built = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("jetstream")
        .enable_all()
        .build()?;
    Ok(Arc::new(built))
}

impl std::fmt::Debug for Joined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Joined").field("prefix", &self.link.prefix).finish_non_exhaustive()
    }
}

/// Threads are left to end by themselves, whoever drops the last of them.
impl Drop for Joined {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take().and_then(Arc::into_inner) {
            runtime.shutdown_background();
        }
    }
}

impl Joined {
    fn block_on<T>(
        &self,
        future: impl Future<Output = Result<T, QueueError>>,
    ) -> Result<T, QueueError> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(future),
            None => Err(QueueError::Unavailable { reason: "the connection was closed".to_owned() }),
        }
    }

    async fn ask(&self, call: &Call) -> Result<Answer, QueueError> {
        let failed = |reason: &str| QueueError::Unavailable { reason: reason.to_owned() };
        let subject = call_subject(&self.link.prefix, call);
        let payload = serde_json::to_vec(call).map_err(|e| unavailable(&e))?;
        let most = self.link.client.max_payload();
        if payload.len() > most {
            return Err(QueueError::TooLarge { bytes: payload.len() as u64, most: most as u64 });
        }
        let mut connected = self.link.connected.clone();
        connected.mark_unchanged();
        let mut started = self.started.clone();
        started.mark_unchanged();
        let answer = tokio::select! {
            answer = self.link.client.request(subject, payload.into()) => answer,
            _ = connected.changed() => return Err(failed("the connection to the broker broke")),
            // Whoever was asked has died; the one that came after it knows nothing of the question.
            Ok(()) = started.changed() => return Err(failed("the coordinator was started anew")),
            () = tokio::time::sleep(call.wait() + ANSWER) => {
                return Err(failed("neither broker nor coordinator answers"));
            }
        };
        let answer = answer.map_err(|e| match e.kind() {
            async_nats::client::RequestErrorKind::NoResponders => failed("no coordinator is there"),
            _ => unavailable(&e),
        })?;
        serde_json::from_slice::<Result<Answer, QueueError>>(&answer.payload)
            .map_err(|e| failed(&format!("the answer was not understood: {e}")))?
    }
}

impl Transport for Joined {
    fn call(&self, call: &Call) -> Result<Answer, QueueError> {
        let answer = self.block_on(self.ask(call))?;
        if let Answer::Settings(settings) = &answer {
            let _ = self.settings.set((**settings).clone());
        }
        Ok(answer)
    }

    fn put_blob(&self, bytes: &[u8]) -> Result<BlobHash, QueueError> {
        let settings = self.settings.get().cloned().unwrap_or_default();
        self.block_on(self.blobs.put(bytes, &settings))
    }

    fn blob_length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError> {
        self.block_on(self.blobs.length(hash))
    }

    fn get_blob(&self, hash: &BlobHash, range: Range<u64>) -> Result<Vec<u8>, QueueError> {
        self.block_on(self.blobs.get(hash, range))
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }
}
