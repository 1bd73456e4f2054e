//! The games of a match that are being played, in a file beside its journal for whoever looks on.
//!
//! A thread of its own writes it, a few times a second at most and whole each time; the match never
//! waits for it, and a disk that is full costs the onlookers their sight and nothing else. The file
//! goes when the match ends. One that was left behind by a match that was killed is told by the lock
//! of the journal, which nobody holds then.

use crate::game::PlayedMove;
use crate::ledger::journal_path;
use crate::opening::Opening;
use crate::record::{Caption, unfinished};
use crate::timed_game::Turn;
use durable::Lock;
use kifu::{CsaVersion, Format, WriteOptions};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The least time between two looks of the file.
const PAUSE: Duration = Duration::from_millis(250);

/// Largest file that is read.
const LARGEST: u64 = 16 << 20;

/// A game that is being played.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LiveGame {
    /// Its number in the schedule.
    pub game: u64,
    /// Names by colour.
    pub players: [String; 2],
    /// Milliseconds both have left, the move that is thought about not counted; `None` without a clock.
    pub left: [Option<u64>; 2],
    /// When it became the turn of whoever is to move, in milliseconds since 1970.
    pub since: u64,
    /// The moves so far, as a record in CSA.
    pub csa: String,
}

/// The file of live games that belongs to a games file.
pub fn live_path(games: &Path) -> PathBuf {
    let mut name = games.as_os_str().to_owned();
    name.push(".live");
    PathBuf::from(name)
}

/// The games being played in the match of that games file; none where it is not under way.
pub fn read(games: &Path) -> Vec<LiveGame> {
    let path = live_path(games);
    let small = fs::metadata(&path).is_ok_and(|m| m.len() <= LARGEST);
    if !small || !Lock::is_held(&journal_path(games)) {
        return Vec::new();
    }
    let text = fs::read(&path).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

struct Running {
    opening: Opening,
    caption: Caption,
    moves: Vec<PlayedMove>,
    left: [Option<Duration>; 2],
    since: SystemTime,
}

impl Running {
    fn told(&self, game: u64) -> LiveGame {
        let record = unfinished(&self.opening, &self.moves, &self.caption);
        let options = WriteOptions { csa: CsaVersion::V30, ..WriteOptions::default() };
        let csa = kifu::to_bytes(&record, Format::Csa, &options)
            .map(|(bytes, _)| String::from_utf8_lossy(&bytes).into_owned());
        let since = self.since.duration_since(UNIX_EPOCH).unwrap_or_default();
        LiveGame {
            game,
            players: self.caption.names.clone(),
            left: self.left.map(|left| left.map(millis)),
            since: millis(since),
            csa: csa.unwrap_or_default(),
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[derive(Default)]
struct State {
    games: BTreeMap<u64, Running>,
    /// Something has happened since the file was written.
    news: bool,
    over: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file while the match is played; it goes with this value.
pub struct LiveFile {
    shared: Arc<Shared>,
    path: PathBuf,
    writer: Option<JoinHandle<()>>,
}

impl LiveFile {
    /// For the match of that games file.
    pub fn new(games: &Path) -> Self {
        let (shared, path) = (Arc::<Shared>::default(), live_path(games));
        let (seen, target) = (Arc::clone(&shared), path.clone());
        let writing = move || write_on(&seen, &target);
        // Without a thread nobody sees the games until they are over, which is no reason to stop.
        let writer = std::thread::Builder::new().name("live games".to_owned()).spawn(writing).ok();
        Self { shared, path, writer }
    }

    /// A game begins.
    pub fn begin(&mut self, game: u64, opening: &Opening, caption: Caption, now: SystemTime) {
        let left = caption.controls.map(|control| control.clock.map(|clock| clock.main));
        let opening = opening.clone();
        let running = Running { opening, caption, moves: Vec::new(), left, since: now };
        self.change(|games| {
            games.insert(game, running);
        });
    }

    /// It is somebody's turn.
    pub fn turn(&mut self, game: u64, turn: Turn, now: SystemTime) {
        self.change(|games| {
            if let Some(running) = games.get_mut(&game) {
                running.moves.extend(turn.last);
                (running.left, running.since) = (turn.left, now);
            }
        });
    }

    /// A game is over.
    pub fn end(&mut self, game: u64) {
        self.change(|games| {
            games.remove(&game);
        });
    }

    fn change(&self, act: impl FnOnce(&mut BTreeMap<u64, Running>)) {
        let mut state = self.shared.lock();
        act(&mut state.games);
        state.news = true;
        drop(state);
        self.shared.changed.notify_one();
    }
}

impl Drop for LiveFile {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.changed.notify_one();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
        let _ = fs::remove_file(&self.path);
    }
}

fn write_on(shared: &Shared, path: &Path) {
    let mut draft = OsString::from(path);
    draft.push(".new");
    let draft = PathBuf::from(draft);
    loop {
        let mut state = shared.lock();
        while !state.news && !state.over {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.over {
            return;
        }
        state.news = false;
        let told: Vec<LiveGame> =
            state.games.iter().map(|(&game, running)| running.told(game)).collect();
        drop(state);
        // Put in place whole, so that nobody reads half of it; what is lost with the machine is of
        // no use to anybody.
        let written = serde_json::to_vec(&told)
            .map_err(std::io::Error::other)
            .and_then(|bytes| fs::write(&draft, bytes))
            .and_then(|()| os::files::replace(&draft, path));
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        }
        let state = shared.lock();
        let paused = shared.changed.wait_timeout_while(state, PAUSE, |state| !state.over);
        if paused.map_or(true, |(state, _)| state.over) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{AnyPosition, Game};
    use std::time::Instant;

    fn until(what: impl Fn() -> bool) {
        let begun = Instant::now();
        while !what() {
            assert!(begun.elapsed() < Duration::from_secs(30), "nothing was written");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn games_are_seen_while_they_are_played_and_not_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games.csa");
        let start = AnyPosition::startpos(Game::Shogi);
        let (m, opening) = (start.parse_usi("7g7f").unwrap(), Opening::even(Game::Shogi));
        let caption = Caption { names: ["a".into(), "b".into()], ..Caption::default() };
        let now = UNIX_EPOCH + Duration::from_millis(5000);
        let lock = Lock::exclusive(&journal_path(&games)).unwrap().unwrap();
        let mut live = LiveFile::new(&games);
        live.begin(3, &opening, caption.clone(), now);
        live.begin(4, &opening, caption, now);
        until(|| read(&games).len() == 2);
        let time = Duration::from_millis(1500);
        let last = Some(PlayedMove { played: m, time, info: None });
        let left = [Some(Duration::from_secs(9)), None];
        live.turn(3, Turn { last, left }, now);
        live.turn(99, Turn { last: None, left }, now);
        until(|| read(&games).iter().any(|g| g.csa.contains("+7776FU")));
        let told = read(&games);
        assert_eq!((told[0].game, told[0].left, told[0].since), (3, [Some(9000), None], 5000));
        assert_eq!(told[0].players, ["a", "b"]);
        assert!(told[0].csa.contains("T1.5"), "{}", told[0].csa);
        live.end(3);
        until(|| read(&games).len() == 1);
        // The match has died: what it left behind is no running game.
        drop(lock);
        assert!(read(&games).is_empty() && live_path(&games).exists());
        drop(live);
        assert!(!live_path(&games).exists());
        fs::write(live_path(&games), "[{").unwrap();
        let _lock = Lock::exclusive(&journal_path(&games)).unwrap().unwrap();
        assert!(read(&games).is_empty(), "what cannot be read is nothing");
    }
}
