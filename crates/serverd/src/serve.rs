//! A server put together: threads, sockets, the data file, from start to stop.

use crate::accounts::{self, Accounts};
use crate::arrival_times::ArrivalTimes;
use crate::background::{self, Background};
use crate::config::{Config, TlsTable};
use crate::connections::{self, Acceptor};
use crate::control::ControlPort;
use crate::error::Error;
use crate::login_queue::LoginQueue;
use crate::metrics::Metrics;
use crate::server_loop::{Input, ServerClock, ServerLoop, WalState};
use crate::status_pages::{self, StatusPages};
use crate::store::{self, Store};
use durable::{InUse, Lock};
use serde_json::json;
use server::Lobby;
use std::collections::HashMap;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::mpsc;
use transport::{Termination, TlsServer};

/// Inputs that may wait for the server loop.
const QUEUE: usize = 8192;

/// How long a stopping server waits until everybody has read what it said last.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Where a running server can be reached.
#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    /// Players connect here.
    pub players: SocketAddr,
    /// The status pages.
    pub status: Option<SocketAddr>,
}

/// Whether a server could start with these settings, as far as files say: lines about what it will do,
/// and what somebody should know who starts it.
pub fn check(config: &Config) -> Result<Vec<String>, Error> {
    if let Some(table) = &config.file.tls {
        open_tls(table)?;
    }
    let (listen, data) = (&config.file.listen, config.file.data.display());
    let mut lines = vec![format!("players connect to {listen}, data in {data}")];
    let tables = config.lobby.timetables.iter();
    lines.extend(tables.map(|table| format!("rounds of {} {}", table.game, table.when_text())));
    let events = config.events.iter();
    lines.extend(
        events.map(|event| {
            format!("tournament {} with {} entrants", event.name, event.entrants.len())
        }),
    );
    let notes = crate::findings::findings(config)?.into_iter();
    lines.extend(notes.map(|note| format!("note: {note}")));
    Ok(lines)
}

/// Sets the password of an account, which is made if there is none; also while the server runs.
pub fn set_password(config: &Config, name: &str, password: &str) -> Result<(), Error> {
    let name = csa::UserName::new(name)?;
    let longest = csa::names::LONGEST_NAME;
    let plain = password.bytes().all(|b| b.is_ascii_graphic());
    if password.is_empty() || password.len() > longest || !plain {
        return Err(Error::Password { longest });
    }
    let hash = accounts::hash(password)?;
    let store = open_store(config)?;
    store::set_account(store.connection(), name.as_str(), &hash, ServerClock::wall())?;
    Ok(())
}

/// A file beside the data file, with the same name and this ending.
pub(crate) fn beside_data(config: &Config, ending: &str) -> Result<PathBuf, Error> {
    let data = &config.file.data;
    // However the file is named, it is one file.
    let folder = data.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let folder = folder.canonicalize().map_err(|error| Error::file(folder, error))?;
    let place = data.canonicalize().unwrap_or_else(|_| {
        data.file_name().map_or_else(|| folder.clone(), |name| folder.join(name))
    });
    let mut path = place.into_os_string();
    path.push(ending);
    Ok(PathBuf::from(path))
}

/// Keeps a second server off the data file: two would each play its own games in it.
fn lock(config: &Config) -> Result<Lock, Error> {
    let path = beside_data(config, ".lock")?;
    match Lock::exclusive(&path).map_err(|error| Error::file(&path, error))? {
        Ok(lock) => Ok(lock),
        Err(InUse) => Err(Error::InUse { data: config.file.data.clone() }),
    }
}

fn open_tls(table: &TlsTable) -> Result<TlsServer, Error> {
    Ok(TlsServer::new(&table.certificate, &table.key)?)
}

fn open_store(config: &Config) -> Result<Store, Error> {
    let data = &config.file.data;
    Store::open(data, config.file.durability).map_err(|error| Error::file(data, error))
}

/// A listening socket, and an error that names the address.
fn bind(address: &str) -> Result<TcpListener, Error> {
    let listener = TcpListener::bind(address);
    let listener = listener.and_then(|listener| {
        transport::widen(&listener)?;
        listener.set_nonblocking(true).map(|()| listener)
    });
    listener.map_err(|source| Error::Listen { address: address.to_owned(), source })
}

/// The sockets of a server.
struct Sockets {
    players: TcpListener,
    status: Option<TcpListener>,
    tls: Option<(TcpListener, TlsServer)>,
}

impl Sockets {
    fn bind(config: &Config) -> Result<Self, Error> {
        let players = bind(&config.file.listen)?;
        let status = match config.file.status.as_str() {
            "" => None,
            address => Some(bind(address)?),
        };
        let tls = match &config.file.tls {
            None => None,
            Some(table) => Some((bind(&table.listen)?, open_tls(table)?)),
        };
        Ok(Self { players, status, tls })
    }

    fn addresses(&self) -> Result<Addresses, Error> {
        let status = self.status.as_ref().map(TcpListener::local_addr).transpose()?;
        Ok(Addresses { players: self.players.local_addr()?, status })
    }
}

/// Runs a server until it is told to stop by a signal. `listening` hears where it can be reached;
/// `terminal` is where a log called `-` goes.
pub fn serve(
    config: &Config,
    terminal: Box<dyn Write + Send>,
    listening: impl FnOnce(Addresses) -> std::io::Result<()>,
) -> Result<(), Error> {
    let _lock = lock(config)?;
    let store = open_store(config)?;
    let sockets = Sockets::bind(config)?;
    let (control, _control_file) = ControlPort::open(config)?;
    let addresses = sockets.addresses()?;
    let Sockets { players, status, tls } = sockets;
    let (inputs, queue) = mpsc::channel(QUEUE);
    let (background, background_thread) = background::start(config, inputs.clone(), terminal)?;
    let clock = ServerClock::start();
    let metrics = Arc::new(Metrics::default());
    let arrival_times = ArrivalTimes::new(clock);
    let login_checks = check_logins(config, inputs.clone())?;
    let server_loop = ServerLoop {
        lobby: open_lobby(config, &store, clock, &background)?,
        store,
        clock,
        arrival_times: Arc::clone(&arrival_times),
        metrics: Arc::clone(&metrics),
        background: background.clone(),
        login_checks: Arc::clone(&login_checks),
        player_logs: config.file.player_logs.is_some(),
        drain: Duration::from_secs(config.file.drain),
        connections: HashMap::new(),
        recorded: Vec::new(),
        accounts: Vec::new(),
        answers: Vec::new(),
        stopping: None,
        wal: WalState::default(),
    };
    let acceptor = Acceptor {
        inputs: inputs.clone(),
        clock,
        arrival_times: None,
        ids: Arc::new(AtomicU64::new(1)),
        open: Arc::new(()),
    };
    // What takes its time, or nobody waits for, has threads of its own.
    let beside =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    {
        let _inside = beside.enter();
        if let Some((listener, tls)) = tls {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            beside.spawn(connections::listen(listener, acceptor.clone(), Some(tls)));
        }
        if let Some(listener) = status {
            let (data, rating) = (config.file.data.clone(), config.rating.clone());
            let pages = StatusPages::new(inputs.clone(), metrics, data, rating);
            beside.spawn(status_pages::serve(tokio::net::TcpListener::from_std(listener)?, pages));
        }
        beside.spawn(control.serve(inputs.clone()));
        beside.spawn(stop_on_signals(Termination::listen(), inputs));
    }
    let runtime = arrival_times.runtime()?;
    let acceptor = Acceptor { arrival_times: Some(arrival_times), ..acceptor };
    let thread = std::thread::Builder::new()
        .name("server loop".to_owned())
        .spawn(move || runtime.block_on(play(server_loop, queue, players, acceptor)))?;
    listening(addresses)?;
    background.log("listening", &json!({ "address": addresses.players.to_string() }));
    let ended = thread.join().map_err(|_| Error::Internal)?;
    login_checks.close();
    beside.shutdown_background();
    background.end();
    let _ = background_thread.join();
    ended
}

/// Plays until stopped, and then until everybody has read what was said last.
async fn play(
    server_loop: ServerLoop,
    queue: mpsc::Receiver<Input>,
    players: TcpListener,
    acceptor: Acceptor,
) -> Result<(), Error> {
    let listener = tokio::net::TcpListener::from_std(players)?;
    let open = Arc::clone(&acceptor.open);
    // The listeners and this function hold one each.
    let idle = Arc::strong_count(&open);
    tokio::spawn(connections::listen(listener, acceptor, None));
    let ended = server_loop.run(queue).await;
    let deadline = tokio::time::Instant::now() + LAST_WORDS;
    while Arc::strong_count(&open) > idle && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    ended
}

/// The lobby as it was when the server last ran.
fn open_lobby(
    config: &Config,
    store: &Store,
    clock: ServerClock,
    background: &Background,
) -> Result<Lobby, Error> {
    let unreadable = |error| Error::file(&config.file.data, error);
    let mut settings = config.lobby.clone();
    let mut seed = [0; 8];
    // Without random numbers the first toss is known beforehand, which harms nobody.
    let _ = getrandom::fill(&mut seed);
    settings.toss = u64::from_le_bytes(seed);
    let patience = settings.patience;
    let now = clock.both();
    let mut lobby = Lobby::new(settings, now);
    lobby.recall(store::notes(store.connection()).map_err(unreadable)?, now);
    lobby.add_known_ids(&store::ids(store.connection()).map_err(unreadable)?);
    let scores = store::scores(store.connection()).map_err(unreadable)?;
    for event in &config.events {
        lobby.add_event(event.clone(), &scores, now);
    }
    for game in store::unfinished(store.connection()).map_err(unreadable)? {
        match game {
            Ok(game) => match game.room(patience) {
                Some(room) => {
                    background.log(
                        "restored",
                        &json!({ "game": game.conditions.id, "moves": game.moves.len() }),
                    );
                    lobby.restore(room, now);
                }
                None => background.log("not-restored", &json!({ "game": game.conditions.id })),
            },
            Err(error) => background.log("not-restored", &json!({ "error": error.to_string() })),
        }
    }
    Ok(lobby)
}

/// Starts the thread that checks passwords.
fn check_logins(config: &Config, inputs: mpsc::Sender<Input>) -> Result<Arc<LoginQueue>, Error> {
    let queue = Arc::new(LoginQueue::default());
    let checks = Arc::clone(&queue);
    let data = &config.file.data;
    let file = store::reader(data).map_err(|error| Error::file(data, error))?;
    let mut accounts = Accounts::new(file, config.file.registration, config.file.guests);
    std::thread::Builder::new().name("accounts".to_owned()).spawn(move || {
        while let Some(check) = checks.pop() {
            let result = accounts.check(&check.name, check.secret.as_deref(), check.register);
            let (id, name) = (check.id, check.name);
            if inputs.blocking_send(Input::Checked { id, name, result }).is_err() {
                return;
            }
        }
    })?;
    Ok(queue)
}

/// An interrupt or a request to terminate stops the server; a second one at once.
async fn stop_on_signals(mut termination: Termination, inputs: mpsc::Sender<Input>) {
    loop {
        termination.requested().await;
        if inputs.send(Input::Stop).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    /// More than the standard library's 128 wait to be accepted, and none of them has to try again.
    #[cfg(target_os = "linux")]
    #[test]
    fn hundreds_may_connect_at_once() {
        let listener = super::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let allowed = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
        let allowed: usize = allowed.trim().parse().unwrap();
        let patience = std::time::Duration::from_secs(60);
        let waiting: Vec<_> = (0..allowed.min(300))
            .map(|_| std::net::TcpStream::connect_timeout(&address, patience).unwrap())
            .collect();
        assert_eq!(waiting.len(), allowed.min(300));
    }
}
