//! Who owns the lobby: it takes in what arrives, stores, and only then sends.
//!
//! It runs on the thread that reads and writes the sockets: a move is relayed without waking any
//! other.
//!
//! Whatever has arrived by the time it looks is handled together and stored in one transaction.
//! Nothing here waits for a client: what a client does not read in time ends its connection.

use super::arrivals::Arrivals;
use super::door::Answer;
use super::metrics::Metrics;
use super::scribe::{Job, Scribe};
use super::store::{self, Store, StoredGame};
use ::csa::Received;
use ::server::lobby::{Checked, ConnId, Effect, Lobby, Now, Status, Stored};
use ::server::room::{Entry, Moment};
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, oneshot};

/// Inputs handled together at most.
const BATCH: usize = 512;

/// How much later than due timers are looked at: a line that arrived in time may still be on its
/// way from the thread that read it. Lines are judged by when they were read.
const GRACE: Duration = Duration::from_millis(20);

/// How much later when more has arrived than is handled together.
const CROWDED: Duration = Duration::from_secs(1);

/// Entries in the log of the data file, a page of it each, before it is begun anew. That waits for
/// the disk, so it is done seldom; and the log should not grow without end.
const LOG: usize = 12_000;

/// The log is also emptied when nothing has been stored for so long, at no cost to anybody.
const QUIET: Duration = Duration::from_secs(10);

/// How often a failing store is tried again.
const STORE_TRIES: u32 = 5;

/// What comes in.
pub(super) enum Input {
    Connected {
        id: ConnId,
        peer: String,
        out: mpsc::Sender<Arc<str>>,
    },
    Line {
        id: ConnId,
        line: Received,
        at: Moment,
    },
    Gone(ConnId),
    Checked {
        id: ConnId,
        name: String,
        answer: Answer,
    },
    Recorded(String),
    /// What had been stored by then lies in the file proper.
    Tidied,
    Ratings(HashMap<String, f64>),
    Status(oneshot::Sender<Status>),
    Stop,
}

/// A question to the door.
pub(super) struct Question {
    pub(super) id: ConnId,
    pub(super) name: String,
    pub(super) secret: Option<String>,
}

/// The server's time.
#[derive(Clone, Copy)]
pub(super) struct ServerClock(Instant);

impl ServerClock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now(self) -> Moment {
        // The origin lies back far enough for whatever is subtracted.
        self.0.elapsed() + Duration::from_secs(3600)
    }

    pub(super) fn wall() -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    }

    pub(super) fn both(self) -> Now {
        Now { at: self.now(), wall: Self::wall() }
    }
}

/// What is done after storing.
enum Action {
    Send(ConnId, Arc<str>),
    Close(ConnId),
    Ask(Question),
}

/// The thread's belongings.
pub(super) struct Hall {
    pub(super) lobby: Lobby,
    pub(super) store: Store,
    pub(super) clock: ServerClock,
    pub(super) arrivals: Arc<Arrivals>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) scribe: Scribe,
    pub(super) door: std::sync::mpsc::SyncSender<Question>,
    /// How long a stopping server waits for games.
    pub(super) drain: Duration,
    pub(super) connections: HashMap<ConnId, mpsc::Sender<Arc<str>>>,
    pub(super) recorded: Vec<String>,
    pub(super) accounts: Vec<(String, String, i64)>,
    pub(super) stopping: Option<Moment>,
    pub(super) logged: Logged,
}

/// The log of the data file.
#[derive(Clone, Copy, Default)]
pub(super) struct Logged {
    entries: usize,
    last: Moment,
    /// Another thread has been asked to empty it.
    asked: bool,
}

impl Hall {
    /// Runs until stopped; the error is one of the store, after which nothing may go on.
    pub(super) async fn run(mut self, mut inputs: mpsc::Receiver<Input>) -> Result<(), String> {
        let mut batch = Vec::with_capacity(BATCH);
        let mut arrived: Vec<Moment> = Vec::with_capacity(BATCH);
        loop {
            let waiting = inputs.recv_many(&mut batch, BATCH);
            if matches!(tokio::time::timeout(self.patience(), waiting).await, Ok(0)) {
                return self.close();
            }
            let now = self.clock.both();
            for input in batch.drain(..) {
                if let Input::Line { at, .. } = &input {
                    arrived.push(*at);
                }
                self.take(input, now);
            }
            let due = self.due(now.at, inputs.is_empty());
            self.lobby.wake(Now { at: due, wall: now.wall });
            self.settle()?;
            let done = self.clock.now();
            self.tidy(done);
            for at in arrived.drain(..) {
                self.metrics.handled.add(done.saturating_sub(at));
            }
            if let Some(deadline) = self.stopping
                && (done >= deadline || self.lobby.running() == 0)
            {
                return self.close();
            }
        }
    }

    /// Has the log of the data file emptied aside when it is long, or when nobody waits.
    fn tidy(&mut self, now: Moment) {
        let Logged { entries, last, asked } = self.logged;
        let due = entries >= LOG || (entries > 0 && now.saturating_sub(last) >= QUIET);
        if due && !asked {
            self.logged.asked = self.scribe.send(Job::Tidy);
        }
    }

    /// Nearly all of the log has been emptied; the rest is emptied here, where nothing is added to
    /// it meanwhile, so that it begins anew.
    fn tidied(&mut self) {
        if let Err(error) = store::checkpoint(self.store.connection()) {
            self.scribe.log("checkpoint-failed", &json!({ "error": error.to_string() }));
        }
        self.logged = Logged::default();
    }

    /// Until when timers are looked at.
    fn due(&self, now: Moment, all: bool) -> Moment {
        if all {
            now.saturating_sub(GRACE).min(self.arrivals.heard_until(now))
        } else {
            // What waits behind this batch may have come in time as well.
            now.saturating_sub(CROWDED)
        }
    }

    /// How long nothing need be done.
    fn patience(&self) -> Duration {
        let usual = Duration::from_secs(if self.stopping.is_some() { 0 } else { 60 });
        let usual = usual.max(Duration::from_millis(100));
        let now = self.clock.now();
        let due = self.lobby.next_wake().map(|at| (at + GRACE).saturating_sub(now));
        // A moment's rest at least, in which the sockets are looked at.
        let usual = if self.logged.entries > 0 { usual.min(QUIET) } else { usual };
        due.map_or(usual, |due| due.min(usual)).max(Duration::from_millis(1))
    }

    fn close(mut self) -> Result<(), String> {
        let now = self.clock.both();
        self.lobby.interrupt_all(now);
        self.settle()?;
        self.scribe.log("stopped", &json!({}));
        Ok(())
    }

    fn take(&mut self, input: Input, now: Now) {
        match input {
            Input::Connected { id, peer, out } => {
                Metrics::count(&self.metrics.connections);
                if self.lobby.connect(id, &peer, now) {
                    self.connections.insert(id, out);
                    self.scribe.log("connect", &json!({ "conn": id.0, "peer": peer }));
                } else {
                    self.scribe.log("turned-away", &json!({ "conn": id.0, "peer": peer }));
                }
            }
            Input::Line { id, line, at } => {
                Metrics::count(&self.metrics.lines);
                self.lobby.line(id, &line, Now { at, wall: now.wall });
            }
            Input::Gone(id) => {
                if self.connections.remove(&id).is_some() {
                    self.lobby.disconnect(id, now);
                    self.scribe.log("gone", &json!({ "conn": id.0 }));
                }
            }
            Input::Checked { id, name, answer } => {
                let welcome = answer.checked != Checked::Refused;
                Metrics::count(if welcome { &self.metrics.logins } else { &self.metrics.refused });
                let event = if welcome { "login" } else { "login-refused" };
                self.scribe.log(event, &json!({ "conn": id.0, "name": name }));
                if let Some(hash) = answer.new {
                    self.accounts.push((name, hash, now.wall));
                }
                self.lobby.checked(id, answer.checked, now);
            }
            Input::Recorded(id) => self.recorded.push(id),
            Input::Tidied => self.tidied(),
            Input::Ratings(ratings) => self.lobby.set_ratings(ratings),
            Input::Status(answer) => {
                // Who asked may have gone.
                let _ = answer.send(self.lobby.status(now));
            }
            Input::Stop => {
                self.lobby.drain();
                let deadline = if self.stopping.is_some() { now.at } else { now.at + self.drain };
                self.stopping = Some(deadline);
                self.scribe.log("stopping", &json!({ "games": self.lobby.running() }));
            }
        }
    }

    /// Stores what is to be stored, then does the rest, until nothing is left.
    fn settle(&mut self) -> Result<(), String> {
        loop {
            let now = self.clock.both();
            let mut stores = Vec::new();
            let mut actions = Vec::new();
            loop {
                let effects = self.lobby.take_effects();
                if effects.is_empty() {
                    break;
                }
                for effect in effects {
                    match effect {
                        Effect::Store(stored) => stores.push(stored),
                        Effect::Send(id, text) => actions.push(Action::Send(id, text)),
                        Effect::Close(id) => {
                            actions.push(Action::Close(id));
                            self.lobby.disconnect(id, now);
                        }
                        Effect::Check { conn, name, secret } => {
                            let name = name.to_string();
                            actions.push(Action::Ask(Question { id: conn, name, secret }));
                        }
                        Effect::Find { conn, fork } => {
                            // A file that cannot be read has no such game in it.
                            let found = store::game(self.store.connection(), &fork.game);
                            let source = found.ok().flatten().map(StoredGame::into_source);
                            self.lobby.found(conn, &fork, source.as_ref(), now);
                        }
                    }
                }
            }
            if stores.is_empty()
                && actions.is_empty()
                && self.accounts.is_empty()
                && self.recorded.is_empty()
            {
                self.metrics.open.store(self.connections.len() as u64, Ordering::Relaxed);
                return Ok(());
            }
            self.commit(&stores)?;
            for stored in &stores {
                self.tell_of(stored);
            }
            self.act(actions, now);
            // The time of whoever is to move now begins when it has been told so.
            self.lobby.told(self.clock.now());
        }
    }

    fn commit(&mut self, stores: &[Stored]) -> Result<(), String> {
        if stores.is_empty() && self.accounts.is_empty() && self.recorded.is_empty() {
            return Ok(());
        }
        let before = Instant::now();
        for attempt in 1.. {
            match self.store.commit(stores, &self.recorded, &self.accounts) {
                Ok(()) => break,
                Err(error) => {
                    self.scribe.log(
                        "store-failed",
                        &json!({ "attempt": attempt, "error": error.to_string() }),
                    );
                    if attempt == STORE_TRIES {
                        return Err(format!("nothing can be stored any more: {error}"));
                    }
                    std::thread::sleep(Duration::from_millis(50) * attempt);
                }
            }
        }
        self.accounts.clear();
        self.recorded.clear();
        self.logged.entries += stores.len() + 1;
        self.logged.last = self.clock.now();
        Metrics::count(&self.metrics.commits);
        self.metrics.stored.add(before.elapsed());
        Ok(())
    }

    fn tell_of(&mut self, stored: &Stored) {
        match stored {
            Stored::Game { conditions, entry, .. } => match entry {
                Entry::Move { .. } => Metrics::count(&self.metrics.moves),
                Entry::Started => {
                    Metrics::count(&self.metrics.started);
                    self.metrics.running.fetch_add(1, Ordering::Relaxed);
                    self.scribe.log("start", &json!({ "game": conditions.id }));
                }
                Entry::Resumed => {
                    self.metrics.running.fetch_add(1, Ordering::Relaxed);
                    self.scribe.log("resume", &json!({ "game": conditions.id }));
                }
                Entry::Interrupted(_) => {
                    self.metrics.running.fetch_sub(1, Ordering::Relaxed);
                    self.scribe.log("interrupt", &json!({ "game": conditions.id }));
                }
                Entry::Ended(finish) => {
                    Metrics::count(&self.metrics.ended);
                    self.metrics.running.fetch_sub(1, Ordering::Relaxed);
                    let winner = finish.winner.map(|c| conditions.names[c.index()].clone());
                    let reason = finish.reason.word();
                    let fields =
                        json!({ "game": conditions.id, "reason": reason, "winner": winner });
                    self.scribe.log("end", &fields);
                    self.scribe.send(Job::Record(conditions.id.clone()));
                }
            },
            Stored::Score(score) => {
                let fields = json!({ "event": score.event, "stage": score.stage, "round": score.round,
                    "black": score.black, "white": score.white });
                self.scribe.log("score", &fields);
            }
        }
    }

    fn act(&mut self, actions: Vec<Action>, now: Now) {
        for action in actions {
            match action {
                Action::Send(id, text) => {
                    let full =
                        self.connections.get(&id).is_some_and(|out| out.try_send(text).is_err());
                    if full {
                        Metrics::count(&self.metrics.slow);
                        self.scribe.log("slow", &json!({ "conn": id.0 }));
                        self.connections.remove(&id);
                        self.lobby.disconnect(id, now);
                    }
                }
                Action::Close(id) => {
                    if self.connections.remove(&id).is_some() {
                        self.scribe.log("close", &json!({ "conn": id.0 }));
                    }
                }
                Action::Ask(question) => {
                    let id = question.id;
                    if self.door.try_send(question).is_err() {
                        // A crowd at the door: come back later.
                        self.lobby.checked(id, Checked::Refused, now);
                    }
                }
            }
        }
    }
}
