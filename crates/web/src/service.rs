//! Everything the server holds: games in memory and on disk, the pool of engines, who watches what.

use crate::books::BookList;
use crate::live_game::{Connection, LiveGame, Seat};
use crate::outbox::Outbox;
use crate::pool::{Pool, PoolConfig};
use crate::store::{self, Part, Store};
use crate::watch::WatchSource;
use board::error::{ApiError, ErrorCode};
use board::game::Game;
use board::game::{Dates, GameSummary, Games, status};
use board::hello::{EngineFacts, EvaluationNames, Hello, LimitFacts, Scales, Watchable};
use board::level::{self, LevelGame};
use board::message::{ANALYSES, LINES, ServerMessage, WatchAnswer};
use board::rate::Bucket;
use board::setup::{GameSettings, Opponent};
use board::tree;
use board::watch::{WatchData, WatchKind};
use board::words::Words;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use think::Moment;

/// Connections at a time, of everybody and of one visitor.
pub const CONNECTIONS: (usize, usize) = (2000, 32);

/// Largest body of a request.
pub const BYTES: usize = 1 << 20;

/// Requests of one visitor in a second, and at once.
const RATE: (f64, f64) = (40.0, 300.0);

/// Games by which a level adapts.
const ADAPTING: usize = 40;

/// Milliseconds since 1970.
pub type Wall = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Random bytes.
pub type Random = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// What a service is made of.
pub struct Services {
    /// Engines.
    pub pool: PoolConfig,
    /// Games on disk.
    pub store: Store,
    /// What can be watched.
    pub watch: Arc<dyn WatchSource>,
    /// Opening books.
    pub books: BookList,
    pub wall: Wall,
    /// Random numbers for sessions, ids and sides.
    pub random: Random,
    /// What the engine evaluates with, for each game.
    pub evaluation: [String; 2],
    /// Scale of its win rates, for each game.
    pub scales: Scales,
    /// The version told.
    pub version: String,
}

/// What all visitors share: engines, stored games, live games.
pub struct BoardService {
    pool: Pool,
    store: Mutex<Store>,
    live_games: Mutex<HashMap<String, Arc<LiveGame>>>,
    watchers: Mutex<HashMap<(WatchKind, Connection), Arc<Outbox>>>,
    rates: Mutex<HashMap<String, Bucket>>,
    guests: Mutex<HashMap<String, usize>>,
    connected: AtomicUsize,
    connections: AtomicU64,
    watch: Arc<dyn WatchSource>,
    books: BookList,
    wall: Wall,
    random: Random,
    evaluation: [String; 2],
    scales: Scales,
    version: String,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl BoardService {
    /// A service, ready to be visited.
    pub fn new(services: Services) -> std::io::Result<Arc<Self>> {
        let pool = Pool::new(services.pool)?;
        Ok(Arc::new(Self {
            pool,
            store: Mutex::new(services.store),
            live_games: Mutex::default(),
            watchers: Mutex::default(),
            rates: Mutex::default(),
            guests: Mutex::default(),
            connected: AtomicUsize::new(0),
            connections: AtomicU64::new(0),
            watch: services.watch,
            books: services.books,
            wall: services.wall,
            random: services.random,
            evaluation: services.evaluation,
            scales: services.scales,
            version: services.version,
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

    pub(crate) const fn book_list(&self) -> &BookList {
        &self.books
    }

    /// The time by the clock that was passed in.
    pub fn now(&self) -> Moment {
        self.pool.config().time.now()
    }

    /// Milliseconds since 1970 by the calendar that was passed in.
    pub fn wall(&self) -> i64 {
        (self.wall)()
    }

    /// What can be watched.
    pub fn watch(&self) -> &Arc<dyn WatchSource> {
        &self.watch
    }

    /// A word nobody can guess, of that many random bytes.
    pub fn secret(&self, bytes: usize) -> String {
        const LETTERS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut random = vec![0; bytes];
        (self.random)(&mut random);
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
    pub fn enter(self: &Arc<Self>, visitor: &str) -> Option<ConnectionGuard> {
        let mut guests = locked(&self.guests);
        let here = guests.entry(visitor.to_owned()).or_default();
        if *here >= CONNECTIONS.1 || self.connected.load(Ordering::Relaxed) >= CONNECTIONS.0 {
            return None;
        }
        *here += 1;
        self.connected.fetch_add(1, Ordering::Relaxed);
        let connection = self.connections.fetch_add(1, Ordering::Relaxed) + 1;
        Some(ConnectionGuard { service: Arc::clone(self), visitor: visitor.to_owned(), connection })
    }

    /// A new game.
    pub fn open_game(
        self: &Arc<Self>,
        visitor: &str,
        settings: &GameSettings,
    ) -> Result<Arc<LiveGame>, ApiError> {
        let mut seed = [0; 8];
        (self.random)(&mut seed);
        let known = |id: &str| self.pool.engine(id).map(|e| (e.name.clone(), e.plays.clone()));
        // What is drawn must survive a JavaScript number.
        let seed = u64::from_le_bytes(seed) >> 12;
        let mut settings = settings.clone();
        if matches!(settings.opponent, Opponent::Level { adaptive: true, .. }) {
            settings.adapt(&self.level_games(visitor)?, &known, seed)?;
        }
        let setup = settings.resolve(&known, seed)?;
        self.check_book(visitor, setup.book.as_deref(), setup.game())?;
        let seats = setup.opponent.is_friend().then(|| {
            let name = settings.name.clone().unwrap_or_default();
            [rules::Color::Black, rules::Color::White].map(|color| Seat {
                key: self.secret(12),
                player: setup.you.has(color).then(|| (visitor.to_owned(), name.clone())),
            })
        });
        let game = Game::new(setup)?;
        let (id, wall) = (self.secret(12), self.wall());
        {
            let mut store = self.store();
            store.free_a_place(visitor, wall)?;
            store.save(&id, visitor, &game, wall)?;
            if let Some(seats) = &seats {
                store.save_seats(&id, seats)?;
            }
        }
        let dates = Dates { created: wall, updated: wall };
        let live = Arc::new(LiveGame::new(id.clone(), visitor.to_owned(), game, dates, seats));
        locked(&self.live_games).insert(id, Arc::clone(&live));
        live.think(&mut live.lock(), self);
        Ok(live)
    }

    /// A visitor's games against our levels, the oldest first.
    fn level_games(&self, visitor: &str) -> Result<Vec<LevelGame>, ApiError> {
        let part = Part { limit: ADAPTING, ..Part::ALL };
        let mut entries = self.store().list(visitor, &part)?;
        entries.reverse();
        let played =
            |entry: &store::Entry| entry.setup.level_game(entry.ending?, entry.plies as usize);
        Ok(entries.iter().filter_map(played).collect())
    }

    /// A game that visitor may see, from memory or from disk.
    pub fn game(&self, visitor: &str, id: &str) -> Result<Arc<LiveGame>, ApiError> {
        let missing = || ApiError::missing(format!("there is no game {id:?}"));
        let mut live_games = locked(&self.live_games);
        if let Some(live) = live_games.get(id) {
            return if live.is_open_to(visitor) { Ok(Arc::clone(live)) } else { Err(missing()) };
        }
        let kept = self.store().load(id)?.ok_or_else(missing)?;
        let id = id.to_owned();
        let live = LiveGame::new(id.clone(), kept.owner, kept.game, kept.dates, kept.seats);
        if !live.is_open_to(visitor) {
            return Err(missing());
        }
        let live = Arc::new(live);
        live_games.insert(id, Arc::clone(&live));
        Ok(live)
    }

    /// Puts a game into the bin.
    pub fn delete(&self, visitor: &str, id: &str) -> Result<(), ApiError> {
        let live = {
            let mut live_games = locked(&self.live_games);
            let own = live_games.get(id).is_some_and(|live| live.owner == visitor);
            if own { live_games.remove(id) } else { None }
        };
        if let Some(live) = live {
            live.close();
        }
        found(self.store().delete(id, visitor, self.wall())?, "game", id)
    }

    /// Takes a game out of the bin.
    pub fn restore(&self, visitor: &str, id: &str) -> Result<(), ApiError> {
        found(self.store().restore(id, visitor)?, "deleted game", id)
    }

    /// Games nobody follows leave memory.
    pub fn tidy(&self) {
        locked(&self.live_games).retain(|_, live| Arc::strong_count(live) > 1 || !live.is_idle());
    }

    /// Looks at the clocks of all games in memory.
    pub fn look_at_clocks(self: &Arc<Self>) {
        let live_games: Vec<Arc<LiveGame>> =
            locked(&self.live_games).values().map(Arc::clone).collect();
        for live in live_games {
            live.look_at_clock(self);
        }
    }

    /// The visitor's games.
    pub fn list(&self, visitor: &str, part: &Part) -> Result<Games, ApiError> {
        let strength = level::strength(&self.level_games(visitor)?);
        let store = self.store();
        let entries = store.list(visitor, part)?;
        let games = entries.into_iter().map(|entry| summary(entry, visitor)).collect();
        let [here, deleted] = store.counts(visitor)?;
        let total = if part.deleted { deleted } else { here };
        Ok(Games { games, total: total as u32, deleted: deleted as u32, strength })
    }

    /// Scale of the win rates of an engine; `None` for our own.
    pub fn scale(&self, engine: Option<&str>, game: rules::Game) -> f64 {
        let registered = |id| self.pool().engine(id).map_or_else(Scales::default, |e| e.scale);
        engine.map_or(self.scales, registered).of(game)
    }

    /// Scales of our own engine.
    pub const fn scales(&self) -> Scales {
        self.scales
    }

    /// The record of a game.
    pub fn record(&self, visitor: &str, id: &str) -> Result<kifu::Record, ApiError> {
        let live = self.game(visitor, id)?;
        let record = tree::of_game(&live.lock().game);
        drop(live);
        self.tidy();
        record
    }

    /// Watches something from a connection.
    pub fn add_watcher(&self, what: WatchKind, connection: Connection, outbox: &Arc<Outbox>) {
        locked(&self.watchers).insert((what, connection), Arc::clone(outbox));
    }

    /// Watches no longer.
    pub fn remove_watcher(&self, what: WatchKind, connection: Connection) {
        locked(&self.watchers).remove(&(what, connection));
    }

    /// Whether somebody watches it.
    pub fn is_watched(&self, what: WatchKind) -> bool {
        locked(&self.watchers).keys().any(|(w, _)| *w == what)
    }

    /// Tells everybody who watches.
    pub fn show(&self, what: WatchKind, data: &Arc<WatchData>) {
        for ((w, _), outbox) in locked(&self.watchers).iter() {
            if *w == what {
                let data = Arc::clone(data);
                outbox.stream(&format!("watch:{}", what.word()), false, move || {
                    Some(ServerMessage::Watch(WatchAnswer { what, data: (*data).clone() }))
                });
            }
        }
    }

    /// What the page is told first.
    pub fn hello(&self) -> Hello {
        let config = self.pool.config();
        let [shogi, minishogi] = self.evaluation.clone();
        let own = EngineFacts {
            id: "nue".to_owned(),
            name: "Nue".to_owned(),
            own: true,
            variants: rules::Game::ALL.map(Into::into).to_vec(),
            scale: self.scales,
            evaluation: Some(EvaluationNames { shogi, minishogi }),
        };
        let others = config.engines.iter().map(|e| EngineFacts {
            id: e.id.clone(),
            name: e.name.clone(),
            own: false,
            variants: e.plays.iter().map(|&game| game.into()).collect(),
            scale: e.scale,
            evaluation: None,
        });
        let limits = LimitFacts {
            threads: config.threads as u32,
            hash_mib: config.hash as u32,
            multipv: LINES,
            games: store::GAMES as u32,
            studies: store::STUDIES as u32,
            bytes: BYTES as u32,
            analyses: ANALYSES as u32,
        };
        let engines = std::iter::once(own).chain(others).collect();
        Hello::new(self.version.clone(), engines, limits, self.watchable())
    }

    /// What can be watched.
    pub fn watchable(&self) -> Watchable {
        Watchable {
            server: self.watch.has(WatchKind::Server),
            matches: self.watch.has(WatchKind::Match),
            learn: self.watch.has(WatchKind::Learn),
            fleet: self.watch.has(WatchKind::Fleet),
            cluster: self.watch.has(WatchKind::Cluster),
        }
    }
}

/// An error where there was nothing of that id.
pub(crate) fn found(there: bool, what: &str, id: &str) -> Result<(), ApiError> {
    if there { Ok(()) } else { Err(ApiError::missing(format!("there is no {what} {id:?}"))) }
}

fn summary(entry: store::Entry, visitor: &str) -> GameSummary {
    let you = entry.side(visitor);
    let mut opponent = entry.setup.opponent_view();
    if let Some(name) = entry.name_against(you) {
        opponent.name = Words::new(name, name);
    }
    GameSummary {
        game: entry.id,
        variant: entry.setup.game().into(),
        opponent,
        handicap: entry.setup.handicap,
        you,
        owned: entry.owner == visitor,
        status: status(entry.ending),
        ending: entry.ending.map(board::ending::view),
        plies: entry.plies,
        sfen: entry.sfen,
        last: entry.last,
        created: entry.dates.created,
        updated: entry.dates.updated,
    }
}

/// Somebody is connected; dropped, not any more.
pub struct ConnectionGuard {
    service: Arc<BoardService>,
    pub visitor: String,
    /// By which connection.
    pub connection: Connection,
}

impl ConnectionGuard {
    /// The service.
    pub const fn service(&self) -> &Arc<BoardService> {
        &self.service
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        let mut guests = locked(&self.service.guests);
        if let Some(here) = guests.get_mut(&self.visitor) {
            *here -= 1;
            if *here == 0 {
                guests.remove(&self.visitor);
            }
        }
        drop(guests);
        self.service.connected.fetch_sub(1, Ordering::Relaxed);
        locked(&self.service.watchers).retain(|(_, c), _| *c != self.connection);
    }
}

/// Too many connections.
pub fn too_many_connections() -> ApiError {
    ApiError::new(ErrorCode::TooMany, "there are too many connections")
}
