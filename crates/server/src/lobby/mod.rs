//! Everybody on the server: connections, logins, who waits for whom, games, watchers.
//!
//! The lobby is told what arrives and what time it is, and collects effects, to be performed in
//! their order. It decides nothing by looking at a clock, a file or a socket.

mod bans;
mod buoys;
mod closing;
mod conversation;
mod event;
mod extended;
mod leaving;
mod login;
mod matching;
mod notes;
mod orders;
mod pausing;
mod referee;
mod rounds;
pub mod settings;
mod status;
mod suspension;
mod watching;

pub use buoys::{Fork, Source};
pub use closing::Closing;
pub use event::{EventSettings, Kind as EventKind};
pub use login::{Checked, Refusal};
pub use notes::{Note, NoteKind};
pub use orders::{ORDERS, Order};
pub use settings::{Limits, Offer, Pairing, Repeat, Settings, Timetable, When};
pub use status::{EventStatus, GameStatus, Status};

use crate::conditions::Conditions;
use crate::room::{self, Entry, Moment, Room};
use csa::{GameName, UserName};
use event::Event;
use rules::Color;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// What time it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Now {
    /// Monotonic, from the server's origin.
    pub at: Moment,
    /// Seconds since the beginning of 1970.
    pub wall: i64,
}

/// A connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConnId(pub u64);

/// A room of this run of the server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RoomKey(u64);

/// What the lobby wants done.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Make this durable before performing what follows.
    Store(Stored),
    /// Send these lines.
    Send(ConnId, Arc<str>),
    /// Close a connection when what was sent before has gone out.
    Close(ConnId, Closing),
    /// Find out whether somebody may log in; answered with [`Lobby::checked`].
    Check {
        conn: ConnId,
        name: UserName,
        /// `None` for a guest.
        secret: Option<String>,
        /// Whether a name that is not known may become an account with this secret.
        register: bool,
        /// Where it comes from, and how often somebody from there has been wrong lately: others
        /// come first.
        peer: String,
        failures: u32,
    },
    /// Look up a game that is over, for somebody who wants to fork it; answered with
    /// [`Lobby::found`].
    Find { conn: ConnId, fork: Fork },
}

/// What is stored.
#[derive(Clone, PartialEq, Debug)]
pub enum Stored {
    /// Something about a game; its first entry is [`Entry::Started`].
    Game { conditions: Arc<Conditions>, entry: Entry, wall: i64 },
    /// A result of a tournament.
    Tournament(TournamentResult),
    /// The results of a round of a tournament are void: it is played again.
    Annulled { event: String, stage: usize, round: usize },
    /// What else must be known after a restart.
    Note(Note),
    /// What the referee ordered.
    Order(Order),
}

/// A result of a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TournamentResult {
    pub event: String,
    /// From 0.
    pub stage: usize,
    /// From 0.
    pub round: usize,
    pub black: String,
    pub white: String,
    pub winner: Option<Color>,
    /// The game, if one was played.
    pub game: Option<String>,
}

/// The game somebody waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GameRequest {
    game: GameName,
    color: Option<Color>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum ConnectionState {
    /// Has not logged in.
    New,
    /// Waits for its password to be checked.
    Checking {
        name: UserName,
        wait: Option<GameRequest>,
        extended: bool,
        password: String,
    },
    /// Logged in, and not playing.
    Idle,
    Playing(RoomKey, Color),
}

struct Connection {
    peer: String,
    state: ConnectionState,
    name: Option<UserName>,
    /// Logged in with the right secret.
    known: bool,
    /// What a guest came with, which is no secret but must be the same when it comes back.
    password: String,
    extended: bool,
    /// What it waits for now.
    waiting: Option<GameRequest>,
    /// What it asked for when it came, for `CHALLENGE`.
    wanted: Option<GameRequest>,
    /// Since when it could have played.
    ready: Moment,
    last_line: Moment,
    allowance: f64,
    refilled: Moment,
    offences: u32,
    watching: Vec<RoomKey>,
    /// Has not played since it logged in.
    fresh: bool,
    /// An empty line to be sent back.
    echo: bool,
    /// Nothing more is heard from it.
    closing: bool,
}

/// A game of the server with whoever is connected to it.
struct OpenRoom {
    room: Room,
    players: [Option<ConnId>; 2],
    watchers: Vec<(ConnId, bool)>,
    timer: Option<Moment>,
    /// The tournament it belongs to.
    event: Option<usize>,
    /// Since when it waits for its players.
    suspended: Option<Moment>,
    /// Whose prepared opening it has.
    buoy: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Timer {
    Room(RoomKey),
    Login(ConnId),
    Echo(ConnId),
    Round(usize),
    Event(usize),
    /// The round of that tournament is to be stored.
    Kept(usize),
    Abandon(RoomKey),
}

/// Everybody who is connected, and everything they wait for or play.
pub struct Lobby {
    settings: Settings,
    connections: HashMap<ConnId, Connection>,
    /// Connections of those logged in.
    present: HashMap<UserName, ConnId>,
    rooms: HashMap<RoomKey, OpenRoom>,
    /// Games that run or are proposed, by player.
    playing: HashMap<String, RoomKey>,
    /// Games waiting for both players.
    suspended: Vec<RoomKey>,
    /// Who waits for a game, by its name, first come first.
    waiting: HashMap<String, Vec<ConnId>>,
    buoys: HashMap<String, buoys::Buoy>,
    /// Passwords of guests that have a game to finish.
    seats: HashMap<String, String>,
    bans: HashMap<String, bans::Ban>,
    /// Games and tournaments the referee has stopped, by id and by name: they go on when the
    /// referee says so.
    paused: HashSet<String>,
    /// Since when (in seconds since 1970) games restored have been waiting for their players.
    waiting_since: HashMap<String, i64>,
    /// What was stored of tournaments that have yet to be added.
    of_events: Vec<(NoteKind, String, Vec<i64>)>,
    /// Wrong passwords by address: how many, since when.
    failures: HashMap<String, (u32, Moment)>,
    per_address: HashMap<String, usize>,
    ratings: HashMap<String, f64>,
    history: rounds::History,
    events: Vec<Event>,
    timers: BTreeSet<(Moment, Timer)>,
    next_room: u64,
    /// Digests of the ids of all games there have been.
    issued: HashSet<u64>,
    toss: seed::Rng,
    draining: bool,
    out: Vec<Effect>,
    /// Games in which a turn began that its player has not been told of.
    turns: Vec<RoomKey>,
}

impl Lobby {
    /// An empty server.
    pub fn new(settings: Settings, now: Now) -> Self {
        let mut lobby = Self {
            toss: seed::Rng::new(settings.toss),
            settings,
            connections: HashMap::new(),
            present: HashMap::new(),
            rooms: HashMap::new(),
            playing: HashMap::new(),
            suspended: Vec::new(),
            waiting: HashMap::new(),
            buoys: HashMap::new(),
            seats: HashMap::new(),
            bans: HashMap::new(),
            paused: HashSet::new(),
            waiting_since: HashMap::new(),
            of_events: Vec::new(),
            failures: HashMap::new(),
            per_address: HashMap::new(),
            ratings: HashMap::new(),
            history: rounds::History::default(),
            events: Vec::new(),
            timers: BTreeSet::new(),
            next_room: 0,
            issued: HashSet::new(),
            draining: false,
            out: Vec::new(),
            turns: Vec::new(),
        };
        for index in 0..lobby.settings.timetables.len() {
            lobby.schedule_round(index, now);
        }
        lobby
    }

    /// What is to be done, in this order.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.out)
    }

    /// The effects taken have been performed: turns that began with them begin at this moment, so
    /// that what the server needed to store and send is nobody's time.
    pub fn delivered(&mut self, at: Moment) {
        for key in std::mem::take(&mut self.turns) {
            if let Some(open) = self.rooms.get_mut(&key) {
                open.room.delivered(at);
                self.set_room_timer(key);
            }
        }
    }

    /// Who is logged in on a connection.
    pub fn player(&self, id: ConnId) -> Option<&str> {
        self.connections.get(&id)?.name.as_ref().map(UserName::as_str)
    }

    /// Ratings, by which rounds are paired.
    pub fn set_ratings(&mut self, ratings: HashMap<String, f64>) {
        self.ratings = ratings;
    }

    /// From now on no game begins.
    pub fn drain(&mut self) {
        self.draining = true;
    }

    /// How many games run.
    pub fn running(&self) -> usize {
        self.rooms.values().filter(|open| open.room.is_running()).count()
    }

    /// Interrupts every game, to be taken up again after a restart.
    pub fn interrupt_all(&mut self, now: Now) {
        self.drain();
        let mut keys: Vec<RoomKey> = self.rooms.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            if let Some(open) = self.rooms.get_mut(&key) {
                let effects = open.room.interrupt(None);
                self.perform(key, effects, now);
            }
        }
    }

    /// When [`Lobby::wake`] has something to do.
    pub fn next_wake(&self) -> Option<Moment> {
        self.timers.first().map(|&(at, _)| at)
    }

    /// Does everything that is due.
    pub fn wake(&mut self, now: Now) {
        while let Some(&(at, timer)) = self.timers.first() {
            if at > now.at {
                break;
            }
            self.timers.pop_first();
            match timer {
                Timer::Room(key) => {
                    let Some(open) = self.rooms.get_mut(&key) else { continue };
                    open.timer = None;
                    let effects = open.room.wake(now.at);
                    self.perform(key, effects, now);
                }
                Timer::Login(id) => {
                    let late = |c: &Connection| {
                        matches!(c.state, ConnectionState::New | ConnectionState::Checking { .. })
                    };
                    if self.connections.get(&id).is_some_and(late) {
                        self.close(id, Closing::LoginTimeout);
                    }
                }
                Timer::Echo(id) => {
                    if let Some(connection) = self.connections.get_mut(&id) {
                        connection.echo = false;
                        self.send(id, "");
                    }
                }
                Timer::Round(index) => self.play_round(index, now),
                Timer::Event(index) => self.wake_event(index, now),
                Timer::Kept(index) => self.keep_round(index, now),
                Timer::Abandon(key) => self.abandon(key, now),
            }
        }
    }

    fn send(&mut self, to: ConnId, text: &str) {
        self.out.push(Effect::Send(to, Arc::from(format!("{text}\n"))));
    }

    fn timer(&mut self, at: Moment, timer: Timer) {
        self.timers.insert((at, timer));
    }

    fn open_room(
        &mut self,
        room: Room,
        players: [Option<ConnId>; 2],
        event: Option<usize>,
    ) -> RoomKey {
        self.next_room += 1;
        let key = RoomKey(self.next_room);
        let open = OpenRoom {
            room,
            players,
            watchers: Vec::new(),
            timer: None,
            event,
            suspended: None,
            buoy: None,
        };
        self.rooms.insert(key, open);
        key
    }

    /// Performs what a room wants.
    fn perform(&mut self, key: RoomKey, effects: Vec<room::Effect>, now: Now) {
        for effect in effects {
            match effect {
                room::Effect::Store(entry) => {
                    let Some(open) = self.rooms.get(&key) else { continue };
                    let conditions = Arc::clone(open.room.conditions());
                    if matches!(entry, Entry::Started | Entry::Resumed | Entry::Move { .. }) {
                        self.turns.push(key);
                    }

                    let (begins, goes_on) = (entry == Entry::Started, entry == Entry::Resumed);
                    let id = goes_on.then(|| conditions.id.clone());
                    let stored = Stored::Game { conditions, entry, wall: now.wall };
                    self.out.push(Effect::Store(stored));
                    if begins {
                        self.keep_seats(key);
                    }
                    if let Some(id) = id {
                        self.waits_no_longer(&id);
                    }
                }
                room::Effect::Tell(to, text) => {
                    let player = self.rooms.get(&key).and_then(|open| open.players[to.index()]);
                    if let Some(conn) = player {
                        self.send(conn, &text);
                    }
                }
                room::Effect::Show(text) => self.show(key, &text, now),
                room::Effect::Now(state) => self.change(key, &state, now),
            }
        }
        self.set_room_timer(key);
    }

    fn set_room_timer(&mut self, key: RoomKey) {
        let Some(open) = self.rooms.get_mut(&key) else { return };
        let wanted = open.room.deadline();
        if open.timer == wanted {
            return;
        }
        if let Some(old) = open.timer {
            self.timers.remove(&(old, Timer::Room(key)));
        }
        open.timer = wanted;
        if let Some(at) = wanted {
            self.timers.insert((at, Timer::Room(key)));
        }
    }

    /// Heads or tails.
    fn toss(&mut self) -> bool {
        self.toss.below(2) == 0
    }

    /// How long after the request an empty line is sent back.
    const ECHO: Duration = Duration::from_millis(200);
}

#[cfg(test)]
mod tests;
