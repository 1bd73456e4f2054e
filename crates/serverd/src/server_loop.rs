//! The one owner of the lobby: it takes in what arrives, stores, and only then sends.
//!
//! It runs on the thread that reads and writes the sockets: a move is relayed without waking any
//! other.
//!
//! Whatever has arrived by the time it looks is handled together and stored in one transaction.
//! Nothing here waits for a client: what a client does not read in time ends its connection.

use crate::accounts::LoginResult;
use crate::arrival_times::ArrivalTimes;
use crate::background::{Background, Job};
use crate::error::Error;
use crate::login_queue::{LoginCheck, LoginQueue};
use crate::metrics::Metrics;
use crate::store::{self, Store, StoredGame};
use csa::Received;
use serde_json::json;
use server::lobby::{Checked, Closing, ConnId, Effect, Lobby, Now, Refusal, Status, Stored};
use server::room::{Entry, Moment};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Inputs handled together at most.
const BATCH: usize = 512;

/// How much later than due timers are looked at: a line that arrived in time may still be on its
/// way from the thread that read it. Lines are judged by when they were read.
const GRACE: Duration = Duration::from_millis(20);

/// How much later when more has arrived than is handled together.
const BACKLOG_GRACE: Duration = Duration::from_secs(1);

/// Entries in the write-ahead log, a page each, before it is begun anew. That waits for the disk,
/// so it is done seldom; and the log should not grow without end.
const WAL_ENTRIES: usize = 12_000;

/// It is also checkpointed when nothing has been stored for so long, at no cost to anybody.
const QUIET: Duration = Duration::from_secs(10);

/// How often a failing store is tried again.
const STORE_TRIES: u32 = 5;

/// What comes in.
pub(crate) enum Input {
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
        result: LoginResult,
    },
    Recorded(String),
    /// What had been stored by then lies in the file proper.
    Checkpointed,
    Ratings(HashMap<String, f64>),
    Status(oneshot::Sender<Status>),
    /// An order from the server's own computer.
    Order {
        text: String,
        answer: oneshot::Sender<Result<String, String>>,
    },
    Stop,
}

/// The server's time.
#[derive(Clone, Copy)]
pub(crate) struct ServerClock(Instant);

impl ServerClock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(self) -> Moment {
        // The origin lies back far enough for whatever is subtracted.
        self.0.elapsed() + Duration::from_secs(3600)
    }

    pub(crate) fn wall() -> i64 {
        think::seconds_since_1970()
    }

    pub(crate) fn both(self) -> Now {
        Now { at: self.now(), wall: Self::wall() }
    }
}

/// What is done after storing.
enum Action {
    Send(ConnId, Arc<str>),
    /// The player, if it had logged in, and why.
    Close(ConnId, Option<String>, Closing),
    CheckLogin(LoginCheck),
}

/// Who gave an order, and what came of it.
type OrderAnswer = (oneshot::Sender<Result<String, String>>, Result<String, String>);

/// The loop and everything it acts on.
pub(crate) struct ServerLoop {
    pub(crate) lobby: Lobby,
    pub(crate) store: Store,
    pub(crate) clock: ServerClock,
    pub(crate) arrival_times: Arc<ArrivalTimes>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) background: Background,
    pub(crate) login_checks: Arc<LoginQueue>,
    /// Whether every player has a log of its own.
    pub(crate) player_logs: bool,
    /// How long a stopping server waits for games.
    pub(crate) drain: Duration,
    pub(crate) connections: HashMap<ConnId, mpsc::Sender<Arc<str>>>,
    pub(crate) recorded: Vec<String>,
    pub(crate) accounts: Vec<(String, String, i64)>,
    /// What came of orders, told when it has been stored.
    pub(crate) answers: Vec<OrderAnswer>,
    pub(crate) stopping: Option<Moment>,
    pub(crate) wal: WalState,
}

/// The write-ahead log of the data file.
#[derive(Clone, Copy, Default)]
pub(crate) struct WalState {
    entries: usize,
    last: Moment,
    /// The background thread has been asked to checkpoint it.
    asked: bool,
}

impl ServerLoop {
    /// Runs until stopped; the error is one of the store, after which nothing may go on.
    pub(crate) async fn run(mut self, mut inputs: mpsc::Receiver<Input>) -> Result<(), Error> {
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
            for (to, outcome) in self.answers.drain(..) {
                // Who asked may have gone.
                let _ = to.send(outcome);
            }
            let done = self.clock.now();
            self.checkpoint_if_due(done);
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

    /// Has the write-ahead log checkpointed aside when it is long, or when nobody waits.
    fn checkpoint_if_due(&mut self, now: Moment) {
        let WalState { entries, last, asked } = self.wal;
        let due = entries >= WAL_ENTRIES || (entries > 0 && now.saturating_sub(last) >= QUIET);
        if due && !asked {
            self.wal.asked = self.background.send(Job::Checkpoint);
        }
    }

    /// Nearly all of the write-ahead log is in the file; the rest is moved here, where nothing is
    /// added to it meanwhile, so that it begins anew.
    fn checkpointed(&mut self) {
        if let Err(error) = store::checkpoint(self.store.connection()) {
            self.background.log("checkpoint-failed", &json!({ "error": error.to_string() }));
        }
        self.wal = WalState::default();
    }

    /// Until when timers are looked at.
    fn due(&self, now: Moment, all: bool) -> Moment {
        if all {
            now.saturating_sub(GRACE).min(self.arrival_times.heard_until(now))
        } else {
            // What waits behind this batch may have come in time as well.
            now.saturating_sub(BACKLOG_GRACE)
        }
    }

    /// How long nothing need be done.
    fn patience(&self) -> Duration {
        let usual = Duration::from_secs(if self.stopping.is_some() { 0 } else { 60 });
        let usual = usual.max(Duration::from_millis(100));
        let now = self.clock.now();
        let due = self.lobby.next_wake().map(|at| (at + GRACE).saturating_sub(now));
        // A moment's rest at least, in which the sockets are looked at.
        let usual = if self.wal.entries > 0 { usual.min(QUIET) } else { usual };
        due.map_or(usual, |due| due.min(usual)).max(Duration::from_millis(1))
    }

    fn close(mut self) -> Result<(), Error> {
        let now = self.clock.both();
        self.lobby.interrupt_all(now);
        self.settle()?;
        self.background.log("stopped", &json!({}));
        Ok(())
    }

    fn take(&mut self, input: Input, now: Now) {
        match input {
            Input::Connected { id, peer, out } => {
                self.metrics.connections.inc();
                if self.lobby.connect(id, &peer, now) {
                    self.connections.insert(id, out);
                    self.background.log("connect", &json!({ "conn": id.0, "peer": peer }));
                } else {
                    // A new connection's queue has room.
                    let _ = out.try_send(Arc::from("##[ERROR] closed: too many connections\n"));
                    self.metrics.turned_away.inc();
                    self.background.log("turned-away", &json!({ "conn": id.0, "peer": peer }));
                }
            }
            Input::Line { id, line, at } => {
                self.metrics.lines.inc();
                if self.player_logs
                    && let Some(name) = self.lobby.player(id)
                {
                    let (Received::Line(text) | Received::NotText(text) | Received::TooLong(text)) =
                        &line;
                    self.background.player(name, '<', text);
                }
                self.lobby.line(id, &line, Now { at, wall: now.wall });
            }
            Input::Gone(id) => {
                if self.connections.remove(&id).is_some() {
                    self.lobby.disconnect(id, now);
                    self.background.log("gone", &json!({ "conn": id.0 }));
                }
            }
            Input::Checked { id, name, result } => {
                let welcome = !matches!(result.checked, Checked::Refused(_));
                let counter = if welcome { &self.metrics.logins } else { &self.metrics.refused };
                counter.inc();
                let event = if welcome { "login" } else { "login-refused" };
                self.background.log(event, &json!({ "conn": id.0, "name": name }));
                if let Some(hash) = result.new_hash {
                    self.accounts.push((name, hash, now.wall));
                }
                self.lobby.checked(id, result.checked, now);
            }
            Input::Recorded(id) => self.recorded.push(id),
            Input::Checkpointed => self.checkpointed(),
            Input::Ratings(ratings) => self.lobby.set_ratings(ratings),
            Input::Status(answer) => {
                // Who asked may have gone.
                let _ = answer.send(self.lobby.status(now));
            }
            Input::Order { text, answer } => {
                let outcome = self.lobby.local_order(&text, now);
                self.answers.push((answer, outcome));
            }
            Input::Stop => {
                self.lobby.drain();
                let deadline = if self.stopping.is_some() { now.at } else { now.at + self.drain };
                self.stopping = Some(deadline);
                self.background.log("stopping", &json!({ "games": self.lobby.running() }));
            }
        }
    }

    /// Stores what is to be stored, then does the rest, until nothing is left.
    fn settle(&mut self) -> Result<(), Error> {
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
                        Effect::Close(id, why) => {
                            let name = self.lobby.player(id).map(str::to_owned);
                            actions.push(Action::Close(id, name, why));
                            self.lobby.disconnect(id, now);
                        }
                        Effect::Check { conn: id, name, secret, register, peer, failures } => {
                            let name = name.to_string();
                            actions.push(Action::CheckLogin(LoginCheck {
                                id,
                                name,
                                secret,
                                register,
                                peer,
                                failures,
                            }));
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
                let open = i64::try_from(self.connections.len()).unwrap_or(i64::MAX);
                self.metrics.open.set(open);
                return Ok(());
            }
            self.commit(&stores)?;
            for stored in &stores {
                self.tell_of(stored);
            }
            self.act(actions, now);
            // The time of whoever is to move now begins when it has been told so.
            self.lobby.delivered(self.clock.now());
        }
    }

    fn commit(&mut self, stores: &[Stored]) -> Result<(), Error> {
        if stores.is_empty() && self.accounts.is_empty() && self.recorded.is_empty() {
            return Ok(());
        }
        let before = Instant::now();
        for attempt in 1.. {
            match self.store.commit(stores, &self.recorded, &self.accounts) {
                Ok(()) => break,
                Err(error) => {
                    self.background.log(
                        "store-failed",
                        &json!({ "attempt": attempt, "error": error.to_string() }),
                    );
                    if attempt == STORE_TRIES {
                        return Err(Error::Store(error));
                    }
                    std::thread::sleep(Duration::from_millis(50) * attempt);
                }
            }
        }
        self.accounts.clear();
        self.recorded.clear();
        self.wal.entries += stores.len() + 1;
        self.wal.last = self.clock.now();
        self.metrics.commits.inc();
        self.metrics.stored.add(before.elapsed());
        Ok(())
    }

    fn tell_of(&mut self, stored: &Stored) {
        match stored {
            Stored::Game { conditions, entry, .. } => match entry {
                Entry::Move { .. } => {
                    self.metrics.moves.inc();
                }
                Entry::Started => {
                    self.metrics.started.inc();
                    self.metrics.running.inc();
                    self.background.log("start", &json!({ "game": conditions.id }));
                }
                Entry::Resumed => {
                    self.metrics.running.inc();
                    self.background.log("resume", &json!({ "game": conditions.id }));
                }
                Entry::Interrupted(_) => {
                    self.metrics.running.dec();
                    self.background.log("interrupt", &json!({ "game": conditions.id }));
                }
                Entry::Ended(finish) => {
                    self.metrics.ended.inc();
                    self.metrics.running.dec();
                    let winner = finish.winner().map(|c| conditions.names[c.index()].clone());
                    let reason = finish.reason().word();
                    let fields =
                        json!({ "game": conditions.id, "reason": reason, "winner": winner });
                    self.background.log("end", &fields);
                    self.background.send(Job::Record(conditions.id.clone()));
                }
            },
            Stored::Annulled { event, stage, round } => {
                let fields = json!({ "event": event, "stage": stage, "round": round });
                self.background.log("annulled", &fields);
            }
            Stored::Order(order) => {
                let fields = json!({ "referee": order.referee, "order": order.text,
                    "answer": order.answer });
                self.background.log("order", &fields);
            }
            Stored::Note(_) => {}
            Stored::Tournament(score) => {
                let fields = json!({ "event": score.event, "stage": score.stage, "round": score.round,
                    "black": score.black, "white": score.white });
                self.background.log("score", &fields);
            }
        }
    }

    fn act(&mut self, actions: Vec<Action>, now: Now) {
        for action in actions {
            match action {
                Action::Send(id, text) => {
                    if self.player_logs
                        && let Some(name) = self.lobby.player(id)
                    {
                        self.background.player(name, '>', &text);
                    }
                    let full =
                        self.connections.get(&id).is_some_and(|out| out.try_send(text).is_err());
                    if full {
                        self.metrics.slow.inc();
                        self.background.log("slow", &json!({ "conn": id.0 }));
                        self.connections.remove(&id);
                        self.lobby.disconnect(id, now);
                    }
                }
                Action::Close(id, name, why) => {
                    if self.connections.remove(&id).is_some() {
                        self.metrics.closed(why);
                        let fields = json!({ "conn": id.0, "name": name, "reason": why.word() });
                        self.background.log("close", &fields);
                    }
                }
                Action::CheckLogin(check) => {
                    let id = check.id;
                    if !self.login_checks.push(check) {
                        // Too many logins at once: come back later.
                        let busy = Checked::Refused(Refusal::Busy);
                        self.lobby.checked(id, busy, now);
                    }
                }
            }
        }
    }
}
