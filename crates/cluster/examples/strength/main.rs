//! What many engines are worth, in games on a virtual clock.
//!
//! ```text
//! cargo run --release -p cluster --example strength -- COMMAND
//!   learn OPENINGS FOLDER [--games 40] [--nodes 1000] [--judge 20000] [--threads 1]
//!   play OPENINGS GAMES.tsv [--games 400] [--nodes 1000] [--threads 1] [--seconds 3600] [--topic NAME] [--only TEXT] [--weights FOLDER]
//!   table GAMES.tsv…
//! ```
//!
//! Both sides are masters as in `nue cluster`; their children are real engines whose milliseconds are
//! counted in nodes, so that a core of this machine stands for any number of theirs. A core more is that many
//! nodes more: threads are taken to be perfect. `play` goes through all pairings pair of games by pair of games, so
//! that all of them have some before any has all; every game is a line of the file as soon as it is played, and
//! what is there already is not played again. `--only` plays the pairings whose names have the text. After the
//! seconds no game is begun. `learn` plays councils from
//! openings that `play` does not use and learns from their disagreements what each vote is worth; without its
//! folder the pairings with learned weights are left out.

mod engines;
mod games;
mod learning;
mod pairings;

use cluster::simulation::{DuelSettings, play_duel};
use engines::EngineSet;
use games::{Game, GamesFile};
use pairings::{Pairing, pairings};
use rules::{AnyPosition, Color};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use think::STACK;

/// Milliseconds of virtual time for a move.
const MOVETIME: u64 = 1000;

/// The longest game.
const PLIES: u32 = 320;

/// What was asked for: words, and numbers by their names.
struct Arguments {
    words: Vec<String>,
    named: BTreeMap<String, String>,
}

impl Arguments {
    fn read() -> Self {
        let (mut words, mut named) = (Vec::new(), BTreeMap::new());
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.strip_prefix("--") {
                Some(name) => {
                    let value = args.next().unwrap_or_else(|| panic!("--{name} needs a value"));
                    named.insert(name.to_owned(), value);
                }
                None => words.push(arg),
            }
        }
        Self { words, named }
    }

    fn path(&self, place: usize) -> &Path {
        Path::new(self.words.get(place).expect("see the head of this example for what it needs"))
    }

    fn number(&self, name: &str, usual: usize) -> usize {
        let read = |text: &String| text.parse().unwrap_or_else(|_| panic!("--{name} {text}"));
        self.named.get(name).map_or(usual, read)
    }
}

fn openings(path: &Path) -> Vec<AnyPosition> {
    let text = std::fs::read_to_string(path).expect("a file of openings");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let position = |line: &str| match usi::Command::parse(line) {
        Ok(usi::Command::Position(position)) => position.resolve(rules::Game::Shogi).ok(),
        _ => None,
    };
    let openings: Vec<AnyPosition> = lines.filter_map(position).collect();
    assert!(!openings.is_empty(), "{} has no openings", path.display());
    openings
}

/// Pairs of games from one opening, spread over the file.
fn settings(openings: &[AnyPosition], number: usize) -> DuelSettings {
    DuelSettings {
        start: openings[(number / 2) * 37 % openings.len()].clone(),
        color: if number.is_multiple_of(2) { Color::Black } else { Color::White },
        movetime: MOVETIME,
        plies: PLIES,
    }
}

/// Does that many jobs on that many threads with stacks that are deep enough.
fn in_threads(threads: usize, jobs: usize, job: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= jobs {
                return;
            }
            job(number);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
}

fn play(arguments: &Arguments) {
    let openings = openings(arguments.path(1));
    let nodes = arguments.number("nodes", 1000) as f64;
    let limit = Duration::from_secs(arguments.number("seconds", 3600) as u64);
    let topic = arguments.named.get("topic").map_or("", String::as_str);
    let folder = arguments.named.get("weights").map(PathBuf::from);
    let all = pairings(folder.as_deref());
    let only = arguments.named.get("only").map_or("", String::as_str);
    let is_wanted = |pairing: &&Pairing| pairing.is_about(topic) && pairing.name().contains(only);
    let wanted: Vec<&Pairing> = all.iter().filter(is_wanted).collect();
    let head = format!("nodes {nodes}, {} openings", openings.len());
    let (file, played) = GamesFile::open(arguments.path(2), &head);
    let file = Mutex::new(file);
    let engines = EngineSet::load();
    let begun = Instant::now();
    let pairs = arguments.number("games", 400).div_ceil(2);
    in_threads(arguments.number("threads", 1), pairs * wanted.len() * 2, |job| {
        let pairing = wanted[job / 2 % wanted.len()];
        let number = job / 2 / wanted.len() * 2 + job % 2;
        if begun.elapsed() > limit || played.contains(&(pairing.name(), number)) {
            return;
        }
        let started = Instant::now();
        let speed = nodes * pairing.pace / MOVETIME as f64;
        let sides = [pairing.first.side(&engines, speed), pairing.second.side(&engines, speed)];
        let report = play_duel(sides, &settings(&openings, number));
        let millis = started.elapsed().as_millis() as u64;
        let game = Game { pairing: pairing.name(), number, millis, report };
        file.lock().expect("no thread has failed").write(&game);
    });
    print(&games::table(&all, &games::read(&[arguments.path(2)])));
}

fn print(text: &str) {
    // Where nobody reads it there is nobody to tell.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

fn main() {
    let arguments = Arguments::read();
    match arguments.words.first().map(String::as_str) {
        Some("learn") => learning::learn(&arguments),
        Some("play") => play(&arguments),
        Some("table") => {
            let files: Vec<&Path> = arguments.words[1..].iter().map(Path::new).collect();
            let folder = arguments.named.get("weights").map(PathBuf::from);
            print(&games::table(&pairings(folder.as_deref()), &games::read(&files)));
        }
        other => panic!("{other:?}: learn, play or table; see the head of this example"),
    }
}
