//! Writes events and journal to the broker, in order and together with whatever else is waiting, until it is done.
//!
//! Events first: a record that a batch is there must never outlive the batch. An event that is stored says by itself what
//! its record will say, so whoever brought it is answered before the journal is written; the event is removed after
//! that. Numbers in the stream of
//! events are their cursors, which the broker checks for every single one: an event is neither lost nor
//! stored twice, and a second host is noticed.

use crate::journal::{Image, Record, messages};
use crate::link::{BROKER, Link, StreamKind, unavailable};
use async_nats::jetstream::context::PublishErrorKind;
use fleet::{Cursor, Event, InProcess, Queue, QueueError};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// Events written together: as many batches of the largest size are held twice.
const EVENTS: usize = 64;

/// Records written together.
const RECORDS: usize = 1024;

/// How often leases that ran out are looked for when nothing else happens.
pub(crate) const GLANCE: Duration = Duration::from_millis(250);

/// How long to wait after the broker failed.
const AGAIN: Duration = Duration::from_millis(100);

/// How long somebody who needs something written waits for it.
const SETTLE: Duration = Duration::from_millis(2500);

/// Records in the journal before it is written anew, besides four times what it says.
const LONG: usize = 10_000;

/// What the broker has.
#[derive(Clone, Default, Debug)]
struct Written {
    records: u64,
    cursor: u64,
    /// Up to which event the journal says what came of it: until then the event itself must stay.
    journalled: u64,
    /// Why it has no more.
    fault: Option<String>,
}

#[derive(Default)]
struct Pending {
    records: VecDeque<Record>,
    pushed: u64,
}

pub(crate) struct Writer {
    link: Link,
    queue: Arc<InProcess>,
    pending: Mutex<Pending>,
    dirty: Notify,
    written: watch::Sender<Written>,
    /// Events up to here are to be removed.
    acknowledged: watch::Sender<u64>,
}

impl Writer {
    /// The journal says what came of all events up to `journalled`.
    pub(crate) fn new(link: Link, queue: Arc<InProcess>, journalled: Cursor) -> Self {
        let (cursor, journalled) = (queue.cursor().0, journalled.0);
        let written = Written { cursor, journalled, ..Written::default() };
        Self {
            link,
            queue,
            pending: Mutex::default(),
            dirty: Notify::new(),
            written: watch::Sender::new(written),
            acknowledged: watch::Sender::new(0),
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a record to be written.
    pub(crate) fn push(&self, record: Record) {
        let mut pending = self.pending();
        pending.records.push_back(record);
        pending.pushed += 1;
    }

    /// Returns when the broker has everything that is known now.
    pub(crate) async fn settle(&self) -> Result<(), QueueError> {
        let pushed = self.pending().pushed;
        let cursor = self.queue.cursor().0;
        self.dirty.notify_one();
        let mut written = self.written.subscribe();
        let enough = |w: &Written| w.records >= pushed && w.cursor >= cursor;
        let settled = tokio::time::timeout(SETTLE, written.wait_for(enough)).await;
        if settled.is_ok() {
            return Ok(());
        }
        let fault = self.written.borrow().fault.clone();
        let reason = fault.unwrap_or_else(|| "the broker stores nothing".to_owned());
        Err(QueueError::Unavailable { reason })
    }

    /// The last event the broker has.
    pub(crate) fn cursor(&self) -> Cursor {
        Cursor(self.written.borrow().cursor)
    }

    /// Returns when it has more, or something failed.
    pub(crate) async fn more(&self, than: Cursor) {
        let mut written = self.written.subscribe();
        let _ = written.wait_for(|w| w.cursor > than.0).await;
    }

    /// Says that something is to be written.
    pub(crate) fn wake(&self) {
        self.dirty.notify_one();
    }

    /// Has events removed, soon.
    pub(crate) fn acknowledge(&self, upto: Cursor) {
        let upto = upto.0.min(self.queue.cursor().0);
        self.acknowledged.send_if_modified(|last| {
            let more = upto > *last;
            *last = upto.max(*last);
            more
        });
    }

    /// Removes what was acknowledged, not more often than need be.
    pub(crate) async fn remove_acknowledged(self: Arc<Self>) {
        let mut acknowledged = self.acknowledged.subscribe();
        while acknowledged.changed().await.is_ok() {
            let upto = *acknowledged.borrow_and_update();
            let mut written = self.written.subscribe();
            if written.wait_for(|w| w.journalled >= upto).await.is_err() {
                return;
            }
            while self.link.remove_before(StreamKind::Events, upto + 1).await.is_err() {
                tokio::time::sleep(AGAIN).await;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Writes for ever. `image` is what the journal says, in `length` records; `owed` is what it does not say yet of
    /// events that are stored.
    pub(crate) async fn run(
        self: Arc<Self>,
        mut image: Image,
        mut length: usize,
        mut owed: Vec<Record>,
    ) {
        let mut again = false;
        loop {
            let records: Vec<Record> =
                self.pending().records.iter().take(RECORDS).cloned().collect();
            let events = self.queue.watch(self.cursor(), EVENTS, Duration::ZERO);
            let events = events.unwrap_or_default();
            if records.is_empty() && events.is_empty() && owed.is_empty() {
                let _ = tokio::time::timeout(GLANCE, self.dirty.notified()).await;
                continue;
            }
            let stored = match events.last() {
                None => Ok(()),
                Some((cursor, _)) => {
                    let stored = self.while_connected(self.write_events(&events, again)).await;
                    again = stored.is_err();
                    if stored.is_ok() {
                        owed.extend(events.iter().filter_map(|(_, event)| Record::of(event)));
                        self.written.send_modify(|w| w.cursor = cursor.0);
                    }
                    stored
                }
            };
            // Also where there is no room for events: those that are stored may be removed only when the journal says
            // what came of them, and leases need none. A task that came back is lent after that.
            let said: Vec<Record> = owed.iter().chain(&records).cloned().collect();
            let journalled = self.while_connected(self.write_journal(&said)).await;
            if journalled.is_ok() {
                self.are_written(records.len());
                length += said.len();
                owed.clear();
                said.into_iter().for_each(|record| image.apply(record));
            }
            if let Err(error) = stored.and(journalled.map(drop)) {
                self.written.send_modify(|w| w.fault = Some(error.to_string()));
                tokio::time::sleep(AGAIN).await;
            } else if length > LONG + 4 * image.len() && self.rewrite(&image).await.is_ok() {
                length = image.len();
            }
        }
    }

    /// Does something, and waits for no answer of a connection that broke meanwhile.
    async fn while_connected<T>(
        &self,
        act: impl Future<Output = Result<T, QueueError>>,
    ) -> Result<T, QueueError> {
        let mut connected = self.link.connected.clone();
        connected.mark_unchanged();
        tokio::select! {
            done = act => done,
            _ = connected.changed() => {
                let reason = "the connection to the broker broke".to_owned();
                Err(QueueError::Unavailable { reason })
            }
        }
    }

    /// So many records are in the journal, and everything that was owed.
    fn are_written(&self, records: usize) {
        self.pending().records.drain(..records);
        self.written.send_modify(|w| {
            w.records += records as u64;
            w.journalled = w.cursor;
            w.fault = None;
        });
    }

    /// Stores events. `again`: a part of them may be there.
    async fn write_events(
        &self,
        events: &[(Cursor, Event)],
        again: bool,
    ) -> Result<(), QueueError> {
        let mut stored = self.cursor().0;
        if again {
            stored = self.link.bounds(StreamKind::Events).await?.1;
            if stored > self.queue.cursor().0 {
                let reason = "another coordinator has taken this fleet over".to_owned();
                return Err(QueueError::Unavailable { reason });
            }
        }
        let mut sent = Vec::new();
        for (cursor, event) in events.iter().filter(|(cursor, _)| cursor.0 > stored) {
            let payload = serde_json::to_vec(event).map_err(|e| unavailable(&e))?;
            let subject = self.link.subject(StreamKind::Events, word(event));
            let sending = self.link.publish(subject, payload, Some(cursor.0 - 1)).await;
            sent.push(sending.map_err(|e| unavailable(&e))?);
        }
        for sending in sent {
            sending.await.map_err(|e| match e.kind() {
                // The one before it failed, or it is there; the next attempt looks.
                PublishErrorKind::WrongLastSequence => {
                    QueueError::Unavailable { reason: "events were not stored in order".to_owned() }
                }
                _ => unavailable(&e),
            })?;
        }
        Ok(())
    }

    /// Writes records; the number of the first message.
    async fn write_journal(&self, records: &[Record]) -> Result<u64, QueueError> {
        let mut first = 0;
        for message in messages(records).map_err(|e| unavailable(&e))? {
            let subject = self.link.subject(StreamKind::Journal, "records");
            let sending = self.link.publish(subject, message, None).await;
            let stored =
                sending.map_err(|e| unavailable(&e))?.await.map_err(|e| unavailable(&e))?;
            if first == 0 {
                first = stored.sequence;
            }
        }
        Ok(first)
    }

    /// Writes the journal anew: what it says, and nothing before that.
    async fn rewrite(&self, image: &Image) -> Result<(), QueueError> {
        let first = self.write_journal(&image.records()).await?;
        tokio::time::timeout(BROKER, self.link.remove_before(StreamKind::Journal, first))
            .await
            .map_err(|e| unavailable(&e))?
    }
}

/// An event in a word.
const fn word(event: &Event) -> &'static str {
    match event {
        Event::Announced { .. } => "announced",
        Event::Finished { .. } => "finished",
        Event::Failed { .. } => "failed",
        Event::Expired { .. } => "expired",
        Event::GivenUp { .. } => "given-up",
    }
}
