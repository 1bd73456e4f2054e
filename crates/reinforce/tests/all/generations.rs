//! Runs of generations. A script stands for the trainer in PyTorch: it writes a net of random numbers, and
//! notes what it was asked.

use features::{Labels, Planes};
use infer::Shape;
use infer::native::{Architecture, Floats};
use lab::ledger::Ledger;
use reinforce::RunError;
use reinforce::nets::{KeptWorkers, Players};
use reinforce::plan::{Gate, LoopSettings, MeasuredTable, NetSettings, Preset};
use reinforce::records::PlayProgress;
use reinforce::report::Report;
use reinforce::run::{Ended, Machine, Run, Watcher};
use reinforce::temperatures::Measurement;
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
use think::{TimeSource, WallTime};

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
pub(crate) fn trainer(place: &Path) -> Trainer {
    let shape = Shape { game: GAME, planes: Planes::Minishogi, labels: Labels::Minishogi };
    let sizes = Architecture { shape, blocks: 1, channels: 32, value_channels: 3, value_hidden: 8 };
    let net = place.join("random.nuedf");
    Floats::random(sizes, 1).write(&mut fs::File::create(&net).unwrap()).unwrap();
    let script = format!(
        "#!/bin/sh\necho '{{\"protocol\":\"nue-orders\",\"version\":1}}'\nwhile read -r order; do\n\
         set -- $(printf %s \"$order\" | tr -d '[\"]' | tr , ' ')\n\
         for word; do test \"$before\" = --out && out=$word; before=$word; done\n\
         echo \"$@\" >> '{}'\ncp '{}' \"$out\" && echo state > \"$out.checkpoint\"\n\
         echo '{{\"done\":{{}}}}'\ndone\n",
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

/// A folder with a run in it.
pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) settings: LoopSettings,
    threads: usize,
}

impl Place {
    pub(crate) fn new(threads: usize) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), settings: settings(), threads }
    }

    pub(crate) fn lab(&self) -> PathBuf {
        self.folder.path().join("lab")
    }

    pub(crate) fn run(
        &self,
        generations: u32,
        after: u64,
        minutes: Option<f64>,
    ) -> Result<Ended, RunError> {
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

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.lab().join(name)).unwrap()
    }

    /// What a run comes to, but for times.
    pub(crate) fn files(&self, generation: u32) -> (String, String, Vec<teacher::Game>) {
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

/// The same where a generation is played while the one before learns: by the net before that.
#[test]
fn play_and_training_side_by_side_are_the_same_run_too() {
    let (mut whole, mut parts) = (Place::new(1), Place::new(2));
    (whole.settings.side_by_side, parts.settings.side_by_side) = (true, true);
    assert_eq!(whole.run(3, u64::MAX, None).unwrap(), Ended::Generations);
    let is_over = |n: u32| parts.lab().join(format!("generation-{n:04}/entry.toml")).is_file();
    // In the first games; in those played while the first generation learns, whether it is done by then or not; and
    // in the third.
    for after in [5, 15, 14] {
        assert!(matches!(parts.run(3, after, None), Err(RunError::Interrupted)));
        assert!(!is_over(3));
    }
    while !is_over(3) {
        assert_eq!(parts.run(1, u64::MAX, None).unwrap(), Ended::Generations);
    }
    for generation in 1..=3 {
        assert_eq!(parts.files(generation), whole.files(generation));
        let player = if generation < 3 { "null" } else { "1" };
        let plan = whole.files(generation).0;
        assert!(plan.contains(&format!("\"player\": {player},")), "{plan}");
    }
    let ledger: Ledger = parts.text("ledger.toml").parse().unwrap();
    assert_eq!(ledger.generations.len(), 3);
}

/// A net that does not win its match does not play; broken off in the match or not, the verdict is the same.
#[test]
fn a_gate_keeps_out_what_does_not_win() {
    let gate = |least| Some(Gate { games: 6, least });
    let (mut whole, mut parts) = (Place::new(1), Place::new(2));
    (whole.settings.gate, parts.settings.gate) = (gate(1.0), gate(1.0));
    whole.run(3, u64::MAX, None).unwrap();
    assert!(matches!(parts.run(3, 12 + 12 + 3, None), Err(RunError::Interrupted)));
    assert!(parts.lab().join("generation-0002/net.nuedf").is_file(), "in the match");
    parts.run(2, u64::MAX, None).unwrap();
    for generation in 1..=3 {
        assert_eq!(parts.files(generation), whole.files(generation));
        let name = format!("generation-{generation:04}/gate.json");
        assert_eq!(parts.text(&name), whole.text(&name));
    }
    let ledger: Ledger = parts.text("ledger.toml").parse().unwrap();
    let accepted: Vec<bool> = ledger.generations.iter().map(|entry| entry.accepted).collect();
    assert_eq!(accepted, [true, false, false], "the same net never wins everything");
    let verdict = &ledger.generations[2].verdict;
    assert!(verdict.contains("of 6 games against generation 1"), "{verdict}");
    assert!(parts.files(3).0.contains("\"player\": 1,"));
    let mut open = Place::new(1);
    open.settings.gate = gate(0.0);
    open.run(3, u64::MAX, None).unwrap();
    assert!(open.files(3).0.contains("\"player\": 2,"));
}

/// What a temperature costs is measured in the run, and counts from the next generation on.
#[test]
fn a_table_is_measured_on_the_way() {
    let mut place = Place::new(2);
    place.settings.measured_table = Some(MeasuredTable { every: 2, games: 4 });
    place.run(3, u64::MAX, None).unwrap();
    let tables = [1, 2, 3].map(|n| place.lab().join(format!("generation-{n:04}/table.json")));
    assert_eq!(tables.each_ref().map(|path| path.is_file()), [false, true, false]);
    let table: serde_json::Value =
        serde_json::from_str(&place.text("generation-0002/table.json")).unwrap();
    let plan: serde_json::Value = serde_json::from_str(&place.files(3).0).unwrap();
    assert_eq!(plan["balance"]["table"], table);
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

/// What a run recorded becomes tables and pictures; a folder that has something in it is left alone.
#[test]
fn a_run_is_told_from_what_it_recorded() {
    let mut place = Place::new(2);
    place.settings.games = 60;
    place.settings.balance = Some(balance::Settings { every: 5, ..balance::Settings::default() });
    place.run(2, u64::MAX, None).unwrap();
    let report = Report::read(&place.lab()).unwrap();
    let out = place.folder.path().join("report");
    report.write(&out).unwrap();
    let text = fs::read_to_string(out.join("report.md")).unwrap();
    for start in place.settings.play.starts {
        assert!(text.contains(&format!("\n| {} | ", start.name)), "{text}");
    }
    assert!(text.contains("2 generations of 60 games") && text.contains("score.svg"), "{text}");
    for picture in ["score", "weakening", "worth", "temperature"] {
        let svg = fs::read_to_string(out.join(format!("{picture}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && !svg.contains("NaN"), "{picture}");
    }
    let told = report.write(&out).unwrap_err().to_string();
    assert!(told.contains("not empty"), "{told}");
    let told = Report::read(&out).unwrap_err().to_string();
    assert!(told.contains("no folder of nue learn"), "{told}");
    assert!(!out.join("ledger.toml").exists(), "looked at, not made");
}

/// A table is the same whether it is measured in one or in parts, and takes nobody's place.
#[test]
fn a_table_is_measured_and_goes_on_where_it_was_broken_off() {
    let place = Place::new(1);
    let trainer = trainer(place.folder.path());
    let mut play = settings().play;
    play.starts.truncate(1);
    play.playouts = 16;
    let of = balance::Temperature::from_thousandths;
    let measurement = Measurement {
        net: place.folder.path().join("random.nuedf"),
        play,
        opening_plies: 2,
        temperatures: vec![of(0), of(2000), of(50_000)],
        games: 60,
        seed: 3,
    };
    let run = |name: &str, threads: usize, after: u64| {
        let machine = Machine {
            threads: NonZeroUsize::new(threads).unwrap(),
            games: None,
            players: Players::Native { calibration: 8 },
            trainer: trainer.clone(),
            version: "0".to_owned(),
        };
        let stop = AtomicBool::new(false);
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        let out = place.folder.path().join(name);
        let workers = KeptWorkers::default();
        measurement.run(&out, &machine, &workers, &time, &stop, &mut |progress| {
            stop.fetch_or(progress.new_games >= after, Ordering::Relaxed);
        })
    };
    // Whether a net of random numbers is weaker when hot, nobody knows: the same must come of it.
    let whole = format!("{:?}", run("whole.json", 2, u64::MAX));
    assert!(matches!(run("parts.json", 1, 7), Err(RunError::Interrupted)));
    assert_eq!(format!("{:?}", run("parts.json", 2, u64::MAX)), whole);
    let games = |name: &str| -> Vec<teacher::Game> {
        let path = Measurement::games_beside(&place.folder.path().join(name));
        Reader::new(fs::File::open(path).unwrap()).unwrap().games().map(Result::unwrap).collect()
    };
    assert_eq!(games("parts.json"), games("whole.json"));
    // Three pairs, sixty games each.
    assert_eq!(games("whole.json").len(), 180);
    fs::write(place.folder.path().join("mine.json"), "mine").unwrap();
    let told = run("mine.json", 1, u64::MAX).unwrap_err().to_string();
    assert!(told.contains("is there already"), "{told}");
}
