//! One connection to the broker: its streams, and the ways they are written and read.

use crate::options::{Options, StartError};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::{self, message::PublishMessage, stream};
use async_nats::{Client, ConnectOptions, ServerAddr};
use fleet::{Cursor, Event, QueueError};
use futures_util::StreamExt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long the broker may take to store or find something.
pub(crate) const BROKER: Duration = Duration::from_secs(3);

/// Messages read together.
const READ: usize = 500;

/// Messages that wait in this process for somebody to take them.
const CAPACITY: usize = 1 << 16;

/// A connection that is made again when it breaks.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) client: Client,
    pub(crate) context: jetstream::Context,
    /// How often it has been made.
    pub(crate) connected: watch::Receiver<u64>,
    pub(crate) prefix: String,
}

/// The streams of a fleet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StreamKind {
    Events,
    Journal,
    Blobs,
    Lengths,
}

impl StreamKind {
    const ALL: [Self; 4] = [Self::Events, Self::Journal, Self::Blobs, Self::Lengths];

    /// The second word of its subjects.
    const fn word(self) -> &'static str {
        match self {
            Self::Events => "event",
            Self::Journal => "journal",
            Self::Blobs => "blob",
            Self::Lengths => "length",
        }
    }
}

/// The wait before the connection is tried again: at once, then longer, and never together with
/// a thousand others.
fn reconnect_delay(attempts: usize, name: &str) -> Duration {
    // The standard library's: nothing is stored, and any spread will do.
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let spread = hasher.finish();
    let base = (50_u64 << attempts.min(4)).min(800);
    Duration::from_millis(base + spread.wrapping_mul(attempts as u64 + 1) % base)
}

fn in_words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}

/// An error of the broker, as the caller of a queue hears it.
pub(crate) fn unavailable(error: &(dyn std::error::Error + 'static)) -> QueueError {
    QueueError::Unavailable { reason: in_words(error) }
}

impl Link {
    pub(crate) async fn connect(options: &Options) -> Result<Self, StartError> {
        options.check()?;
        let url = options.url.clone();
        let addresses: Result<Vec<ServerAddr>, _> = url.split(',').map(str::parse).collect();
        let addresses = addresses
            .map_err(|e| StartError::Address { url: url.clone(), reason: e.to_string() })?;
        let (told, connected) = watch::channel(0);
        let deadline = Instant::now() + options.patience;
        loop {
            let told = told.clone();
            let login = login(options)?.event_callback(move |event| {
                if matches!(event, async_nats::Event::Connected) {
                    told.send_modify(|times| *times += 1);
                }
                std::future::ready(())
            });
            match login.connect(addresses.clone()).await {
                Ok(client) => {
                    // Told a moment later; nobody is to take it for a second connection.
                    let mut first = connected.clone();
                    let _ = tokio::time::timeout(BROKER, first.wait_for(|times| *times > 0)).await;
                    let context = jetstream::context::ContextBuilder::new()
                        .timeout(BROKER)
                        .ack_timeout(BROKER)
                        .max_ack_inflight(1 << 14)
                        .build(client.clone());
                    let prefix = options.prefix.clone();
                    return Ok(Self { client, context, connected, prefix });
                }
                Err(e) if Instant::now() >= deadline => {
                    return Err(StartError::Connect { url, reason: in_words(&e) });
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
    }

    pub(crate) fn stream(&self, kind: StreamKind) -> String {
        format!("{}_{}", self.prefix, kind.word()).to_ascii_uppercase()
    }

    pub(crate) fn subject(&self, kind: StreamKind, rest: &str) -> String {
        format!("{}.{}.{rest}", self.prefix, kind.word())
    }

    /// Makes the streams that are not there yet.
    pub(crate) async fn create_streams(
        &self,
        options: &Options,
    ) -> Result<(), jetstream::context::CreateStreamError> {
        for kind in StreamKind::ALL {
            let config = stream::Config {
                name: self.stream(kind),
                subjects: vec![self.subject(kind, ">")],
                // A piece of a blob that is put twice is kept once; everything else is a sequence.
                max_messages_per_subject: match kind {
                    StreamKind::Blobs | StreamKind::Lengths => 1,
                    StreamKind::Events | StreamKind::Journal => -1,
                },
                max_bytes: match kind {
                    StreamKind::Events => i64::try_from(options.max_event_bytes).unwrap_or(-1),
                    _ => -1,
                },
                discard: stream::DiscardPolicy::New,
                allow_direct: true,
                ..stream::Config::default()
            };
            self.context.create_or_update_stream(config).await?;
        }
        Ok(())
    }

    pub(crate) async fn open(&self, kind: StreamKind) -> Result<stream::Stream<()>, QueueError> {
        let opened = self.context.get_stream_no_info(self.stream(kind)).await;
        opened.map_err(|e| unavailable(&e))
    }

    /// First and last number in a stream; the last counts what was removed, too.
    pub(crate) async fn bounds(&self, kind: StreamKind) -> Result<(u64, u64), QueueError> {
        let info = self.open(kind).await?.get_info().await.map_err(|e| unavailable(&e))?;
        Ok((info.state.first_sequence, info.state.last_sequence))
    }

    /// Sends one message; the broker's word that it is stored comes later.
    pub(crate) async fn publish(
        &self,
        subject: String,
        payload: Vec<u8>,
        after: Option<u64>,
    ) -> Result<jetstream::context::PublishAckFuture, PublishError> {
        let mut message = PublishMessage::build().payload(payload.into());
        if let Some(last) = after {
            message = message.expected_last_sequence(last);
        }
        self.context.send_publish(subject, message).await
    }

    /// Has the numbers of events go on after `upto`. A broker that is killed while it removes events may have forgotten how
    /// far they went, and would give the same numbers again. Those that are still known are stored in their places, in the
    /// others nothing.
    pub(crate) async fn fill_numbers(
        &self,
        last: u64,
        upto: u64,
        known: &[(Cursor, Event)],
    ) -> Result<(), QueueError> {
        let mut known = known.iter().peekable();
        for number in last + 1..=upto {
            let event = known.next_if(|(cursor, _)| cursor.0 == number).map(|(_, event)| event);
            let payload = serde_json::to_vec(&event).map_err(|e| unavailable(&e))?;
            let subject = self.subject(StreamKind::Events, "number");
            let sending = self.publish(subject, payload, Some(number - 1)).await;
            sending.map_err(|e| unavailable(&e))?.await.map_err(|e| unavailable(&e))?;
        }
        Ok(())
    }

    /// Everything in a stream, with its numbers.
    pub(crate) async fn read_all(
        &self,
        kind: StreamKind,
    ) -> Result<Vec<(u64, Vec<u8>)>, QueueError> {
        let failed = |e: &(dyn std::error::Error + 'static)| unavailable(e);
        let (_, last) = self.bounds(kind).await?;
        let reader = self.open(kind).await?;
        let config = pull::Config {
            ack_policy: AckPolicy::None,
            deliver_policy: DeliverPolicy::All,
            inactive_threshold: Duration::from_secs(30),
            ..pull::Config::default()
        };
        let consumer = reader.create_consumer(config).await.map_err(|e| failed(&e))?;
        let mut all = Vec::new();
        let mut read = 0;
        while read < last {
            let batch = consumer.fetch().max_messages(READ).messages().await;
            let mut batch = batch.map_err(|e| failed(&e))?;
            let mut got = 0;
            while let Some(message) = batch.next().await {
                let message = message.map_err(|e| failed(&*e))?;
                let number = message.info().map_err(|e| failed(&*e))?.stream_sequence;
                all.push((number, message.payload.to_vec()));
                (read, got) = (number, got + 1);
            }
            if got == 0 {
                break;
            }
        }
        Ok(all)
    }

    /// Removes everything before a number.
    pub(crate) async fn remove_before(
        &self,
        kind: StreamKind,
        number: u64,
    ) -> Result<(), QueueError> {
        let purged = self.open(kind).await?.purge().sequence(number).await;
        purged.map(drop).map_err(|e| unavailable(&e))
    }
}

fn login(options: &Options) -> Result<ConnectOptions, StartError> {
    let name = options.name.clone();
    let mut login = ConnectOptions::new()
        .name(&options.name)
        .custom_inbox_prefix(format!("_INBOX.{}", options.name))
        .connection_timeout(Duration::from_secs(5))
        .ping_interval(Duration::from_secs(10))
        .subscription_capacity(CAPACITY)
        .request_timeout(None)
        .reconnect_delay_callback(move |attempts| reconnect_delay(attempts, &name));
    if let Some(path) = &options.nkey {
        let seed = std::fs::read_to_string(path)
            .map_err(|e| StartError::File { path: path.clone(), reason: e.to_string() })?;
        let seed = seed.lines().map(str::trim).find(|line| line.starts_with("SU"));
        let seed = seed.ok_or_else(|| StartError::File {
            path: path.clone(),
            reason: "there is no seed of a user's nkey (SU…) in it".to_owned(),
        })?;
        login = login.nkey(seed.to_owned());
    }
    if let Some(path) = &options.ca {
        if !path.is_file() {
            let reason = "no such file".to_owned();
            return Err(StartError::File { path: path.clone(), reason });
        }
        login = login.add_root_certificates(path.clone()).require_tls(true);
    }
    Ok(login)
}

/// Whether the broker refused because it has no room, rather than failed.
pub(crate) fn is_full(error: &PublishError) -> bool {
    let text = in_words(error);
    error.kind() == PublishErrorKind::Other
        && ["maximum", "insufficient", "exceeded", "resource"]
            .iter()
            .any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reconnects_spread_out_and_come_soon() {
        let delays: std::collections::BTreeSet<Duration> =
            (0..200).map(|i| reconnect_delay(5, &format!("worker-{i}"))).collect();
        assert!(delays.len() > 100, "{}", delays.len());
        for attempts in [0, 1, 10, 100_000] {
            assert!(reconnect_delay(attempts, "w") < Duration::from_millis(1600));
        }
    }
}
