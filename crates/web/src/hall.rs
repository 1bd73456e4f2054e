//! Everything the server holds: games in memory and on disk, the pool of engines, who watches what.

use crate::bout::Bout;
use crate::level::LEVELS;
use crate::mailbox::Mailbox;
use crate::pool::{Means, Pool};
use crate::rate::Bucket;
use crate::room::{Connection, Room};
use crate::setup::Wish;
use crate::store::{self, Store};
use crate::tree;
use crate::trouble::{Code, Trouble};
use crate::watch::{Watch, What};
use kifu::Format;
use rules::{AnyPosition, Declaration, Game, Handicap};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use think::Moment;

/// Connections at a time, of everybody and of one visitor.
pub const CONNECTIONS: (usize, usize) = (2000, 32);

/// Analyses of one connection at a time.
pub const ANALYSES: usize = 4;

/// Lines of an analysis.
pub const LINES: u32 = 10;

/// Largest body of a request.
pub const BYTES: usize = 1 << 20;

/// Requests of one visitor in a second, and at once.
const RATE: (f64, f64) = (40.0, 300.0);

/// Milliseconds since 1970.
pub type Wall = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Random bytes.
pub type Chance = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// What a hall is made of.
pub struct Furniture {
    /// Engines.
    pub means: Means,
    /// Games on disk.
    pub store: Store,
    /// What can be watched.
    pub watch: Arc<dyn Watch>,
    /// The date.
    pub wall: Wall,
    /// Random numbers for sessions, ids and sides.
    pub chance: Chance,
    /// What the engine evaluates with, for each game.
    pub evaluation: [String; 2],
    /// The version told.
    pub version: String,
}

/// The hall.
pub struct Hall {
    pool: Pool,
    store: Mutex<Store>,
    rooms: Mutex<HashMap<String, Arc<Room>>>,
    watchers: Mutex<HashMap<(What, Connection), Arc<Mailbox>>>,
    rates: Mutex<HashMap<String, Bucket>>,
    guests: Mutex<HashMap<String, usize>>,
    connected: AtomicUsize,
    connections: AtomicU64,
    watch: Arc<dyn Watch>,
    wall: Wall,
    chance: Chance,
    evaluation: [String; 2],
    version: String,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hall {
    /// A hall, ready to be visited.
    pub fn new(furniture: Furniture) -> std::io::Result<Arc<Self>> {
        let pool = Pool::new(furniture.means)?;
        Ok(Arc::new(Self {
            pool,
            store: Mutex::new(furniture.store),
            rooms: Mutex::default(),
            watchers: Mutex::default(),
            rates: Mutex::default(),
            guests: Mutex::default(),
            connected: AtomicUsize::new(0),
            connections: AtomicU64::new(0),
            watch: furniture.watch,
            wall: furniture.wall,
            chance: furniture.chance,
            evaluation: furniture.evaluation,
            version: furniture.version,
        }))
    }

    /// The engines.
    pub const fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The file of games.
    pub fn store(&self) -> MutexGuard<'_, Store> {
        locked(&self.store)
    }

    /// Now.
    pub fn now(&self) -> Moment {
        self.pool.means().time.now()
    }

    /// The date.
    pub fn wall(&self) -> i64 {
        (self.wall)()
    }

    /// What can be watched.
    pub fn watch(&self) -> &Arc<dyn Watch> {
        &self.watch
    }

    /// A word nobody can guess, of that many random bytes.
    pub fn secret(&self, bytes: usize) -> String {
        const LETTERS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut random = vec![0; bytes];
        (self.chance)(&mut random);
        random.iter().map(|b| LETTERS[usize::from(b & 63)] as char).collect()
    }

    /// Whether a visitor may ask once more now.
    pub fn may_ask(&self, visitor: &str) -> bool {
        let now = self.now();
        let mut rates = locked(&self.rates);
        if rates.len() > 10_000 {
            rates.retain(|_, bucket| !bucket.is_full(now));
        }
        let new = || Bucket::new(RATE.0, RATE.1, now);
        rates.entry(visitor.to_owned()).or_insert_with(new).take(now)
    }

    /// A connection comes; `None` where there are too many.
    pub fn enter(self: &Arc<Self>, visitor: &str) -> Option<Presence> {
        let mut guests = locked(&self.guests);
        let here = guests.entry(visitor.to_owned()).or_default();
        if *here >= CONNECTIONS.1 || self.connected.load(Ordering::Relaxed) >= CONNECTIONS.0 {
            return None;
        }
        *here += 1;
        self.connected.fetch_add(1, Ordering::Relaxed);
        let connection = self.connections.fetch_add(1, Ordering::Relaxed) + 1;
        Some(Presence { hall: Arc::clone(self), visitor: visitor.to_owned(), connection })
    }

    /// A new game.
    pub fn open_game(self: &Arc<Self>, visitor: &str, wish: &Wish) -> Result<Arc<Room>, Trouble> {
        let mut seed = [0; 8];
        (self.chance)(&mut seed);
        let known = |id: &str| self.pool.engine(id).map(|e| (e.name.clone(), e.plays.clone()));
        // What is drawn must survive a JavaScript number.
        let setup = wish.resolve(&known, u64::from_le_bytes(seed) >> 12)?;
        let bout = Bout::new(setup)?;
        let (id, wall) = (self.secret(12), self.wall());
        {
            let mut store = self.store();
            store.make_room(visitor)?;
            store.save(&id, visitor, &bout, wall)?;
        }
        let room = Arc::new(Room::new(id.clone(), visitor.to_owned(), bout, wall, wall));
        locked(&self.rooms).insert(id, Arc::clone(&room));
        room.think(&mut room.lock(), self);
        Ok(room)
    }

    /// A game of that visitor, from memory or from disk.
    pub fn game(&self, visitor: &str, id: &str) -> Result<Arc<Room>, Trouble> {
        let missing = || Trouble::missing(format!("there is no game {id:?}"));
        let mut rooms = locked(&self.rooms);
        if let Some(room) = rooms.get(id) {
            return if room.owner == visitor { Ok(Arc::clone(room)) } else { Err(missing()) };
        }
        let kept = self.store().load(id, visitor)?.ok_or_else(missing)?;
        let (id, owner) = (id.to_owned(), visitor.to_owned());
        let room = Arc::new(Room::new(id.clone(), owner, kept.bout, kept.created, kept.updated));
        rooms.insert(id, Arc::clone(&room));
        Ok(room)
    }

    /// Forgets a game.
    pub fn forget(&self, visitor: &str, id: &str) -> Result<(), Trouble> {
        let room = {
            let mut rooms = locked(&self.rooms);
            let own = rooms.get(id).is_some_and(|room| room.owner == visitor);
            if own { rooms.remove(id) } else { None }
        };
        if let Some(room) = room {
            room.close();
        }
        if self.store().forget(id, visitor)? {
            Ok(())
        } else {
            Err(Trouble::missing(format!("there is no game {id:?}")))
        }
    }

    /// Games nobody follows leave memory.
    pub fn tidy(&self) {
        locked(&self.rooms).retain(|_, room| Arc::strong_count(room) > 1 || !room.is_idle());
    }

    /// Looks at the clocks of all games in memory.
    pub fn look_at_clocks(self: &Arc<Self>) {
        let rooms: Vec<Arc<Room>> = locked(&self.rooms).values().map(Arc::clone).collect();
        for room in rooms {
            room.look_at_clock(self);
        }
    }

    /// The visitor's games.
    pub fn list(&self, visitor: &str) -> Result<Value, Trouble> {
        let games: Vec<Value> = self.store().list(visitor)?.iter().map(listed).collect();
        Ok(json!({ "games": games }))
    }

    /// The record of a game.
    pub fn record(&self, visitor: &str, id: &str) -> Result<kifu::Record, Trouble> {
        let room = self.game(visitor, id)?;
        let record = tree::of_bout(&room.lock().bout);
        drop(room);
        self.tidy();
        record
    }

    /// Watches something from a connection.
    pub fn attend(&self, what: What, connection: Connection, mailbox: &Arc<Mailbox>) {
        locked(&self.watchers).insert((what, connection), Arc::clone(mailbox));
    }

    /// No longer.
    pub fn turn_away(&self, what: What, connection: Connection) {
        locked(&self.watchers).remove(&(what, connection));
    }

    /// Whether somebody watches it.
    pub fn is_watched(&self, what: What) -> bool {
        locked(&self.watchers).keys().any(|(w, _)| *w == what)
    }

    /// Tells everybody who watches.
    pub fn show(&self, what: What, data: &Arc<Value>) {
        for ((w, _), mailbox) in locked(&self.watchers).iter() {
            if *w == what {
                let data = Arc::clone(data);
                mailbox.stream(&format!("watch:{}", what.word()), false, move || {
                    Some(json!({ "type": "watch", "what": what.word(), "data": *data }))
                });
            }
        }
    }

    /// What there is.
    pub fn hello(&self) -> Value {
        let means = self.pool.means();
        let own = json!({ "id": "nue", "name": "Nue", "own": true,
            "variants": Game::ALL.map(Game::name),
            "evaluation": { "shogi": self.evaluation[0], "minishogi": self.evaluation[1] } });
        let others = means.engines.iter().map(|e| {
            let plays: Vec<&str> = e.plays.iter().map(|g| g.name()).collect();
            json!({ "id": e.id, "name": e.name, "own": false, "variants": plays })
        });
        let engines: Vec<Value> = std::iter::once(own).chain(others).collect();
        let levels: Vec<Value> = LEVELS
            .iter()
            .map(|l| json!({ "id": l.id, "name": l.name, "text": l.text, "ms": l.time.as_millis() as u64 }))
            .collect();
        let handicaps: Vec<Value> = Handicap::ALL
            .into_iter()
            .map(|h| {
                json!({ "id": h.name(), "sfen": h.sfen(),
                "name": { "en": english(h), "ja": h.kanji() } })
            })
            .collect();
        let watch = |what: What| self.watch.has(what);
        let formats = [Format::Kif, Format::Ki2, Format::Csa, Format::Jkf, Format::Usi];
        let formats = formats.map(Format::name);
        json!({
            "version": self.version,
            "variants": [variant(Game::Shogi), variant(Game::Minishogi)],
            "handicaps": handicaps,
            "levels": levels,
            "engines": engines,
            "formats": formats,
            "encodings": ["utf-8", "shift_jis"],
            "limits": { "threads": means.threads, "hashMib": means.hash, "multipv": LINES,
                "games": store::GAMES, "bytes": BYTES, "analyses": ANALYSES },
            "watch": { "server": watch(What::Server), "match": watch(What::Match), "learn": watch(What::Learn) },
        })
    }
}

fn variant(game: Game) -> Value {
    let (en, ja, hand, rules) = match game {
        Game::Shogi => ("Shogi", "将棋", "RBGSNLP", {
            use Declaration as D;
            vec![D::Points27, D::Points24, D::Points27H, D::Points24H, D::Try, D::None]
        }),
        Game::Minishogi => ("Minishogi", "５五将棋", "RBGSP", vec![Declaration::None]),
    };
    let hand: Vec<String> = hand.chars().map(String::from).collect();
    let rules: Vec<&str> = rules.into_iter().map(Declaration::name).collect();
    json!({ "id": game.name(), "size": game.size(), "start": AnyPosition::startpos(game).sfen(),
        "name": { "en": en, "ja": ja }, "hand": hand, "declarations": rules })
}

fn english(handicap: Handicap) -> &'static str {
    match handicap {
        Handicap::Even => "Even",
        Handicap::Lance => "Lance",
        Handicap::RightLance => "Right lance",
        Handicap::Bishop => "Bishop",
        Handicap::Rook => "Rook",
        Handicap::RookLance => "Rook and lance",
        Handicap::Two => "Two pieces",
        Handicap::Three => "Three pieces",
        Handicap::Four => "Four pieces",
        Handicap::Five => "Five pieces",
        Handicap::LeftFive => "Five pieces (left knight)",
        Handicap::Six => "Six pieces",
        Handicap::LeftSeven => "Seven pieces (left silver)",
        Handicap::RightSeven => "Seven pieces (right silver)",
        Handicap::Eight => "Eight pieces",
        Handicap::Ten => "Ten pieces",
    }
}

fn listed(game: &store::Entry) -> Value {
    json!({
        "game": game.id, "variant": game.setup.variant, "handicap": game.setup.handicap,
        "you": game.setup.you, "opponent": game.setup.opponent_view(),
        "status": if game.ending.is_some() { "over" } else { "playing" },
        "ending": game.ending.map(|e| e.view()), "plies": game.plies, "sfen": game.sfen,
        "last": game.last, "created": game.created, "updated": game.updated,
    })
}

/// Somebody is connected; dropped, not any more.
pub struct Presence {
    hall: Arc<Hall>,
    /// Who.
    pub visitor: String,
    /// By which connection.
    pub connection: Connection,
}

impl Presence {
    /// The hall.
    pub const fn hall(&self) -> &Arc<Hall> {
        &self.hall
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut guests = locked(&self.hall.guests);
        if let Some(here) = guests.get_mut(&self.visitor) {
            *here -= 1;
            if *here == 0 {
                guests.remove(&self.visitor);
            }
        }
        drop(guests);
        self.hall.connected.fetch_sub(1, Ordering::Relaxed);
        locked(&self.hall.watchers).retain(|(_, c), _| *c != self.connection);
    }
}

/// Too many connections.
pub fn crowded() -> Trouble {
    Trouble::new(Code::TooMany, "there are too many connections")
}
