//! A generation from nothing to the verdict.

#![cfg(feature = "generations")]

mod silence;

use arena::MatchRunner;
use arena::opening::PlyRange;
use arena::opening_maker::OpeningSettings;
use arena::request::MatchRequest;
use arena::selfplay::file::Goal;
use arena::selfplay::settings::SelfPlaySettings;
use lab::folder::LabFolder;
use lab::selfplay::SelfPlay;
use lab::steps::{Settings, Steps, Trainer};
use rules::Game;
use silence::Silence;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use think::{TimeSource, WallTime};
use trainer::TrainingOptions;

const GAME: Game = Game::Minishogi;

fn runner() -> MatchRunner {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let for_engines = Arc::clone(&time);
    let factory = Arc::new(move |game| assembly::engine(game, Arc::clone(&for_engines)));
    let abandoned = Arc::new(AtomicBool::new(false));
    MatchRunner { time, factory, own_program: None, abandoned, logs: None }
}

/// Openings judged by a glance: those the gate would make itself take as long as all the rest.
fn openings(path: &Path, runner: &MatchRunner) {
    let (game, plies) = (GAME, PlyRange { first: 6, last: 6 });
    let settings =
        OpeningSettings { game, plies, count: 20, nodes: 50, ..OpeningSettings::default() };
    assert_eq!(settings.write(path, false, runner, &mut |_, _| ()).unwrap(), 20);
}

fn settings(openings: PathBuf) -> Settings {
    let mut training = TrainingOptions {
        epochs: 2,
        batch: 512,
        validate_every: Some(20_000),
        ..TrainingOptions::default()
    };
    training.objective.lambda = 0.5;
    Settings {
        program: PathBuf::new(),
        version: "test".to_owned(),
        game: GAME,
        seed: 1,
        // One thread, so that it is the same match every time.
        threads: NonZeroUsize::MIN,
        selfplay: SelfPlay {
            goal: Goal { positions: Some(40_000), ..Goal::default() },
            settings: SelfPlaySettings { nodes: 40, ..SelfPlaySettings::default() },
            ..SelfPlay::default()
        },
        validation: 0.05,
        architecture: "kkppt".to_owned(),
        from_scratch: false,
        trainer: Trainer::Own(Box::new(training)),
        gate: MatchRequest {
            each: vec!["nodes=60".to_owned()],
            games: 200,
            sprt: Some("elo0=0,elo1=120".parse().unwrap()),
            openings: Some(openings),
            ..MatchRequest::default()
        },
    }
}

/// The whole way: games of piece values against themselves, tables learned from them, and a match
/// that those tables win.
#[test]
fn what_is_learned_from_nothing_beats_piece_values() {
    let place = tempfile::tempdir().unwrap();
    let runner = runner();
    let beginnings = place.path().join("openings.txt");
    openings(&beginnings, &runner);
    let settings = settings(beginnings);
    let lab = LabFolder::open(&place.path().join("lab")).unwrap();
    let folder = lab.next().unwrap();
    let observer = &mut Silence;
    let mut steps =
        Steps { settings: &settings, folder: &folder, parent: None, runner: &runner, observer };
    let entry = steps.run(&[]).unwrap();
    lab.finish(&folder, &entry).unwrap();
    assert!(lab.current().is_some(), "{}", entry.sentence());
    assert!(entry.accepted && entry.wins > entry.losses, "{}", entry.sentence());
    assert_eq!(entry.verdict, "accepted");
}
