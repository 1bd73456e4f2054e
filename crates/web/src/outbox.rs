//! What waits to be sent on one connection. Answers keep their order; of what streams (analysis, the
//! state of a game) only the latest waits, so that nothing ever lags behind.

use board::message::{Answer, ServerMessage};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use think::Moment;
use tokio::sync::Notify;

/// Least time between two messages of one stream.
const INTERVAL: Duration = Duration::from_millis(100);

/// Answers that may wait for a reader who does not read.
const MOST: usize = 512;

/// Streams of one connection.
const STREAMS: usize = 64;

type Maker = Box<dyn FnOnce() -> Option<ServerMessage> + Send>;

struct Stream {
    key: String,
    /// The latest, made when it is sent.
    latest: Option<Maker>,
    urgent: bool,
    sent: Option<Moment>,
}

#[derive(Default)]
struct Inner {
    answers: VecDeque<Answer>,
    streams: Vec<Stream>,
    closed: bool,
}

/// The outbox of a connection.
#[derive(Default)]
pub struct Outbox {
    inner: Mutex<Inner>,
    changed: Notify,
}

/// A stream of a outbox that whoever asked for it can cut: nothing of it arrives after that, whatever
/// its source still says.
#[derive(Clone)]
pub struct StreamHandle {
    outbox: Arc<Outbox>,
    key: Arc<str>,
    live: Arc<AtomicBool>,
}

impl StreamHandle {
    /// A stream of that name, which no other has.
    pub fn new(outbox: &Arc<Outbox>, key: &str) -> Self {
        let live = Arc::new(AtomicBool::new(true));
        Self { outbox: Arc::clone(outbox), key: Arc::from(key), live }
    }

    /// As [`Outbox::stream`].
    pub fn send(
        &self,
        urgent: bool,
        make: impl FnOnce() -> Option<ServerMessage> + Send + 'static,
    ) {
        if !self.live.load(Ordering::SeqCst) {
            return;
        }
        let live = Arc::clone(&self.live);
        let make = move || if live.load(Ordering::SeqCst) { make() } else { None };
        self.outbox.stream(&self.key, urgent, make);
    }

    /// Ends it.
    pub fn cut(&self) {
        self.live.store(false, Ordering::SeqCst);
        self.outbox.forget(&self.key);
    }
}

/// What to do next on a connection.
#[derive(Debug, PartialEq)]
pub enum Next {
    /// Send this.
    Send(Box<Answer>),
    /// Nothing until then, unless something comes.
    Wait(Duration),
    /// Nothing until something comes.
    Idle,
    /// The connection is to be closed.
    Close,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An answer, or anything else that must arrive.
    pub fn post(&self, message: impl Into<Answer>) {
        let mut inner = self.lock();
        inner.answers.push_back(message.into());
        if inner.answers.len() > MOST {
            inner.closed = true;
            inner.answers.clear();
        }
        drop(inner);
        self.changed.notify_one();
    }

    /// The latest of a stream, in place of what still waits of it. Not more often than ten times a
    /// second unless it is urgent.
    pub fn stream(
        &self,
        key: &str,
        urgent: bool,
        make: impl FnOnce() -> Option<ServerMessage> + Send + 'static,
    ) {
        let mut inner = self.lock();
        let place = inner.streams.iter().position(|s| s.key == key);
        let place = place.unwrap_or_else(|| {
            if inner.streams.len() >= STREAMS {
                inner.streams.remove(0);
            }
            let stream = Stream { key: key.to_owned(), latest: None, urgent: false, sent: None };
            inner.streams.push(stream);
            inner.streams.len() - 1
        });
        let stream = &mut inner.streams[place];
        stream.latest = Some(Box::new(make));
        stream.urgent |= urgent;
        drop(inner);
        self.changed.notify_one();
    }

    /// Forgets what waits of a stream.
    pub fn forget(&self, key: &str) {
        let mut inner = self.lock();
        inner.streams.retain(|s| s.key != key);
    }

    /// The connection is to be closed.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// What to do now.
    pub fn next(&self, now: Moment) -> Next {
        loop {
            let mut inner = self.lock();
            if inner.closed {
                return Next::Close;
            }
            if let Some(answer) = inner.answers.pop_front() {
                return Next::Send(Box::new(answer));
            }
            let mut soonest = None;
            let mut due = None;
            for (place, stream) in inner.streams.iter().enumerate() {
                if stream.latest.is_none() {
                    continue;
                }
                let from = stream.sent.map_or(now, |sent| sent + INTERVAL);
                if stream.urgent || from <= now {
                    due = Some(place);
                    break;
                }
                let wait = from - now;
                soonest = Some(soonest.map_or(wait, |s: Duration| s.min(wait)));
            }
            let Some(place) = due else { return soonest.map_or(Next::Idle, Next::Wait) };
            let stream = &mut inner.streams[place];
            stream.sent = Some(now);
            stream.urgent = false;
            let make = stream.latest.take();
            drop(inner);
            // Made outside the lock: whoever writes here must not wait for it.
            if let Some(value) = make.and_then(|make| make()) {
                return Next::Send(Box::new(value.into()));
            }
        }
    }

    /// Until something comes.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::error::ApiError;

    fn said(word: impl std::fmt::Display) -> ServerMessage {
        let word = format!("{word}");
        ApiError::bad(word).into()
    }

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn answers_keep_their_order_and_go_before_streams() {
        let outbox = Outbox::default();
        outbox.stream("a", false, || Some(said("stream")));
        outbox.post(said(1));
        outbox.post(said(2));
        assert_eq!(outbox.next(ms(0)), Next::Send(Box::new(said(1).into())));
        assert_eq!(outbox.next(ms(0)), Next::Send(Box::new(said(2).into())));
        assert_eq!(outbox.next(ms(0)), Next::Send(Box::new(said("stream").into())));
        assert_eq!(outbox.next(ms(0)), Next::Idle);
    }

    #[test]
    fn only_the_latest_of_a_stream_waits() {
        let outbox = Outbox::default();
        for n in 0..1000 {
            outbox.stream("a", false, move || Some(said(n)));
        }
        outbox.stream("b", false, || Some(said("b")));
        assert_eq!(outbox.next(ms(0)), Next::Send(Box::new(said(999).into())));
        assert_eq!(outbox.next(ms(0)), Next::Send(Box::new(said("b").into())));
        outbox.stream("a", false, || Some(said("later")));
        assert_eq!(outbox.next(ms(30)), Next::Wait(ms(70)));
        assert_eq!(outbox.next(ms(100)), Next::Send(Box::new(said("later").into())));
        outbox.stream("a", false, || Some(said("now")));
        outbox.stream("a", true, || Some(said("urgent")));
        assert_eq!(outbox.next(ms(101)), Next::Send(Box::new(said("urgent").into())));
        outbox.stream("a", true, || None);
        assert_eq!(outbox.next(ms(500)), Next::Idle);
        outbox.stream("a", true, || Some(said(1)));
        outbox.forget("a");
        assert_eq!(outbox.next(ms(500)), Next::Idle);
    }

    #[test]
    fn nothing_comes_from_a_stream_that_was_cut() {
        let outbox = Arc::new(Outbox::default());
        let (old, new) = (StreamHandle::new(&outbox, "1"), StreamHandle::new(&outbox, "2"));
        old.send(false, || Some(said("old")));
        let late = old.clone();
        old.cut();
        new.send(false, || Some(said("new")));
        late.send(true, || Some(said("late")));
        assert_eq!(outbox.next(ms(0)), Next::Send(Box::new(said("new").into())));
        assert_eq!(outbox.next(ms(0)), Next::Idle);
    }

    #[test]
    fn who_does_not_read_is_closed() {
        let outbox = Outbox::default();
        for n in 0..=MOST {
            outbox.post(said(n));
        }
        assert_eq!(outbox.next(ms(0)), Next::Close);
    }
}
