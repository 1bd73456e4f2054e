//! `nue server`: a CSA server.
//!
//! The crate `server` decides, this folder performs: sockets, the data file, the clock, the log.

mod arrivals;
mod config;
mod door;
pub(crate) mod glance;
mod hall;
mod home;
mod http;
mod load;
mod metrics;
mod net;
mod pages;
mod scribe;
mod soak;
mod store;
mod subject;
mod tls;

use crate::failure::{Failure, Outcome};
use ::server::Lobby;
use clap::{Args, Subcommand};
use config::Config;
use hall::{Hall, Input, Question, ServerClock};
use serde_json::json;
use std::collections::HashMap;
use std::io::{BufRead, IsTerminal, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::sync::mpsc;

/// Run a CSA server: games, rounds by the clock, tournaments, ratings.
#[derive(Args)]
pub(crate) struct ServerArgs {
    #[command(subcommand)]
    command: Option<ServerCommand>,
    /// The settings.
    #[arg(long, default_value = "server.toml", global = true)]
    config: PathBuf,
    /// Say whether the settings are right, and do nothing else.
    #[arg(long)]
    check: bool,
}

#[derive(Subcommand)]
enum ServerCommand {
    /// Make a folder with the settings of a ready server.
    Init {
        /// The folder.
        folder: PathBuf,
    },
    /// Set the password of an account; it is read from standard input.
    Account {
        /// The name.
        name: String,
    },
    /// Measure how fast moves are relayed on this machine.
    Bench(load::LoadArgs),
    /// Play scripted games through broken connections, restarts and hostile input, and check that
    /// nothing is lost, no clock is wrong, no result is wrong.
    Soak(soak::SoakArgs),
}

/// Inputs that may wait for the hall.
const QUEUE: usize = 8192;

/// How long a stopping server waits until everybody has read its last words.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Questions that may wait at the door.
const CROWD: usize = 256;

/// Runs the command.
pub(crate) fn run(args: &ServerArgs) -> Outcome {
    match &args.command {
        Some(ServerCommand::Init { folder }) => home::init(folder),
        Some(ServerCommand::Account { name }) => set_password(&load(&args.config)?, name),
        Some(ServerCommand::Bench(load)) => load::run(load),
        Some(ServerCommand::Soak(soak)) => soak::run(soak),
        None if args.check => check(&args.config),
        None => serve(&load(&args.config)?),
    }
}

fn load(path: &Path) -> Result<Config, Failure> {
    Config::load(path).map_err(Failure::failed)
}

fn check(path: &Path) -> Outcome {
    let config = load(path)?;
    if let Some(table) = &config.file.tls {
        tls::Acceptor::new(table).map_err(Failure::failed)?;
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}: fine", path.display())?;
    writeln!(
        out,
        "players connect to {}, data in {}",
        config.file.listen,
        config.file.data.display()
    )?;
    for table in &config.lobby.timetables {
        writeln!(out, "rounds of {} every {} minutes", table.game, table.every / 60)?;
    }
    for event in &config.events {
        writeln!(out, "tournament {} with {} entrants", event.name, event.entrants.len())?;
    }
    Ok(())
}

fn set_password(config: &Config, name: &str) -> Outcome {
    let name = ::csa::UserName::new(name).map_err(|error| Failure::usage(error.to_string()))?;
    if std::io::stdin().is_terminal() {
        write!(std::io::stderr(), "password of {name}: ")?;
    }
    let mut secret = String::new();
    std::io::stdin().lock().read_line(&mut secret)?;
    let secret = secret.trim_end_matches(['\r', '\n']);
    let longest = ::csa::names::LONGEST_NAME;
    if secret.is_empty() || secret.len() > longest || secret.contains(' ') {
        return Err(Failure::usage(format!(
            "a password has 1 to {longest} characters and no spaces"
        )));
    }
    let failed = |error: store::Error| Failure::failed(error.to_string());
    let store = store::Store::open(&config.file.data, config.file.durability).map_err(failed)?;
    let hash = door::hash(secret).ok_or_else(|| Failure::failed("no random numbers to be had"))?;
    store::set_account(store.connection(), name.as_str(), &hash, ServerClock::wall())
        .map_err(failed)?;
    writeln!(std::io::stdout(), "{name} has a password now")?;
    Ok(())
}

/// A listening socket, and an error that names the address.
fn bind(address: &str) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind(address);
    let listener = listener.and_then(|l| l.set_nonblocking(true).map(|()| l));
    listener.map_err(|error| Failure::failed(format!("cannot listen on {address}: {error}")))
}

fn serve(config: &Config) -> Outcome {
    let failed = |error: String| Failure::failed(error);
    let data = &config.file.data;
    let store = store::Store::open(data, config.file.durability)
        .map_err(|error| failed(format!("{}: {error}", data.display())))?;
    let players = bind(&config.file.listen)?;
    let status = match config.file.status.as_str() {
        "" => None,
        address => Some(bind(address)?),
    };
    let tls = match &config.file.tls {
        None => None,
        Some(table) => Some((bind(&table.listen)?, tls::Acceptor::new(table).map_err(failed)?)),
    };
    let (inputs, queue) = mpsc::channel(QUEUE);
    let (scribe, scribbling) = scribe::start(config, inputs.clone()).map_err(failed)?;
    let clock = ServerClock::start();
    let lobby = open_lobby(config, &store, clock, &scribe).map_err(failed)?;
    let door = open_door(config, inputs.clone())?;
    let metrics = Arc::new(metrics::Metrics::default());
    let arrivals = arrivals::Arrivals::new(clock);
    let hall = Hall {
        lobby,
        store,
        clock,
        arrivals: Arc::clone(&arrivals),
        metrics: Arc::clone(&metrics),
        scribe: scribe.clone(),
        door,
        drain: Duration::from_secs(config.file.drain),
        connections: HashMap::new(),
        recorded: Vec::new(),
        accounts: Vec::new(),
        stopping: None,
        logged: hall::Logged::default(),
    };
    let addresses =
        (players.local_addr()?, status.as_ref().map(TcpListener::local_addr).transpose()?);
    let reception = net::Reception {
        inputs: inputs.clone(),
        clock,
        arrivals: None,
        ids: Arc::new(AtomicU64::new(1)),
        open: Arc::new(()),
    };
    // What takes its time, or nobody waits for, has threads of its own.
    let annex =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    {
        let _inside = annex.enter();
        if let Some((listener, acceptor)) = tls {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            annex.spawn(net::listen(listener, reception.clone(), Some(acceptor)));
        }
        if let Some(listener) = status {
            let desk = http::Desk {
                inputs: inputs.clone(),
                metrics,
                data: data.clone(),
                rating: config.rating.clone(),
            };
            annex.spawn(http::serve(tokio::net::TcpListener::from_std(listener)?, desk));
        }
        annex.spawn(stop_on_signals(inputs));
    }
    let floor = arrivals.runtime()?;
    let reception = net::Reception { arrivals: Some(arrivals), ..reception };
    let hall = std::thread::Builder::new()
        .name("hall".to_owned())
        .spawn(move || floor.block_on(play(hall, queue, players, reception)))?;
    // Whoever started us can read here where we are, also when the port was 0.
    let (players, status) = addresses;
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on {players}")?;
    if let Some(status) = status {
        writeln!(out, "status on http://{status}/")?;
    }
    out.flush()?;
    drop(out);
    scribe.log("listening", &json!({ "address": players.to_string() }));
    let ended = hall.join().map_err(|_| failed("the hall has collapsed".to_owned()))?;
    annex.shutdown_background();
    scribe.end();
    let _ = scribbling.join();
    ended.map_err(failed)
}

/// Plays until stopped, and then until everybody has read its last words.
async fn play(
    hall: Hall,
    queue: mpsc::Receiver<Input>,
    players: TcpListener,
    reception: net::Reception,
) -> Result<(), String> {
    let listener = tokio::net::TcpListener::from_std(players).map_err(|error| error.to_string())?;
    let open = Arc::clone(&reception.open);
    // The listeners and this room hold one each.
    let idle = Arc::strong_count(&open);
    tokio::spawn(net::listen(listener, reception, None));
    let ended = hall.run(queue).await;
    let patience = tokio::time::Instant::now() + LAST_WORDS;
    while Arc::strong_count(&open) > idle && tokio::time::Instant::now() < patience {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    ended
}

/// The lobby as it was when the server last ran.
fn open_lobby(
    config: &Config,
    store: &store::Store,
    clock: ServerClock,
    scribe: &scribe::Scribe,
) -> Result<Lobby, String> {
    let mut settings = config.lobby.clone();
    let mut seed = [0; 8];
    // Without random numbers the first toss is known beforehand, which harms nobody.
    let _ = getrandom::fill(&mut seed);
    settings.toss = u64::from_le_bytes(seed);
    let patience = settings.patience;
    let now = clock.both();
    let mut lobby = Lobby::new(settings, now);
    let scores = store::scores(store.connection()).map_err(|error| error.to_string())?;
    for event in &config.events {
        lobby.add_event(event.clone(), &scores, now);
    }
    for game in store::unfinished(store.connection()).map_err(|error| error.to_string())? {
        match game {
            Ok(game) => match game.room(patience) {
                Some(room) => {
                    scribe.log(
                        "restored",
                        &json!({ "game": game.conditions.id, "moves": game.moves.len() }),
                    );
                    lobby.restore(room, now);
                }
                None => scribe.log("not-restored", &json!({ "game": game.conditions.id })),
            },
            Err(error) => scribe.log("not-restored", &json!({ "error": error.to_string() })),
        }
    }
    Ok(lobby)
}

/// The thread that checks passwords.
fn open_door(
    config: &Config,
    inputs: mpsc::Sender<Input>,
) -> Result<std::sync::mpsc::SyncSender<Question>, Failure> {
    let (sender, questions) = std::sync::mpsc::sync_channel::<Question>(CROWD);
    let file = store::reader(&config.file.data)
        .map_err(|error| Failure::failed(format!("{}: {error}", config.file.data.display())))?;
    let mut door = door::Door::new(file, config.file.registration, config.file.guests);
    std::thread::Builder::new().name("door".to_owned()).spawn(move || {
        while let Ok(Question { id, name, secret }) = questions.recv() {
            let answer = door.check(&name, secret.as_deref());
            if inputs.blocking_send(Input::Checked { id, name, answer }).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// An interrupt or a request to terminate stops the server; a second one at once.
async fn stop_on_signals(inputs: mpsc::Sender<Input>) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
        let (Ok(mut terminate), Ok(mut interrupt)) = signals else { return };
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if inputs.send(Input::Stop).await.is_err() {
                return;
            }
        }
    }
    #[cfg(not(unix))]
    while tokio::signal::ctrl_c().await.is_ok() && inputs.send(Input::Stop).await.is_ok() {}
}
