//! Runs of generations. A script stands for the trainer in PyTorch: it writes a net of random numbers, and
//! notes what it was asked.

use features::{Labels, Planes};
use infer::Shape;
use infer::native::{Architecture, Floats};
use lab::ledger::Ledger;
use reinforce::RunError;
use reinforce::nets::Players;
use reinforce::plan::{LoopSettings, NetSettings, Preset};
use reinforce::records::PlayProgress;
use reinforce::run::{Ended, Machine, Run, Watcher};
use reinforce::training::Trainer;
use rules::Game;
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use teacher::Reader;
use think::WallTime;

const GAME: Game = Game::Minishogi;

fn settings() -> LoopSettings {
    let mut settings = Preset::Caps.settings(GAME);
    settings.games = 12;
    settings.window = 2;
    settings.net = NetSettings { planes: "minishogi".to_owned(), blocks: 1, channels: 32 };
    settings.play.playouts = 8;
    settings.play.fast_playouts = 3;
    settings.play.max_moves = 40;
    settings
}

/// The script, and where it notes what it was asked.
fn trainer(place: &Path) -> Trainer {
    let shape = Shape { game: GAME, planes: Planes::Minishogi, labels: Labels::Minishogi };
    let sizes = Architecture { shape, blocks: 1, channels: 32, value_channels: 3, value_hidden: 8 };
    let net = place.join("random.nuedf");
    Floats::random(sizes, 1).write(&mut fs::File::create(&net).unwrap()).unwrap();
    let script = format!(
        "#!/bin/sh\nfor word; do test \"$before\" = --out && out=$word; before=$word; done\n\
         echo \"$@\" >> '{}'\ncp '{}' \"$out\" && echo state > \"$out.checkpoint\"\n",
        place.join("asked").display(),
        net.display()
    );
    let python = place.join("trainer");
    fs::write(&python, script).unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    Trainer { python, device: "cpu".to_owned(), program: "nue".into(), words: Vec::new() }
}

/// Sets `stop` after so many games.
struct Looker<'a> {
    games: u64,
    after: u64,
    stop: &'a AtomicBool,
}

impl Watcher for Looker<'_> {
    fn step(&mut self, _: &str) {}
    fn note(&mut self, _: &str) {}
    fn played(&mut self, _: &PlayProgress) {
        self.games += 1;
        self.stop.fetch_or(self.games >= self.after, Ordering::Relaxed);
    }
    fn step_over(&mut self) {}
}

struct Place {
    folder: tempfile::TempDir,
    settings: LoopSettings,
    threads: usize,
}

impl Place {
    fn new(threads: usize) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), settings: settings(), threads }
    }

    fn lab(&self) -> PathBuf {
        self.folder.path().join("lab")
    }

    fn run(&self, generations: u32, after: u64, minutes: Option<f64>) -> Result<Ended, RunError> {
        let machine = Machine {
            threads: NonZeroUsize::new(self.threads).unwrap(),
            games: None,
            players: Players::Native { calibration: 8 },
            trainer: trainer(self.folder.path()),
            version: "0".to_owned(),
        };
        let stop = AtomicBool::new(false);
        let time = Arc::new(WallTime::start());
        let run = Run::open(&self.lab(), self.settings.clone(), &machine, time, &stop)?;
        let until = minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes));
        run.run(generations, until, &mut Looker { games: 0, after, stop: &stop })
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.lab().join(name)).unwrap()
    }

    /// What a run comes to, but for times.
    fn files(&self, generation: u32) -> (String, String, Vec<teacher::Game>) {
        let name = |file: &str| format!("generation-{generation:04}/{file}");
        let games = fs::File::open(self.lab().join(name("games.teacher"))).unwrap();
        let games = Reader::new(games).unwrap().games().map(Result::unwrap).collect();
        (self.text(&name("plan.json")), self.text(&name("review.json")), games)
    }
}

#[test]
fn a_run_that_was_broken_off_is_the_same_run() {
    let (whole, parts) = (Place::new(1), Place::new(2));
    assert_eq!(whole.run(2, u64::MAX, None).unwrap(), Ended::Generations);
    // In the first games, in those of the second generation, and after the last.
    for after in [5, 13] {
        assert!(matches!(parts.run(2, after, None), Err(RunError::Interrupted)));
    }
    // A generation that was begun counts as one.
    assert_eq!(parts.run(1, u64::MAX, None).unwrap(), Ended::Generations);
    for generation in 1..=2 {
        assert_eq!(parts.files(generation), whole.files(generation));
    }
    let ledger: Ledger = parts.text("ledger.toml").parse().unwrap();
    assert_eq!(ledger.generations.len(), 2);
    let last = &ledger.generations[1];
    assert_eq!((last.games, last.parent.clone()), (12, ledger.generations[0].net.clone()));
    assert!(parts.lab().join("current.nuedf").is_file());
}

/// The trainer learns from the window, from the net before, with paths that a moved folder keeps.
#[test]
fn the_window_moves_and_so_may_the_folder() {
    let place = Place::new(1);
    place.run(1, u64::MAX, None).unwrap();
    let moved = place.folder.path().join("elsewhere");
    fs::rename(place.lab(), &moved).unwrap();
    fs::rename(&moved, place.lab()).unwrap();
    place.run(2, u64::MAX, None).unwrap();
    let asked = fs::read_to_string(place.folder.path().join("asked")).unwrap();
    let lines: Vec<&str> = asked.lines().collect();
    assert!(!lines[0].contains("--init") && lines[0].contains("--out generation-0001/net.nuedf"));
    let data = "--data generation-0003/games.teacher generation-0002/games.teacher --out";
    assert!(lines[2].contains(data), "{}", lines[2]);
    assert!(lines[2].contains("--init generation-0002/net.nuedf.checkpoint"), "{}", lines[2]);
}

#[test]
fn other_settings_are_refused_by_name() {
    let mut place = Place::new(1);
    place.run(1, u64::MAX, None).unwrap();
    place.settings.play.playouts = 9;
    let told = place.run(1, u64::MAX, None).unwrap_err().to_string();
    assert!(told.contains("play.playouts is 8 there and 9 here"), "{told}");
    // How the work is done may change.
    place.settings.play.playouts = 8;
    place.threads = 2;
    assert!(place.run(1, u64::MAX, None).is_ok());
}

#[test]
fn the_time_ends_a_run_that_can_go_on() {
    let mut place = Place::new(1);
    place.settings.games = 100_000;
    assert_eq!(place.run(1, u64::MAX, Some(0.02)).unwrap(), Ended::Time);
    assert!(!place.lab().join("generation-0001/games.teacher").exists());
    assert!(place.lab().join("generation-0001/plan.json").exists());
}

/// A trainer that fails ends the run with its command, and nothing is lost.
#[test]
fn a_trainer_that_fails_is_told() {
    let place = Place::new(1);
    let script = place.folder.path().join("trainer");
    let mut failing = trainer(place.folder.path());
    fs::write(&script, "#!/bin/sh\nexit 3\n").unwrap();
    failing.python = script;
    let machine = Machine {
        threads: NonZeroUsize::MIN,
        games: None,
        players: Players::Native { calibration: 8 },
        trainer: failing,
        version: "0".to_owned(),
    };
    let stop = AtomicBool::new(false);
    let time = Arc::new(WallTime::start());
    let run = Run::open(&place.lab(), settings(), &machine, time, &stop).unwrap();
    let looker = &mut Looker { games: 0, after: u64::MAX, stop: &stop };
    let told = run.run(1, None, looker).unwrap_err().to_string();
    assert!(told.contains("-m nue_trainer deep") && told.contains('3'), "{told}");
    drop(run);
    assert!(place.lab().join("generation-0001/games.teacher").is_file());
    assert_eq!(place.run(1, u64::MAX, None).unwrap(), Ended::Generations);
}
