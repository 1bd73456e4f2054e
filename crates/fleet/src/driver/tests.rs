use super::*;
use crate::in_process::InProcess;
use crate::names::{RunId, TaskId};
use crate::needs::Needs;
use crate::perform::{Equipment, Slot};
use crate::queue::Settings;
use crate::task::{MatchSpec, Pins, Priority, SelfPlaySpec, Task};
use arena::MatchRunner;
use arena::request::MatchRequest;
use arena::selfplay::settings::SelfPlaySettings;
use rules::Game;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use think::WallTime;

fn slot() -> Slot {
    let time: Arc<dyn think::TimeSource> = Arc::new(WallTime::start());
    let for_engines = Arc::clone(&time);
    let factory = Arc::new(move |game| assembly::engine(game, Arc::clone(&for_engines)));
    let abandoned = Arc::new(AtomicBool::new(false));
    let runner = MatchRunner {
        time,
        factory,
        own_program: None,
        abandoned: Arc::clone(&abandoned),
        logs: None,
    };
    let equipment = Equipment { programs: false, ..Equipment::of_command(&runner) };
    Slot::new(&equipment, 0, abandoned)
}

fn task(spec: &Spec, part: &Part) -> Task {
    Task {
        id: TaskId(1),
        run: RunId(1),
        batches: part.batches,
        spec: Arc::new(spec.clone()),
        unit: part.unit.clone(),
        seed: 0,
        pins: Arc::new(Pins::default()),
        needs: Needs::default(),
        priority: Priority::Normal,
    }
}

/// Runs a driver to its end with one slot; tells what every batch was.
fn finish(spec: &Spec, goal: Option<u64>) -> (RunProgress, Vec<(Unit, Range<u64>, Product)>) {
    let queue = InProcess::new(Settings::default(), Arc::new(WallTime::start()));
    let mut driver = driver(spec, goal).unwrap();
    let mut slot = slot();
    let mut all = Vec::new();
    let mut more = VecDeque::new();
    while driver.verdict().is_none() {
        let part =
            more.pop_front().or_else(|| driver.next(4).unwrap()).expect("there is something to do");
        let task = task(spec, &part);
        for number in 0..part.batches {
            let range = part.unit.part(part.batches, number);
            let product = slot.batch(&task, number, &queue).unwrap().product;
            let counted = driver.accept(&part.unit, range.clone(), &product).unwrap();
            more.extend(counted.more);
            all.push((part.unit.clone(), range, product));
        }
    }
    (driver.progress(), all)
}

fn match_spec(games: u64) -> Spec {
    let engine = |name: &str| format!("cmd=self,name={name},nodes=40,option.USI_Hash=1");
    let request = MatchRequest {
        engines: vec![engine("a"), engine("b")],
        game: Game::Minishogi,
        games,
        max_moves: 30,
        ..MatchRequest::default()
    };
    Spec::Match(Box::new(MatchSpec { request, reference_speed: None }))
}

fn self_play_spec() -> Spec {
    let settings = SelfPlaySettings {
        game: Game::Minishogi,
        nodes: 30,
        max_moves: 20,
        options: vec![("USI_Hash".into(), "1".into()), ("Threads".into(), "1".into())],
        ..SelfPlaySettings::default()
    };
    Spec::SelfPlay(Box::new(SelfPlaySpec { settings, net: None, fv_scale: 16 }))
}

#[test]
fn a_match_is_played_to_its_end_and_goes_on_after_a_restart() {
    let spec = match_spec(10);
    let (progress, all) = finish(&spec, None);
    assert_eq!((progress.done, progress.total), (10, Some(10)));
    let score = progress.score.clone().unwrap();
    assert_eq!(score.pairs.iter().sum::<u64>(), 5);
    let names: Vec<&str> = score.engines.iter().map(|engine| engine.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!((score.engines[0].wins, score.engines[1].wins), (score.wins, score.losses));
    // What is written down is read again, whatever the error bars.
    let text = serde_json::to_string(&progress).unwrap();
    assert_eq!(serde_json::from_str::<RunProgress>(&text).unwrap(), progress);
    let mut again = driver(&spec, None).unwrap();
    for (unit, range, product) in &all[..3] {
        again.handed_out(unit);
        again.accept(unit, range.clone(), product).unwrap();
    }
    assert_eq!(again.progress().done, 6);
    let next = again.next(4).unwrap().unwrap();
    assert_eq!((next.unit.first, next.unit.count, next.batches), (8, 2, 1));
}

type Lie<'a> = &'a dyn Fn(&mut Vec<crate::game_record::GameRecord>);

/// A worker that lies changes nothing.
#[test]
fn games_that_the_rules_do_not_know_count_nothing() {
    let spec = match_spec(2);
    let (_, all) = finish(&spec, None);
    let (unit, range, product) = &all[0];
    let lie = |change: Lie<'_>| {
        let Product::Games { mut games } = product.clone() else { panic!("no games") };
        change(&mut games);
        Product::Games { games }
    };
    let lies: [Lie<'_>; 8] = [
        &|games| games[0].moves[0].usi = "1a1b".into(),
        &|games| games[0].moves[0].usi = "nonsense".into(),
        &|games| games[1].winner = Some(play::Side::Black),
        &|games| games[1].end = "mate".into(),
        &|games| drop(games[0].moves.pop()),
        &|games| drop(games.pop()),
        &|games| games.swap(0, 1),
        &|games| games[1].id = 0,
    ];
    let mut driver = driver(&spec, None).unwrap();
    for (number, change) in lies.into_iter().enumerate() {
        let lie = lie(change);
        if lie == *product {
            continue;
        }
        let fault = driver.accept(unit, range.clone(), &lie);
        let fault = fault.expect_err(&format!("lie {number}"));
        assert_eq!(fault.kind, FaultKind::Dishonest, "{fault}");
        assert_eq!(driver.progress().done, 0);
    }
    let other = Product::Checksum { sum: 1 };
    assert!(driver.accept(unit, range.clone(), &other).is_err());
    driver.accept(unit, range.clone(), product).unwrap();
    assert_eq!(driver.progress().done, 2);
}

#[test]
fn self_play_has_every_game_once_whatever_the_order() {
    let spec = self_play_spec();
    let (progress, mut all) = finish(&spec, Some(20));
    assert_eq!((progress.done, progress.total), (20, Some(20)));
    assert!(progress.positions > 20);
    all.reverse();
    let mut backwards = driver(&spec, Some(20)).unwrap();
    for (unit, range, product) in &all {
        backwards.accept(unit, range.clone(), product).unwrap();
    }
    assert_eq!(backwards.progress(), progress);
    let (unit, range, product) = &all[0];
    let Product::Teacher { bytes, made } = product else { panic!("no games") };
    let mut torn = bytes.clone();
    let middle = torn.0.len() / 2;
    torn.0[middle] ^= 0x55;
    let torn = Product::Teacher { bytes: torn, made: made.clone() };
    assert!(backwards.accept(unit, range.clone(), &torn).is_err());
}

#[test]
fn sums_are_checked() {
    let spec = Spec::sums(3);
    let (progress, all) = finish(&spec, Some(4));
    assert_eq!(progress.done, 4);
    let mut again = driver(&spec, Some(4)).unwrap();
    let wrong = Product::Checksum { sum: 1 };
    assert!(again.accept(&all[0].0, all[0].1.clone(), &wrong).is_err());
    assert!(again.accept(&all[0].0, all[0].1.clone(), &all[1].2).is_err(), "of another part");
}

/// Some games of minishogi as a teacher file.
fn teacher_file(path: &std::path::Path, games: usize) {
    let header = teacher::Header::new(Game::Minishogi);
    let mut writer = teacher::Writer::new(Vec::new(), header).unwrap();
    for number in 0..games {
        let mut game = teacher::Game::new(rules::AnyPosition::startpos(Game::Minishogi));
        let mut position = game.start.clone();
        for _ in 0..4 + number {
            let legal = position.legal_moves();
            let mv = legal[number % legal.len()];
            game.plies.push(teacher::Ply { mv, score: Some(1), flags: teacher::Flags::default() });
            position.play(mv);
        }
        writer.write(&game).unwrap();
    }
    std::fs::write(path, writer.finish().unwrap()).unwrap();
}

#[test]
fn pieces_are_scored_in_any_order_and_only_scores_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.teacher");
    teacher_file(&path, 6);
    let spec = Spec::Rescore(crate::RescoreSpec {
        game: "minishogi".to_owned(),
        inputs: vec![path],
        limit: corpus::Limit::Nodes(30),
        hash: 1,
        net: None,
        fv_scale: 16,
    });
    let (progress, mut all) = finish(&spec, None);
    assert_eq!((progress.done, progress.total), (6, Some(6)));
    assert!(progress.positions > 6 * 4);
    assert!(!serde_json::to_string(&spec.for_workers()).unwrap().contains("in.teacher"));
    // After a restart it goes on behind what was handed out.
    let mut again = driver(&spec, None).unwrap();
    for (unit, range, product) in &all[..4] {
        again.handed_out(unit);
        again.accept(unit, range.clone(), product).unwrap();
    }
    let rest = again.next(4).unwrap().unwrap();
    assert_eq!((rest.unit.first, rest.unit.count, rest.batches), (4, 2, 2));
    assert_eq!(rest.unit.cut(2, 1).input.unwrap().piece(0), rest.unit.input.unwrap().piece(1));
    // Another game in its place is refused.
    let stranger = all[1].2.clone();
    let (unit, range, _) = &all[0];
    assert_eq!(
        again.accept(unit, range.clone(), &stranger).unwrap_err().kind,
        FaultKind::Dishonest
    );
    all.reverse();
    let mut backwards = driver(&spec, None).unwrap();
    for (unit, range, product) in &all {
        backwards.handed_out(unit);
        backwards.accept(unit, range.clone(), product).unwrap();
    }
    assert_eq!(backwards.verdict(), None, "nobody has looked whether there is more");
    assert_eq!(backwards.next(4).unwrap(), None);
    assert!(backwards.verdict().is_some());
    let absent = Spec::Rescore(crate::RescoreSpec {
        game: "minishogi".to_owned(),
        inputs: vec![folder.path().join("absent.teacher")],
        limit: corpus::Limit::Static,
        hash: 1,
        net: None,
        fv_scale: 16,
    });
    assert!(driver(&absent, None).is_err());
}

#[test]
fn problems_are_answered_and_lies_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("problems.sfen");
    let problems = "4k4/9/4P4/9/9/9/9/9/9 b G 1\nnonsense\n4k4/9/9/9/9/9/9/9/9 b G 1\n";
    std::fs::write(&path, problems).unwrap();
    let spec = crate::MateSpec {
        problems: Some(path),
        hash: 1,
        proof: true,
        ..crate::MateSpec::default()
    };
    let spec = Spec::Mate(spec);
    let (progress, all) = finish(&spec, None);
    assert_eq!((progress.done, progress.total), (2, Some(2)));
    let tally: Vec<(&str, u64)> = progress.tally.iter().map(|(k, v)| (k.as_str(), *v)).collect();
    assert!(tally.contains(&("mates", 1)) && tally.contains(&("without mate", 1)), "{tally:?}");
    let mut again = driver(&spec, None).unwrap();
    // The answer to another problem is none to this one.
    let (unit, range, _) = &all[0];
    assert!(again.accept(unit, range.clone(), &all[1].2).is_err());
    again.accept(unit, range.clone(), &all[0].2).unwrap();
    let none = Spec::Mate(crate::MateSpec::default());
    assert!(driver(&none, None).is_err());
}

#[test]
fn leaves_are_searched_once_and_lies_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leaves.txt");
    let lines = "startpos\nstartpos moves 3e3d\nrbsgk/4p/5/P4/KGSBR b - 5\n";
    std::fs::write(&path, lines).unwrap();
    let leaves = crate::LeavesSpec {
        game: "minishogi".to_owned(),
        positions: Some(path.clone()),
        nodes: Some(60),
        lines: 2,
        net: Some("material".into()),
        ..crate::LeavesSpec::default()
    };
    let spec = Spec::Leaves(leaves.clone());
    let (progress, all) = finish(&spec, None);
    assert_eq!((progress.done, progress.total), (2, Some(2)));
    assert_eq!(progress.tally.get("named again"), Some(&1));
    assert!(spec.is_reproducible());
    assert!(!serde_json::to_string(&spec.for_workers()).unwrap().contains("leaves.txt"));
    let mut again = driver(&spec, None).unwrap();
    let (unit, range, right) = &all[0];
    let stranger = again.accept(unit, range.clone(), &all[1].2).unwrap_err();
    assert_eq!(stranger.kind, FaultKind::Dishonest, "moves of the other side");
    let nothing = Product::Leaves { leaves: Vec::new() };
    assert!(again.accept(unit, range.clone(), &nothing).is_err());
    again.accept(unit, range.clone(), right).unwrap();
    for (change, why) in [
        (crate::LeavesSpec { positions: None, ..leaves.clone() }, "which positions"),
        (crate::LeavesSpec { nodes: None, ..leaves.clone() }, "how deep"),
        (crate::LeavesSpec { lines: 600, ..leaves.clone() }, "600"),
        (crate::LeavesSpec { game: "chess".to_owned(), ..leaves.clone() }, "chess"),
    ] {
        let error = driver(&Spec::Leaves(change), None).err().map(|e| e.to_string());
        assert!(error.as_ref().is_some_and(|text| text.contains(why)), "{error:?}");
    }
    std::fs::write(&path, "startpos\nnonsense\n").unwrap();
    assert!(driver(&spec, None).is_err());
    let elsewhere = vec![("DNN_Worker".to_owned(), "x".to_owned())];
    assert!(!Spec::Leaves(crate::LeavesSpec { options: elsewhere, ..leaves }).is_reproducible());
}

#[test]
fn openings_are_made_of_what_was_judged() {
    let settings = arena::opening_maker::OpeningSettings {
        game: Game::Minishogi,
        count: 5,
        plies: arena::opening::PlyRange { first: 2, last: 3 },
        nodes: 40,
        ..Default::default()
    };
    let spec = Spec::Openings(Box::new(settings));
    let (progress, all) = finish(&spec, None);
    assert_eq!(progress.tally.get("openings"), Some(&5));
    let mut again = driver(&spec, None).unwrap();
    let short = Product::Values { values: vec![Some(1)] };
    assert!(again.accept(&all[0].0, all[0].1.clone(), &short).is_err());
    assert!(again.accept(&all[0].0, all[0].1.clone(), &Product::Checksum { sum: 1 }).is_err());
}
