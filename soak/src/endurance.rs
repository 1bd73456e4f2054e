//! Scripted games through everything that can happen.
//!
//! A server in a process of its own is killed and started again, and politely stopped, while many
//! games are played on it over real sockets by players whose connections break, among guests that
//! mean no good. Each game is checked from outside: every move anybody has heard of is there with
//! its time, every time lies between what certainly passed and what can have passed, and the game
//! ends as it was made to end.

mod caller;
mod game;
mod hostile;
mod script;
mod stored;

use crate::Failure;
use crate::subject::{Program, Subject};
use game::ScriptedGame;
use script::{Dice, Script};
use serverd::store;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(crate) struct EnduranceArgs {
    /// Games to play.
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Games at once.
    #[arg(long, default_value_t = 32)]
    at_once: usize,
    /// How often the server is killed or stopped, and started again.
    #[arg(long, default_value_t = 20)]
    restarts: u64,
    /// Hostile guests at once.
    #[arg(long, default_value_t = 3)]
    hostile: u64,
    /// What the games are made from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the data lies; it stays there.
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// Why a game cannot go on as it was.
enum StepError {
    /// The connection is gone.
    ConnectionLost,
    /// Something is not as it must be.
    Wrong(String),
}

#[derive(Default)]
struct Counts {
    finished: AtomicU64,
    moves: AtomicU64,
    clocks: AtomicU64,
    lost: AtomicU64,
    drops: AtomicU64,
    interruptions: AtomicU64,
    hostile: AtomicU64,
    restarts: AtomicU64,
}

/// What all games share.
struct SharedState {
    data: PathBuf,
    port: AtomicU16,
    up: AtomicBool,
    closing: AtomicBool,
    counts: Counts,
    next: AtomicU64,
    accounts: Mutex<Vec<String>>,
    endings: Mutex<BTreeMap<String, u64>>,
    wrongs: Mutex<Vec<String>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SharedState {
    fn port(&self) -> u16 {
        self.port.load(Ordering::Relaxed)
    }

    /// Waits until a server is there.
    async fn until_up(&self) {
        // Let whoever restarts it notice first.
        tokio::time::sleep(Duration::from_millis(20)).await;
        while !self.up.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// An account was made.
    fn remember(&self, name: &str) {
        lock(&self.accounts).push(name.to_owned());
    }

    /// Somebody's account.
    fn account(&self, dice: &mut Dice) -> Option<String> {
        let accounts = lock(&self.accounts);
        accounts.get(dice.roll(accounts.len())).cloned()
    }
}

pub(super) fn run(args: &EnduranceArgs, program: &Program) -> Result<(), Failure> {
    // Removed when it goes out of scope, unless a folder was named.
    let own = tempfile::Builder::new().prefix("soak-").tempdir()?;
    let folder = args.folder.clone().unwrap_or_else(|| own.path().to_owned());
    std::fs::create_dir_all(&folder)?;
    let settings = script::settings(args.at_once);
    let server = Subject::start(program, &folder, 0, &settings)?;
    let shared = Arc::new(SharedState {
        data: folder.join("games.sqlite"),
        port: AtomicU16::new(server.port),
        up: AtomicBool::new(true),
        closing: AtomicBool::new(false),
        counts: Counts::default(),
        next: AtomicU64::new(0),
        accounts: Mutex::default(),
        endings: Mutex::default(),
        wrongs: Mutex::default(),
    });
    let began = Instant::now();
    let (games, seed) = (args.games, args.seed);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    for place in 0..args.at_once {
        runtime.spawn(play_games(Arc::clone(&shared), games, seed, place));
    }
    for number in 0..args.hostile {
        let shared = Arc::clone(&shared);
        runtime.spawn(async move {
            hostile::misbehave_until_the_end(&shared, seed ^ (number + 77)).await;
        });
    }
    let restart = |port| Subject::start(program, &folder, port, &settings);
    let server = oversee(args, &shared, server, restart)?;
    shared.closing.store(true, Ordering::Relaxed);
    let ended_well = server.terminate();
    runtime.shutdown_timeout(Duration::from_secs(10));
    let left = leftovers(&shared, &folder, games);
    report(&shared, began.elapsed())?;
    let mut wrongs = lock(&shared.wrongs).clone();
    wrongs.extend(left);
    if !ended_well {
        wrongs.push("the server did not end well".to_owned());
    }
    match wrongs.as_slice() {
        [] => {
            writeln!(std::io::stdout(), "no game lost, no clock wrong, no result wrong")?;
            Ok(())
        }
        [first, ..] => Err(Failure::Failed(format!("{} games went wrong: {first}", wrongs.len()))),
    }
}

/// Plays games in one place, one after the other.
async fn play_games(shared: Arc<SharedState>, games: u64, seed: u64, place: usize) {
    loop {
        let index = shared.next.fetch_add(1, Ordering::Relaxed);
        if index >= games {
            return;
        }
        let mut game = ScriptedGame::new(&shared, Script::new(seed, index, place), index);
        match game.play().await {
            Ok(reason) => *lock(&shared.endings).entry(reason.to_string()).or_default() += 1,
            Err(why) => {
                // Told at once: the rest may take long.
                let _ = writeln!(std::io::stderr(), "WRONG {why}");
                lock(&shared.wrongs).push(why);
            }
        }
        shared.counts.finished.fetch_add(1, Ordering::Relaxed);
    }
}

/// Kills and stops the server, starts it again, and says how far it is, until all games are over.
fn oversee(
    args: &EnduranceArgs,
    shared: &SharedState,
    mut server: Subject,
    restart: impl Fn(u16) -> Result<Subject, Failure>,
) -> Result<Subject, Failure> {
    let mut dice = Dice::new(args.seed ^ 0x5eed);
    let every = (args.games / (args.restarts + 1)).max(1);
    let mut told = Instant::now();
    let mut due = every;
    loop {
        let finished = shared.counts.finished.load(Ordering::Relaxed);
        if finished >= args.games {
            return Ok(server);
        }
        if finished >= due && shared.counts.restarts.load(Ordering::Relaxed) < args.restarts {
            due += every;
            shared.up.store(false, Ordering::Relaxed);
            if dice.once_in(4) {
                server.terminate();
            } else {
                server.kill();
            }
            server = restart(shared.port())?;
            shared.counts.restarts.fetch_add(1, Ordering::Relaxed);
            shared.up.store(true, Ordering::Relaxed);
        }
        if told.elapsed() >= Duration::from_secs(5) {
            told = Instant::now();
            let wrongs = lock(&shared.wrongs).len();
            writeln!(std::io::stderr(), "{finished} of {} games, {wrongs} wrong", args.games)?;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What is wrong with the data when all is over.
fn leftovers(shared: &SharedState, folder: &std::path::Path, games: u64) -> Vec<String> {
    let mut wrongs = Vec::new();
    let counted = store::reader(&shared.data).and_then(|connection| {
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        Ok((
            count("SELECT COUNT(*) FROM games WHERE ended IS NULL")?,
            count("SELECT COUNT(*) FROM games WHERE ended IS NOT NULL")?,
            connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))?,
        ))
    });
    match counted {
        Err(error) => wrongs.push(format!("the data cannot be read: {error}")),
        Ok((unfinished, finished, sound)) => {
            if unfinished != 0 || u64::try_from(finished) != Ok(games) {
                wrongs.push(format!("{finished} games are over and {unfinished} are not"));
            }
            if sound != "ok" {
                wrongs.push(format!("the data is damaged: {sound}"));
            }
        }
    }
    let records = records(&folder.join("records"));
    if records as u64 != games {
        wrongs.push(format!("{records} records were written"));
    }
    wrongs
}

/// Records that can be read; anything else there counts as one too many.
fn records(folder: &std::path::Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let read = |path: &std::path::Path| {
        let Ok(bytes) = std::fs::read(path) else { return false };
        kifu::read("game.csa", &bytes, kifu::ReadOptions::default()).iter().all(Result::is_ok)
    };
    let count = |path: PathBuf| {
        if path.is_dir() { records(&path) } else { usize::from(read(&path)) }
    };
    entries.flatten().map(|entry| count(entry.path())).sum()
}

fn report(shared: &SharedState, time: Duration) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let counts = &shared.counts;
    let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    writeln!(out, "games          {}", number(&counts.finished))?;
    writeln!(out, "moves          {}", number(&counts.moves))?;
    writeln!(out, "times checked  {}", number(&counts.clocks))?;
    writeln!(out, "restarts       {}", number(&counts.restarts))?;
    writeln!(out, "games broken off by them and taken up  {}", number(&counts.lost))?;
    writeln!(out, "players that left and came back        {}", number(&counts.drops))?;
    writeln!(out, "interruptions  {}", number(&counts.interruptions))?;
    writeln!(out, "hostile guests {}", number(&counts.hostile))?;
    for (reason, count) in lock(&shared.endings).iter() {
        writeln!(out, "{reason:<18} {count}")?;
    }
    for wrong in lock(&shared.wrongs).iter().take(20) {
        writeln!(out, "WRONG {wrong}")?;
    }
    writeln!(out, "seconds        {:.0}", time.as_secs_f64())?;
    Ok(())
}
