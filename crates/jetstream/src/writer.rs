//! Writes events and journal to the broker, in order and together with whatever else is waiting, until it is done.
//!
//! Two tasks write side by side. An event is sent as soon as it is known, while those before it are on their way: numbers in
//! the stream of events are their cursors, which the broker checks for every single one, so an event is neither lost nor
//! stored twice, and a second host is noticed. An event that is stored says by itself what its record will say, so
//! whoever brought it is answered then. The journal comes after that: a record that a batch is there must never
//! outlive the batch, and the event is removed only when the journal has the record.

use crate::journal::{Image, Record, messages};
use crate::link::{BROKER, Link, StreamKind, is_full, unavailable};
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use fleet::{Cursor, Event, InProcess, Queue, QueueError};
use futures_util::stream::FuturesOrdered;
use futures_util::{FutureExt, StreamExt};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// Events on their way at a time: as many batches of the largest size are held twice.
const EVENTS: usize = 64;

/// Records written together.
const RECORDS: usize = 1024;

/// How often leases that ran out are looked for when nothing else happens.
pub(crate) const GLANCE: Duration = Duration::from_millis(250);

/// How long to wait after the broker failed.
const AGAIN: Duration = Duration::from_millis(100);

/// How long events that were acknowledged stay, so that they are removed many at a time.
const REMOVE: Duration = Duration::from_millis(30);

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
    /// No event is taken at the moment, for want of room or of a broker.
    no_events: bool,
    /// There is no room for the journal.
    no_room: bool,
    /// Why it has no more.
    fault: Option<String>,
}

#[derive(Default)]
struct Pending {
    /// Each with the last event that happened before it.
    records: VecDeque<(u64, Record)>,
    pushed: u64,
    /// What the journal does not say yet of events that are stored.
    owed: Vec<Record>,
}

pub(crate) struct Writer {
    link: Link,
    queue: Arc<InProcess>,
    pending: Mutex<Pending>,
    /// Something happened.
    dirty: Notify,
    /// Something is to be said in the journal.
    unsaid: Notify,
    written: watch::Sender<Written>,
    /// Events up to here are to be removed.
    acknowledged: watch::Sender<u64>,
}

impl Writer {
    /// `owed` is what the journal does not say yet of events that are stored.
    pub(crate) fn new(link: Link, queue: Arc<InProcess>, owed: Vec<Record>) -> Self {
        let cursor = queue.cursor().0;
        let journalled = if owed.is_empty() { cursor } else { 0 };
        let written = Written { cursor, journalled, ..Written::default() };
        Self {
            link,
            queue,
            pending: Mutex::new(Pending { owed, ..Pending::default() }),
            dirty: Notify::new(),
            unsaid: Notify::new(),
            written: watch::Sender::new(written),
            acknowledged: watch::Sender::new(0),
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a record to be written; its number.
    pub(crate) fn push(&self, record: Record) -> u64 {
        // What happened before it is in the journal before it.
        let after = self.queue.cursor().0;
        let mut pending = self.pending();
        pending.records.push_back((after, record));
        pending.pushed += 1;
        pending.pushed
    }

    /// Returns when the broker has the events that are known now.
    pub(crate) async fn settle_events(&self) -> Result<(), QueueError> {
        let cursor = self.queue.cursor().0;
        self.dirty.notify_one();
        self.settle(|w| w.cursor >= cursor).await
    }

    /// Returns when the broker has the record of that number.
    pub(crate) async fn settle_record(&self, number: u64) -> Result<(), QueueError> {
        self.dirty.notify_one();
        self.unsaid.notify_one();
        self.settle(|w| w.records >= number).await
    }

    async fn settle(&self, enough: impl FnMut(&Written) -> bool) -> Result<(), QueueError> {
        let mut written = self.written.subscribe();
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

    /// Removes what was acknowledged, not more often than need be. Where there is no room for the journal it is not
    /// waited for, or there would never be any: whoever acknowledged has the results, and knows one that comes again.
    pub(crate) async fn remove_acknowledged(self: Arc<Self>) {
        let mut acknowledged = self.acknowledged.subscribe();
        if *acknowledged.borrow() > 0 {
            // It was acknowledged before this began.
            acknowledged.mark_changed();
        }
        while acknowledged.changed().await.is_ok() {
            let upto = *acknowledged.borrow_and_update();
            let mut written = self.written.subscribe();
            if written.wait_for(|w| w.journalled >= upto || w.no_room).await.is_err() {
                return;
            }
            while self.remove_before(StreamKind::Events, upto + 1).await.is_err() {
                tokio::time::sleep(AGAIN).await;
            }
            tokio::time::sleep(REMOVE).await;
        }
    }

    fn failed(&self, change: impl FnOnce(&mut Written), error: &QueueError) {
        self.written.send_modify(|w| {
            change(w);
            w.fault = Some(error.to_string());
        });
    }

    /// Stores events for ever.
    pub(crate) async fn store_events(self: Arc<Self>) {
        let mut again = false;
        loop {
            let Err(error) = self.stream_events(again).await;
            self.failed(|w| w.no_events = true, &error);
            self.unsaid.notify_one();
            again = true;
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Stores events until something fails. `again`: a part of what was sent before may be there.
    async fn stream_events(&self, again: bool) -> Result<Infallible, QueueError> {
        // No answer of a connection that broke meanwhile is waited for.
        let mut connected = self.link.connected.clone();
        connected.mark_unchanged();
        if again {
            self.find_stored().await?;
        }
        let mut under_way = FuturesOrdered::new();
        let mut sent = self.cursor();
        loop {
            let room = EVENTS - under_way.len();
            for (cursor, event) in self.queue.watch(sent, room, Duration::ZERO).unwrap_or_default()
            {
                let payload = serde_json::to_vec(&event).map_err(|e| unavailable(&e))?;
                let subject = self.link.subject(StreamKind::Events, word(&event));
                let sending = self.link.publish(subject, payload, Some(cursor.0 - 1)).await;
                let sending = sending.map_err(|e| unavailable(&e))?;
                let record = Record::of(&event);
                under_way.push_back(async move { sending.await.map(|_| (cursor, record)) });
                sent = cursor;
            }
            let has_room = under_way.len() < EVENTS;
            tokio::select! {
                Some(first) = under_way.next() => {
                    let mut stored = vec![first];
                    while let Some(Some(next)) = under_way.next().now_or_never() {
                        stored.push(next);
                    }
                    self.are_stored(stored)?;
                }
                () = self.dirty.notified(), if has_room => {}
                () = tokio::time::sleep(GLANCE), if under_way.is_empty() => {}
                _ = connected.changed() => {
                    let reason = "the connection to the broker broke".to_owned();
                    return Err(QueueError::Unavailable { reason });
                }
            }
        }
    }

    /// Finds out which of the events that were sent are stored.
    async fn find_stored(&self) -> Result<(), QueueError> {
        let stored = self.link.bounds(StreamKind::Events).await?.1;
        if stored > self.queue.cursor().0 {
            let reason = "another coordinator has taken this fleet over".to_owned();
            return Err(QueueError::Unavailable { reason });
        }
        let known = self.cursor();
        if stored < known.0 {
            let most = usize::try_from(known.0 - stored).unwrap_or(usize::MAX);
            let events = self.queue.watch(Cursor(stored), most, Duration::ZERO);
            let events = events.unwrap_or_default();
            return self.link.fill_numbers(stored, known.0, &events).await;
        }
        let count = usize::try_from(stored.saturating_sub(known.0)).unwrap_or(usize::MAX);
        let events = self.queue.watch(known, count, Duration::ZERO).unwrap_or_default();
        let found = events.into_iter().filter(|(cursor, _)| cursor.0 <= stored);
        self.are_stored(found.map(|(cursor, event)| Ok((cursor, Record::of(&event)))).collect())
    }

    /// Events are stored, up to the first that is not.
    fn are_stored(
        &self,
        events: Vec<Result<(Cursor, Option<Record>), PublishError>>,
    ) -> Result<(), QueueError> {
        let (mut last, mut result) = (None, Ok(()));
        let mut pending = self.pending();
        for event in events {
            match event {
                Ok((cursor, record)) => {
                    last = Some(cursor);
                    pending.owed.extend(record);
                }
                Err(e) => {
                    result = Err(match e.kind() {
                        // The one before it failed, or it is there; the next attempt looks.
                        PublishErrorKind::WrongLastSequence => {
                            let reason = "events were not stored in order".to_owned();
                            QueueError::Unavailable { reason }
                        }
                        _ => unavailable(&e),
                    });
                    break;
                }
            }
        }
        drop(pending);
        if let Some(cursor) = last {
            self.written.send_modify(|w| {
                (w.cursor, w.no_events) = (cursor.0, false);
                if !w.no_room {
                    w.fault = None;
                }
            });
            self.unsaid.notify_one();
        }
        result
    }

    /// What is to be said in the journal: of events that are stored, and up to which of them; then records. A record
    /// waits for the events before it, but not while none are taken: leases need no events.
    fn unsaid(&self, owed: &mut Vec<Record>) -> (u64, Vec<Record>) {
        let mut pending = self.pending();
        owed.append(&mut pending.owed);
        let (stored, blocked) = {
            let written = self.written.borrow();
            (written.cursor, written.no_events)
        };
        let ready = pending.records.iter().take(RECORDS);
        let ready = ready.take_while(|(after, _)| blocked || *after <= stored);
        (stored, ready.map(|(_, record)| record.clone()).collect())
    }

    /// Keeps the journal for ever. `image` is what it says, in `length` records.
    pub(crate) async fn keep_journal(self: Arc<Self>, mut image: Image, mut length: usize) {
        let mut owed = Vec::new();
        loop {
            let (upto, records) = self.unsaid(&mut owed);
            if records.is_empty() && owed.is_empty() {
                self.written.send_if_modified(|w| {
                    let more = w.journalled < upto;
                    w.journalled = w.journalled.max(upto);
                    more
                });
                let _ = tokio::time::timeout(GLANCE, self.unsaid.notified()).await;
                continue;
            }
            let said: Vec<Record> = owed.iter().chain(&records).cloned().collect();
            match self.while_connected(self.write_journal(&said)).await {
                Ok(_) => {
                    self.are_written(records.len(), upto);
                    length += said.len();
                    owed.clear();
                    said.into_iter().for_each(|record| image.apply(record));
                    if length > LONG + 4 * image.len() && self.rewrite(&image).await.is_ok() {
                        length = image.len();
                    }
                }
                Err((full, error)) => {
                    self.failed(|w| w.no_room = full, &error);
                    tokio::time::sleep(AGAIN).await;
                }
            }
        }
    }

    /// Does something, and waits for no answer of a connection that broke meanwhile.
    async fn while_connected<T>(
        &self,
        act: impl Future<Output = Result<T, (bool, QueueError)>>,
    ) -> Result<T, (bool, QueueError)> {
        let mut connected = self.link.connected.clone();
        connected.mark_unchanged();
        tokio::select! {
            done = act => done,
            _ = connected.changed() => {
                let reason = "the connection to the broker broke".to_owned();
                Err((false, QueueError::Unavailable { reason }))
            }
        }
    }

    /// So many records are in the journal, and everything that was owed of events up to that one.
    fn are_written(&self, records: usize, upto: u64) {
        self.pending().records.drain(..records);
        self.written.send_modify(|w| {
            w.records += records as u64;
            w.journalled = w.journalled.max(upto);
            w.no_room = false;
            if !w.no_events {
                w.fault = None;
            }
        });
    }

    /// Writes records; the number of the first message. A failure says whether there was no room.
    async fn write_journal(&self, records: &[Record]) -> Result<u64, (bool, QueueError)> {
        let failed = |e: &PublishError| (is_full(e), unavailable(e));
        let mut first = 0;
        for message in messages(records).map_err(|e| (false, unavailable(&e)))? {
            let subject = self.link.subject(StreamKind::Journal, "records");
            let sending = self.link.publish(subject, message, None).await;
            let stored = sending.map_err(|e| failed(&e))?.await.map_err(|e| failed(&e))?;
            if first == 0 {
                first = stored.sequence;
            }
        }
        Ok(first)
    }

    /// Writes the journal anew: what it says, and nothing before that.
    async fn rewrite(&self, image: &Image) -> Result<(), QueueError> {
        let first = self.write_journal(&image.records()).await.map_err(|(_, error)| error)?;
        self.remove_before(StreamKind::Journal, first).await
    }

    /// Has the broker remove what is before a number. An answer that got lost is not waited for.
    async fn remove_before(&self, kind: StreamKind, number: u64) -> Result<(), QueueError> {
        tokio::time::timeout(BROKER, self.link.remove_before(kind, number))
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
