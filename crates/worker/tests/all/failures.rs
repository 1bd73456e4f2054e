//! Programs that work, die, hang, talk nonsense: fakes in Python without any library.

use features::{Labels, Planes};
use infer::{Backend, Batch, Fault, Shape, Ticket};
use rules::Game;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use think::WallTime;
use worker::{Settings, StartError, Worker};

const SHAPE: Shape =
    Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };
const PAL: Shape = Shape { game: Game::Shogi, planes: Planes::Pal, labels: Labels::Pal };
/// PAL's planes with dlshogi's labels.
const MIXED: Shape = Shape { labels: Labels::Dlshogi, ..PAL };

fn batch(keys: std::ops::Range<u64>) -> Batch {
    batch_of(SHAPE, keys)
}

fn batch_of(shape: Shape, keys: std::ops::Range<u64>) -> Batch {
    let mut batch = Batch::new(shape, keys.clone().count());
    for key in keys {
        batch.push(key, |planes| planes[0] = key as u8, 0..1 + key as u16 % 40);
    }
    batch
}

fn is_right(batch: &Batch) {
    for index in 0..batch.len() {
        let win = f32::from(batch.key(index) as u8) / 256.0;
        assert_eq!(batch.value(index).win, win);
        let labels = batch.labels(index).iter();
        assert!(labels.zip(batch.policy(index)).all(|(&l, &x)| x == f32::from(l) / 1024.0));
    }
}

fn start(mode: &str) -> Option<(Result<Worker, StartError>, TempDir)> {
    start_for(SHAPE.game, SHAPE, mode)
}

/// A worker for a game whose net is of some shape, and the folder in which a file says whether it was
/// started before.
fn start_for(
    game: Game,
    shape: Shape,
    mode: &str,
) -> Option<(Result<Worker, StartError>, TempDir)> {
    let python = fixtures::python()?;
    let (planes, labels) = (shape.planes.name(), shape.labels.name());
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/fake.py");
    let words = [
        python.display().to_string(),
        script.to_owned(),
        shape.planes.bytes().to_string(),
        shape.labels.count().to_string(),
        format!("{}/{planes}/{labels}", shape.game),
        mode.to_owned(),
        folder.path().join("started").display().to_string(),
    ];
    let settings = Settings {
        command: words.to_vec(),
        net: Some("first.net".to_owned()),
        start: Duration::from_secs(if mode == "silent" { 1 } else { 60 }),
        silence: Duration::from_secs(if mode == "hang" { 2 } else { 60 }),
        restarts: 2,
    };
    let canaries = Box::new(|shape| batch_of(shape, 0..3));
    Some((Worker::start(settings, game, canaries, Arc::new(WallTime::start())), folder))
}

/// All answers to ten batches, as many in flight as it asks for.
fn ten(worker: &Worker) -> Result<(), Fault> {
    ten_from(worker, 0)
}

/// The same where the first of them has that number.
fn ten_from(worker: &Worker, first: u64) -> Result<(), Fault> {
    let (mut sent, mut got) = (first, first);
    while got < first + 10 {
        while sent < first + 10 && worker.in_flight() < worker.pace().in_flight {
            assert_eq!(worker.submit(batch(sent * 7..sent * 7 + 9))?, Ticket(sent));
            sent += 1;
        }
        if let Some((ticket, batch)) = worker.poll(Duration::from_secs(60))? {
            assert_eq!(batch.key(0), ticket.0 * 7);
            is_right(&batch);
            got += 1;
        }
    }
    assert_eq!(worker.in_flight(), 0);
    Ok(())
}

#[test]
fn a_worker_answers() {
    let Some((worker, _folder)) = start("well") else { return };
    let worker = worker.unwrap();
    assert_eq!(worker.describe(), "a fake in a process of its own");
    assert_eq!((worker.pace().batch, worker.pace().in_flight), (64, 4));
    ten(&worker).unwrap();
    let other = Shape { game: Game::Shogi, planes: Planes::Dlshogi, labels: Labels::Dlshogi };
    assert!(matches!(worker.submit(Batch::new(other, 1)), Err(Fault::Shape { .. })));
}

#[test]
fn a_worker_says_which_planes_its_net_sees() {
    for shape in [PAL, MIXED] {
        let Some((worker, _folder)) = start_for(Game::Shogi, shape, "well") else { return };
        let worker = worker.unwrap();
        assert_eq!(worker.shape(), shape);
        worker.submit(batch_of(shape, 0..9)).unwrap();
        let (_, answered) = worker.poll(Duration::from_secs(60)).unwrap().unwrap();
        is_right(&answered);
        assert!(matches!(worker.submit(batch(0..1)), Err(Fault::Shape { .. })));
    }
    let Some((worker, _folder)) = start_for(Game::Minishogi, PAL, "well") else { return };
    let error = worker.unwrap_err().to_string();
    assert!(error.contains("its net is for shogi, planes pal, labels pal"), "{error}");
}

#[test]
fn nothing_is_lost_when_it_dies_hangs_or_talks_nonsense_once() {
    for mode in ["die", "hang", "garbage"] {
        let Some((worker, _folder)) = start(mode) else { return };
        ten(&worker.unwrap()).unwrap_or_else(|fault| panic!("{mode}: {fault}"));
    }
}

/// The same program goes on with another net; one that dies meanwhile is started with it.
#[test]
fn a_worker_goes_on_with_another_net() {
    for (mode, notes) in [
        ("well", "started with --net first.net\nloaded second.net\n"),
        ("die loading", "started with --net first.net\nstarted with --net second.net\n"),
    ] {
        let Some((worker, folder)) = start(mode) else { return };
        let worker = worker.unwrap();
        ten_from(&worker, 0).unwrap();
        worker.load("second.net").unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("started")).unwrap(), notes);
        ten_from(&worker, 10).unwrap();
    }
}

#[test]
fn a_net_that_cannot_be_loaded_is_told() {
    for (mode, words) in [
        ("refuse", "it says: no such net"),
        ("other", "its net is for shogi, planes dlshogi"),
        ("nonsense later", "nonsense in full precision"),
    ] {
        let Some((worker, _folder)) = start(mode) else { return };
        let error = worker.unwrap().load("second.net").unwrap_err().to_string();
        assert!(error.contains(words), "{mode}: {error}");
    }
    let Some((worker, _folder)) = start("well") else { return };
    let worker = worker.unwrap();
    worker.submit(batch(0..3)).unwrap();
    assert!(worker.load("second.net").is_err(), "somebody waits for answers of the first");
}

#[test]
fn it_is_given_up_after_some_attempts() {
    for (mode, words) in
        [("always", "killed by a bug"), ("late", "said late"), ("checksum", "a wrong checksum")]
    {
        let Some((worker, _folder)) = start(mode) else { return };
        let worker = worker.unwrap();
        let fault = ten(&worker).unwrap_err().to_string();
        assert!(fault.contains("is given up") && fault.contains(words), "{mode}: {fault}");
        // Told when the next one was sent, it may have answered one before.
        while let Ok(Some(_)) = worker.poll(Duration::ZERO) {}
        assert_eq!(worker.in_flight(), 0);
        assert!(matches!(worker.submit(batch(0..1)), Err(Fault::Ended(_))));
    }
}

#[test]
fn answers_that_are_none_are_faults() {
    let Some((worker, _folder)) = start("nan") else { return };
    let fault = ten(&worker.unwrap()).unwrap_err();
    assert!(matches!(fault, Fault::Nonsense { ticket: Ticket(0), .. }), "{fault}");
}

#[test]
fn what_cannot_be_used_is_told_at_the_start() {
    for (mode, words) in [
        ("silent", "said nothing for 1 s"),
        ("crash", "its last words: Traceback: no torch here"),
        ("version", "it speaks version 1 of the protocol"),
        ("chatter", "its first line is not an introduction"),
        ("nonsense", "it says: the net gives nonsense in full precision"),
    ] {
        let Some((worker, _folder)) = start(mode) else { return };
        let error = worker.unwrap_err().to_string();
        assert!(error.contains(words), "{mode}: {error}");
    }
    let missing = Settings::new(vec!["nue-no-such-program".to_owned()]);
    let canaries = Box::new(|shape| batch_of(shape, 0..1));
    let time = Arc::new(WallTime::start());
    let error = Worker::start(missing, SHAPE.game, canaries, time).unwrap_err();
    assert!(error.to_string().starts_with("cannot start the worker"), "{error}");
}
