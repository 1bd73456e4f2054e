//! The queue itself: it decides as the queue inside one process does, and the broker remembers for it.

use crate::blobs::BlobStream;
use crate::journal::{Image, Record};
use crate::link::{Link, StreamKind};
use crate::options::{Options, StartError};
use crate::writer::{GLANCE, Writer};
use async_nats::Subscriber;
use fleet::blobs::Blobs;
use fleet::in_process::Kept;
use fleet::queue::Holding;
use fleet::wire::{Answer, Call, answer_to};
use fleet::{
    Batch, BlobHash, Cursor, Event, Fault, Finished, InProcess, Lease, LeaseKey, Occupancy,
    Offered, Pool, Queue, QueueError, RunId, Settings, Standing, Task, Worker, WorkerId,
};
use futures_util::StreamExt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use think::WallTime;
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// Room in a message for what is around a batch or events.
const AROUND: usize = 16 << 10;

/// How long another coordinator may take to say that it is there.
const TAKEN: Duration = Duration::from_millis(500);

/// The fleet's queue, hosted by this process. Everything it has accepted outlives it.
pub struct Host {
    core: Arc<Core>,
    runtime: Option<Runtime>,
}

struct Core {
    queue: Arc<InProcess>,
    writer: Arc<Writer>,
    link: Link,
    blobs: BlobStream,
    /// Tasks came, or more may be leased than before.
    tasks: Notify,
}

impl Host {
    /// Takes up the fleet where the last host left it, and answers everybody who joins.
    pub fn start(options: &Options, settings: Settings) -> Result<Self, StartError> {
        Self::start_after(options, settings, Cursor::default())
    }

    /// The same for a ledger that has all events up to that one: further ones have greater numbers, whatever the broker
    /// remembers.
    pub fn start_after(
        options: &Options,
        settings: Settings,
        after: Cursor,
    ) -> Result<Self, StartError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("jetstream")
            .enable_all()
            .build()?;
        let core = runtime.block_on(Core::start(options, settings, after))?;
        Ok(Self { core, runtime: Some(runtime) })
    }

    fn call(&self, call: Call) -> Result<Answer, QueueError> {
        self.block_on(self.core.call(call))
    }

    fn block_on<T>(
        &self,
        future: impl Future<Output = Result<T, QueueError>>,
    ) -> Result<T, QueueError> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(future),
            None => Err(QueueError::Unavailable { reason: "the host has ended".to_owned() }),
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("prefix", &self.core.link.prefix).finish_non_exhaustive()
    }
}

impl Core {
    async fn start(
        options: &Options,
        settings: Settings,
        after: Cursor,
    ) -> Result<Arc<Self>, StartError> {
        let link = Link::connect(options).await?;
        let most = link.client.max_payload();
        if settings.max_batch + AROUND > most {
            return Err(StartError::Batches { bytes: settings.max_batch, most });
        }
        let (url, prefix) = (options.url.clone(), options.prefix.clone());
        let asked =
            link.client.request(format!("{prefix}.settings"), b"\"settings\"".as_slice().into());
        if let Ok(Ok(_)) = timeout(TAKEN, asked).await {
            return Err(StartError::Taken { url, prefix });
        }
        link.create_streams(options)
            .await
            .map_err(|e| StartError::Streams { url, reason: e.to_string() })?;
        let last = link.bounds(StreamKind::Events).await?.1;
        link.fill_numbers(last, after.0, &[]).await?;
        let (image, length, events) = read_back(&link).await?;
        let cursor = Cursor(link.bounds(StreamKind::Events).await?.1);
        // Whoever died before may have stored an event and not yet what the journal says of it.
        let owed: Vec<Record> = events.iter().filter_map(|(_, event)| Record::of(event)).collect();
        let kept = Kept { events, cursor, ..image.kept() };
        // Its own store of blobs stays empty: the broker has them.
        let none = Blobs::in_memory(0, 0);
        let time = Arc::new(WallTime::start());
        let queue = Arc::new(InProcess::restored(settings, time, none, kept));
        let writer = Arc::new(Writer::new(link.clone(), Arc::clone(&queue), owed));
        tokio::spawn(Arc::clone(&writer).store_events());
        tokio::spawn(Arc::clone(&writer).keep_journal(image, length));
        tokio::spawn(Arc::clone(&writer).remove_acknowledged());
        let (blobs, tasks) = (BlobStream::new(link.clone()), Notify::new());
        let core = Arc::new(Self { queue, writer, link, blobs, tasks });
        for subject in ["worker.*.*", "coordinator.*", "settings"] {
            let subject = format!("{prefix}.{subject}");
            let heard = core.link.client.subscribe(subject).await;
            let heard = heard.map_err(|e| crate::link::unavailable(&e))?;
            tokio::spawn(Arc::clone(&core).serve(heard));
        }
        core.say_started().await;
        Ok(core)
    }

    /// Tells everybody who waits for an answer of the host before this one that none will come.
    async fn say_started(&self) {
        let client = &self.link.client;
        // Whoever does not hear it asks again when its patience is over.
        if client.flush().await.is_ok() {
            let _ = client.publish(started_subject(&self.link.prefix), Vec::new().into()).await;
        }
    }

    async fn serve(self: Arc<Self>, mut heard: Subscriber) {
        while let Some(message) = heard.next().await {
            let Some(reply) = message.reply.clone() else { continue };
            let core = Arc::clone(&self);
            tokio::spawn(async move {
                let answer = core.hear(&message.subject, &message.payload).await;
                if let Ok(bytes) = serde_json::to_vec(&answer) {
                    let _ = core.link.client.publish(reply, bytes.into()).await;
                }
            });
        }
    }

    /// Answers a message. The broker decides who may speak under which subject; here it is made sure that
    /// nothing else is said under it.
    async fn hear(&self, subject: &str, payload: &[u8]) -> Result<Answer, QueueError> {
        let refused = |reason: String| QueueError::Unavailable { reason };
        let call: Call = serde_json::from_slice(payload)
            .map_err(|e| refused(format!("the call was not understood: {e}")))?;
        if subject != call_subject(&self.link.prefix, &call) {
            return Err(refused(format!("{} may not be called as {subject}", call.verb())));
        }
        let answer = self.call(call).await?;
        Ok(self.fitting(answer))
    }

    /// As many events as fit into a message; the rest is asked for again.
    fn fitting(&self, answer: Answer) -> Answer {
        let Answer::Events(mut events) = answer else { return answer };
        let most = self.link.client.max_payload().saturating_sub(AROUND);
        let bytes = |events: &[(Cursor, Event)]| serde_json::to_vec(events).map_or(0, |v| v.len());
        while events.len() > 1 && bytes(&events) > most {
            events.truncate(events.len() / 2);
        }
        Answer::Events(events)
    }

    async fn call(&self, call: Call) -> Result<Answer, QueueError> {
        let wait = call.wait();
        match call {
            Call::Lease { worker, pools, .. } => {
                let lease = self.lease(&worker, &pools, wait).await?;
                Ok(Answer::Leased(lease.map(Box::new)))
            }
            Call::Watch { after, most, .. } => {
                Ok(Answer::Events(self.watch(after, most, wait).await?))
            }
            Call::Occupancy => {
                let stored = self.blobs.stored_lately().await?;
                Ok(Answer::Occupancy(Occupancy { stored, ..self.queue.occupancy()? }))
            }
            Call::Acknowledge { upto } => {
                self.queue.acknowledge(upto)?;
                self.writer.acknowledge(upto);
                Ok(Answer::Done)
            }
            // Nothing is promised by these that outlives the host.
            Call::Extend { .. } | Call::Leases | Call::Settings => answer_to(&*self.queue, call),
            Call::Offer { task } => self.offer(&task).map(Answer::Offered),
            Call::Announce { .. } | Call::Finish { .. } | Call::Fail { .. } => {
                let answer = answer_to(&*self.queue, call)?;
                self.writer.settle_events().await?;
                Ok(answer)
            }
            Call::Withdraw { run } => self.keep(call, Record::Withdrawn { run }).await,
            Call::Stand { ref worker, standing } => {
                let record = Record::Standing { worker: worker.clone(), standing };
                self.keep(call, record).await
            }
            Call::Drain { draining } => self.keep(call, Record::Draining { draining }).await,
        }
    }

    /// Nothing is stored of a task that only waits: its ledger has it. It must fit into a message all the same, with
    /// its lease around it.
    fn offer(&self, task: &Task) -> Result<Offered, QueueError> {
        let bytes = serde_json::to_vec(task).map_or(usize::MAX, |text| text.len());
        let most = self.link.client.max_payload().saturating_sub(AROUND);
        if bytes > most {
            return Err(QueueError::TooLarge { bytes: bytes as u64, most: most as u64 });
        }
        let offered = self.queue.offer(task)?;
        self.tasks.notify_one();
        Ok(offered)
    }

    /// Makes a call that is remembered.
    async fn keep(&self, call: Call, record: Record) -> Result<Answer, QueueError> {
        let answer = answer_to(&*self.queue, call)?;
        let number = self.writer.push(record);
        self.tasks.notify_waiters();
        self.writer.settle_record(number).await?;
        Ok(answer)
    }

    async fn lease(
        &self,
        worker: &WorkerId,
        pools: &[Pool],
        wait: Duration,
    ) -> Result<Option<Lease>, QueueError> {
        let deadline = Instant::now() + wait;
        // Whoever asked before the connection broke has given up and will ask again.
        let mut connected = self.link.connected.clone();
        connected.mark_unchanged();
        loop {
            if connected.has_changed().unwrap_or(false) {
                return Ok(None);
            }
            if let Some(lease) = self.queue.lease(worker, pools, Duration::ZERO)? {
                let number = self.writer.push(Record::Lent {
                    task: Box::new(lease.task.clone()),
                    worker: worker.clone(),
                    secret: lease.key.secret.clone(),
                    attempt: lease.attempt,
                    done: lease.done.clone(),
                });
                self.writer.settle_record(number).await?;
                return Ok(Some(lease));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            // One of those who wait is woken for a task. It may be for others: they look by themselves.
            tokio::select! {
                () = self.tasks.notified() => {}
                () = sleep(left.min(GLANCE)) => {}
            }
        }
    }

    /// Events that the broker has.
    async fn watch(
        &self,
        after: Cursor,
        most: usize,
        wait: Duration,
    ) -> Result<Vec<(Cursor, Event)>, QueueError> {
        let deadline = Instant::now() + wait;
        loop {
            // What nobody has been told of yet is told when it is written.
            self.writer.wake();
            let written = self.writer.cursor();
            let mut events = self.queue.watch(after, most, Duration::ZERO)?;
            events.retain(|(cursor, _)| *cursor <= written);
            if !events.is_empty() {
                return Ok(events);
            }
            if timeout_at(deadline, self.writer.more(written.max(after))).await.is_err() {
                return Ok(events);
            }
        }
    }
}

/// Where a call is made.
pub(crate) fn call_subject(prefix: &str, call: &Call) -> String {
    let verb = call.verb();
    match call.worker() {
        Some(worker) => format!("{prefix}.worker.{worker}.{verb}"),
        None if call.is_coordinators() => format!("{prefix}.coordinator.{verb}"),
        None => format!("{prefix}.{verb}"),
    }
}

/// Where a host says that it has started.
pub(crate) fn started_subject(prefix: &str) -> String {
    format!("{prefix}.started")
}

/// What the broker remembers: leases, in how many records, and events.
async fn read_back(link: &Link) -> Result<(Image, usize, Vec<(Cursor, Event)>), StartError> {
    let no_record = |kind: StreamKind, e: serde_json::Error| StartError::NoRecord {
        stream: link.stream(kind),
        reason: e.to_string(),
    };
    let (mut image, mut length) = (Image::default(), 0);
    for (_, payload) in link.read_all(StreamKind::Journal).await? {
        let records: Vec<Record> =
            serde_json::from_slice(&payload).map_err(|e| no_record(StreamKind::Journal, e))?;
        length += records.len();
        records.into_iter().for_each(|record| image.apply(record));
    }
    let mut events = Vec::new();
    for (number, payload) in link.read_all(StreamKind::Events).await? {
        let event: Option<Event> =
            serde_json::from_slice(&payload).map_err(|e| no_record(StreamKind::Events, e))?;
        // Some messages only stand for their numbers.
        let Some(event) = event else { continue };
        if let Some(record) = Record::of(&event) {
            image.apply(record);
        }
        events.push((Cursor(number), event));
    }
    Ok((image, length, events))
}

fn strange(answer: &Answer) -> QueueError {
    QueueError::Unavailable {
        reason: format!("internal error in the host: {answer:?} (please report)"),
    }
}

impl Queue for Host {
    fn settings(&self) -> &Settings {
        self.core.queue.settings()
    }

    fn offer(&self, task: &Task) -> Result<Offered, QueueError> {
        self.core.offer(task)
    }

    fn withdraw(&self, run: RunId) -> Result<(), QueueError> {
        self.call(Call::Withdraw { run }).map(drop)
    }

    fn announce(&self, worker: &Worker) -> Result<(), QueueError> {
        self.call(Call::Announce { worker: Box::new(worker.clone()) }).map(drop)
    }

    fn stand(&self, worker: &WorkerId, standing: Standing) -> Result<(), QueueError> {
        self.call(Call::Stand { worker: worker.clone(), standing }).map(drop)
    }

    fn lease(
        &self,
        worker: &WorkerId,
        pools: &[Pool],
        wait: Duration,
    ) -> Result<Option<Lease>, QueueError> {
        self.block_on(self.core.lease(worker, pools, wait))
    }

    fn extend(&self, key: &LeaseKey) -> Result<(), QueueError> {
        self.core.queue.extend(key)
    }

    fn finish(&self, key: &LeaseKey, batch: &Batch) -> Result<Finished, QueueError> {
        let call = Call::Finish { key: key.clone(), batch: Box::new(batch.clone()) };
        match self.call(call)? {
            Answer::Finished(finished) => Ok(finished),
            other => Err(strange(&other)),
        }
    }

    fn fail(&self, key: &LeaseKey, fault: &Fault) -> Result<(), QueueError> {
        self.call(Call::Fail { key: key.clone(), fault: fault.clone() }).map(drop)
    }

    fn drain(&self, draining: bool) -> Result<(), QueueError> {
        self.call(Call::Drain { draining }).map(drop)
    }

    fn watch(
        &self,
        after: Cursor,
        most: usize,
        wait: Duration,
    ) -> Result<Vec<(Cursor, Event)>, QueueError> {
        self.block_on(self.core.watch(after, most, wait))
    }

    fn acknowledge(&self, upto: Cursor) -> Result<(), QueueError> {
        self.call(Call::Acknowledge { upto }).map(drop)
    }

    fn put_blob(&self, bytes: &[u8]) -> Result<BlobHash, QueueError> {
        self.block_on(self.core.blobs.put(bytes, self.core.queue.settings()))
    }

    fn blob_length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError> {
        self.block_on(self.core.blobs.length(hash))
    }

    fn get_blob(&self, hash: &BlobHash, range: Range<u64>) -> Result<Vec<u8>, QueueError> {
        self.block_on(self.core.blobs.get(hash, range))
    }

    fn occupancy(&self) -> Result<Occupancy, QueueError> {
        match self.call(Call::Occupancy)? {
            Answer::Occupancy(occupancy) => Ok(occupancy),
            other => Err(strange(&other)),
        }
    }

    fn leases(&self) -> Result<Vec<Holding>, QueueError> {
        self.core.queue.leases()
    }
}
