use super::*;
use crate::net::{NetModel, NetOptions};
use corpus::batches::Label;
use corpus::{Damaged, Format, Inputs};
use features::HalfKp;
use nnue::{Architecture, FeatureKind, Shape};
use rules::{AnyPosition, Color, Game as Rules, Minishogi};
use seed::Rng;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use teacher::{Flags, Game, Header, Outcome, Ply, Writer};
use tempfile::TempDir;

type Net = NetModel<Minishogi>;

/// A folder that goes when the test ends.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A teacher file of random games whose scores are their material.
    fn games(&self, name: &str, count: u64, seed: u64) -> PathBuf {
        let path = self.path(name);
        let file = fs::File::create(&path).unwrap();
        let mut writer = Writer::new(file, Header::new(Rules::Minishogi)).unwrap();
        for number in 0..count {
            writer.write(&random_game(Rng::for_purpose(seed, &[number]))).unwrap();
            // Several blocks, so that their order matters.
            if number % 8 == 7 {
                writer.flush().unwrap();
            }
        }
        writer.finish().unwrap();
        path
    }

    fn units(&self, name: &str, count: u64, seed: u64) -> Units {
        open(&self.games(name, count, seed)).unwrap()
    }
}

fn open(path: &Path) -> Result<Units, Error> {
    let inputs = Inputs {
        paths: vec![path.to_owned()],
        format: Some(Format::Teacher),
        game: Rules::Shogi,
        damaged: Damaged::Skip,
        stop: None,
    };
    Units::open(&inputs, false, &|_| ())
}

fn random_game(mut random: Rng) -> Game {
    let mut game = Game::new(AnyPosition::startpos(Rules::Minishogi));
    let mut position = game.start.clone();
    for ply in 0..40 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.below(moves.len())];
        let AnyPosition::Minishogi(inner) = &position else { unreachable!() };
        let material = eval::material(inner, &eval::PIECE_VALUES);
        let score = if inner.turn() == Color::Black { material } else { -material };
        let flags = Flags { random: ply < 2, skip: ply == 5 };
        game.plies.push(Ply { mv, score: (ply != 7).then_some(score as i16), flags });
        position.play(mv);
    }
    game.outcome = match random.below(3) {
        0 => Outcome::Draw,
        1 => Outcome::Won(Color::Black),
        _ => Outcome::Won(Color::White),
    };
    game
}

fn settings() -> Settings {
    Settings {
        objective: Objective { lambda: 0.9, scale: 600.0 },
        batch: 64,
        epochs: 3,
        buffer: 500,
        seed: 5,
        rate: 0.01,
        patience: 1,
        ..Settings::default()
    }
}

fn net(seed: u64) -> Net {
    let shape = Shape { l0: 32, h1: 8, h2: 8 };
    let architecture = Architecture { features: FeatureKind::MiniHalfKp, shape };
    Net::random::<HalfKp>(architecture, NetOptions::default(), seed)
}

fn session(folder: &Folder, settings: Settings, threads: usize) -> Session<Minishogi, Net> {
    let (data, validation) = (folder.units("data", 40, 1), folder.units("held-out", 8, 2));
    let workers = Workers::new(NonZeroUsize::new(threads).unwrap());
    Session::new(settings, data, &validation, Box::new(net(3)), workers).unwrap()
}

/// Stops after some batches, and keeps what was saved last.
#[derive(Default)]
struct Onlooker {
    stop_after: Option<u64>,
    saved: Vec<u8>,
    entries: Vec<Entry>,
}

impl Watch<Minishogi, Net> for Onlooker {
    type Error = Error;

    fn batch(&mut self, progress: &Progress) -> Result<Next, Error> {
        assert!(progress.counts.used >= progress.in_epoch);
        Ok(if self.stop_after == Some(progress.steps) { Next::Stop } else { Next::Go })
    }

    fn validated(&mut self, entry: &Entry, _model: &mut Net) -> Result<(), Error> {
        self.entries.push(*entry);
        Ok(())
    }

    fn save(&mut self, session: &Session<Minishogi, Net>) -> Result<(), Error> {
        self.saved.clear();
        session.save(&mut self.saved).unwrap();
        Ok(())
    }
}

#[test]
fn a_broken_run_ends_like_a_whole_one() {
    let folder = Folder::new();
    let mut whole = session(&folder, settings(), 1);
    whole.run(&mut Onlooker::default()).unwrap();
    assert!(whole.finished());
    assert_eq!(whole.history().len(), 4);
    let steps = whole.steps();
    assert!(steps > 20, "{steps}");
    // Within an epoch, at the end of one, and just before the end.
    for stop in [1, steps / 2, steps / 3, 2 * steps / 3, steps - 1] {
        let mut onlooker = Onlooker { stop_after: Some(stop), ..Onlooker::default() };
        let mut broken = session(&folder, settings(), 2);
        broken.run(&mut onlooker).unwrap();
        assert_eq!((broken.steps(), broken.finished()), (stop, false));
        let mut resumed = session(&folder, settings(), 3);
        resumed.restore(&mut &onlooker.saved[..]).unwrap();
        resumed.run(&mut Onlooker::default()).unwrap();
        assert_eq!(resumed.history(), whole.history(), "stopped after {stop}");
        assert!(resumed.model().to_float() == whole.model().to_float());
    }
}

#[test]
fn checkpoints_of_other_runs_and_damaged_ones_are_refused() {
    let folder = Folder::new();
    let mut onlooker = Onlooker { stop_after: Some(1), ..Onlooker::default() };
    session(&folder, settings(), 1).run(&mut onlooker).unwrap();
    let saved = onlooker.saved;
    let restore = |settings, bytes: &[u8]| {
        let mut session = session(&folder, settings, 1);
        session.restore(&mut &bytes[..]).map_err(|e| e.to_string())
    };
    restore(Settings { epochs: 9, ..settings() }, &saved).unwrap();
    let other = restore(Settings { rate: 0.5, ..settings() }, &saved).unwrap_err();
    assert!(other.contains("settings"), "{other}");
    for length in [0, 8, 100, saved.len() / 2, saved.len() - 1] {
        let error = restore(settings(), &saved[..length]).unwrap_err();
        assert!(error.contains("not a whole checkpoint"), "{length}: {error}");
    }
    for at in [0, 9, saved.len() / 2, saved.len() - 1] {
        let mut bytes = saved.clone();
        bytes[at] ^= 4;
        assert!(restore(settings(), &bytes).is_err(), "{at}");
    }
    let mut long = saved;
    long.push(0);
    assert!(restore(settings(), &long).is_err());
}

#[test]
fn material_is_learned() {
    let folder = Folder::new();
    let (data, validation) = (folder.units("data", 300, 1), folder.units("held-out", 30, 2));
    let objective = Objective { lambda: 1.0, scale: 600.0 };
    let settings = Settings { epochs: 10, objective, ..settings() };
    let workers = Workers::new(NonZeroUsize::new(2).unwrap());
    let mut session = Session::new(settings, data, &validation, Box::new(net(3)), workers).unwrap();
    session.run(&mut Onlooker::default()).unwrap();
    let excess: Vec<f64> =
        session.history().iter().map(|e| e.validation.total - e.validation.floor).collect();
    let best = excess.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(best < excess[0] / 3.0, "{excess:?}");
}

#[test]
fn rates_fall_and_training_ends_when_nothing_improves() {
    let folder = Folder::new();
    // A rate that destroys the net at once, and never recovers within the halvings allowed.
    let hopeless = Settings { rate: 1e6, epochs: 50, patience: 1, halvings: 2, ..settings() };
    let mut session = session(&folder, hopeless, 2);
    let mut onlooker = Onlooker::default();
    session.run(&mut onlooker).unwrap();
    assert!(session.finished() && onlooker.entries.len() < 12, "{}", onlooker.entries.len());
    let last = onlooker.entries.last().unwrap();
    assert_eq!(last.rate, 0.25e6);
    // Validations within epochs count too.
    let often = Settings { interval: 5, ..settings() };
    let mut session = self::session(&folder, often, 2);
    session.run(&mut Onlooker::default()).unwrap();
    assert!(session.history().iter().skip(1).all(|e| e.steps % 5 == 0));
    assert_eq!(session.history().len() as u64, 1 + session.steps() / 5);
}

#[test]
fn scheduled_runs_are_resumed_exactly_too() {
    let folder = Folder::new();
    let scheduled = Settings {
        schedule: Schedule::Cosine,
        rate_end: 1e-4,
        lambda_end: Some(0.2),
        patience: 0,
        halvings: 0,
        ..settings()
    };
    let mut whole = session(&folder, scheduled, 2);
    whole.run(&mut Onlooker::default()).unwrap();
    let history = whole.history().to_vec();
    assert_eq!(history.len(), 4, "validations without improvement end nothing");
    assert!(history.is_sorted_by(|a, b| a.rate >= b.rate), "{history:?}");
    assert!((history[3].rate - 1e-4).abs() < 1e-6, "{}", history[3].rate);
    for stop in [2, whole.steps() / 2] {
        let mut onlooker = Onlooker { stop_after: Some(stop), ..Onlooker::default() };
        session(&folder, scheduled, 1).run(&mut onlooker).unwrap();
        let mut resumed = session(&folder, scheduled, 3);
        resumed.restore(&mut &onlooker.saved[..]).unwrap();
        resumed.run(&mut Onlooker::default()).unwrap();
        assert_eq!(resumed.history(), history);
        assert!(resumed.model().to_float() == whole.model().to_float());
    }
    // The mixture is that of the end in every validation, and moves while learning.
    let mut constant = session(&folder, Settings { lambda_end: None, ..scheduled }, 1);
    let (moving, fixed) = (whole.measure(), constant.measure());
    assert!(moving.floor != fixed.floor);
}

#[test]
fn an_epoch_gives_every_position_once() {
    let folder = Folder::new();
    let units = folder.units("data", 40, 1);
    let encoder = net(1).encoder();
    let words = encoder.words();
    let selection = Selection { mirror: false, ..Selection::default() };
    let batcher = |epoch| Batcher {
        units: &units,
        selection: &selection,
        seed: 9,
        batch: 50,
        pool: 300,
        first_epoch: epoch,
        epochs: Some(1),
        threads: 2,
    };
    let direct = first_rows(&units, &selection, &Words(&*encoder), usize::MAX).unwrap();
    let (counts, words_of) = (direct.counts, direct.numbers.clone().into_words());
    assert_eq!((counts.used as usize, counts.total()), (direct.len(), units.positions()));
    assert!(counts.marked > 0 && counts.unscored > 0 && counts.captures > 0 && counts.checks > 0);
    let sorted = |words_of: &[u32], labels: &[Label]| {
        let rows = words_of.chunks(words).zip(labels).map(|(w, l)| (w.to_vec(), l.score, l.result));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable();
        rows
    };
    let mut orders = Vec::new();
    for epoch in 0..2 {
        let mut given = Batch::default();
        std::thread::scope(|scope| {
            let mut batches = Batches::start(scope, batcher(epoch), &*encoder);
            let mut short = 0;
            while let Some(mut batch) = batches.next().unwrap() {
                assert_eq!(short, 0, "only the last batch may be short");
                short += usize::from(batch.labels.len() < 50);
                given.words.append(&mut batch.words);
                given.labels.append(&mut batch.labels);
            }
            assert_eq!(batches.counts(), counts);
        });
        assert_eq!(sorted(&given.words, &given.labels), sorted(&words_of, &direct.labels));
        orders.push(given.words);
    }
    assert!(orders[0] != orders[1] && orders[0] != words_of);
}

#[test]
fn damaged_files_are_named_with_the_place() {
    let folder = Folder::new();
    let path = folder.games("data", 40, 1);
    let good = fs::read(&path).unwrap();
    fs::write(&path, &good[..good.len() - 3]).unwrap();
    let error = open(&path).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("data") && text.contains("damaged at byte"), "{text}");
    fs::write(&path, &good).unwrap();
    // A file that changes while it is used.
    let units = open(&path).unwrap();
    let mut bad = good;
    let middle = bad.len() / 2;
    bad[middle] ^= 255;
    fs::write(&path, &bad).unwrap();
    let validation = folder.units("held-out", 8, 2);
    let session = Session::new(settings(), units, &validation, Box::new(net(3)), Workers::ONE);
    let error = session.unwrap().run(&mut Onlooker::default()).unwrap_err().to_string();
    assert!(error.contains("damaged at byte"), "{error}");
    assert!(open(&folder.path("none")).is_err());
}
