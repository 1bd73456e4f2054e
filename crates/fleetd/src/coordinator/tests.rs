use super::*;
use crate::data_folder::DataFolder;
use fleet::driver::RunProgress;
use fleet::perform::checksum;
use fleet::{Batch, BlobHash, FaultKind, Finished, Lease, Pool, Product, Settings, Usage, Worker};
use std::path::Path;
use think::ManualTime;

mod restarts;
mod trust;

const NOW: i64 = 1_000;

fn open_with(folder: &Path, settings: CoordinatorSettings) -> Coordinator {
    let data = DataFolder::new(folder);
    let ledger = Ledger::open(&data.ledger_path()).unwrap();
    let queue = data.queue(&ledger, Settings::default(), Arc::new(ManualTime::new())).unwrap();
    Coordinator::open(ledger, Arc::new(queue), data.files().unwrap(), settings).unwrap()
}

fn plain() -> CoordinatorSettings {
    CoordinatorSettings { check_one_in: 0, known_answers: 0, ..CoordinatorSettings::default() }
}

fn open(folder: &Path) -> Coordinator {
    open_with(folder, plain())
}

fn sums(goal: u64) -> Submission {
    Submission {
        name: "sums".to_owned(),
        owner: "me".to_owned(),
        spec: Spec::sums(2),
        pins: Pins::default(),
        goal: Some(goal),
        priority: Priority::Normal,
        share: 1.0,
    }
}

fn worker(id: &str, owner: &str) -> Worker {
    Worker {
        id: id.parse().unwrap(),
        owner: owner.parse().unwrap(),
        cores: 64,
        memory_mib: 1 << 16,
        speed: 1,
        bench: 7,
        version: "1".to_owned(),
        pools: vec![Pool::any()],
        holding: None,
    }
}

fn step(coordinator: &mut Coordinator) {
    coordinator.step(NOW, Duration::ZERO).unwrap();
}

fn announce(coordinator: &mut Coordinator, id: &str, owner: &str) {
    coordinator.queue().announce(&worker(id, owner)).unwrap();
    step(coordinator);
    step(coordinator);
}

fn lease(coordinator: &Coordinator, id: &str) -> Option<Lease> {
    let id: WorkerId = id.parse().unwrap();
    let pools = [Pool::of(&id), Pool::any()];
    coordinator.queue().lease(&id, &pools, Duration::ZERO).unwrap()
}

fn right(lease: &Lease) -> Product {
    let Spec::Checksum { rounds, .. } = *lease.task.spec else { panic!("no sum") };
    checksum(rounds, lease.task.seed, lease.task.unit.part(1, 0))
}

fn finish(coordinator: &Coordinator, lease: &Lease, product: Product) -> Finished {
    let batch = Batch { number: 0, product, usage: Usage::default() };
    coordinator.queue().finish(&lease.key, &batch).unwrap()
}

/// Does everything there is for a worker, rightly or wrongly; how many tasks.
fn work(coordinator: &mut Coordinator, id: &str, honest: bool) -> usize {
    let mut count = 0;
    while let Some(lease) = lease(coordinator, id) {
        let product = if honest { right(&lease) } else { Product::Checksum { sum: 3 } };
        finish(coordinator, &lease, product);
        count += 1;
        step(coordinator);
        if !honest {
            break;
        }
    }
    count
}

fn progress(coordinator: &Coordinator, run: RunId) -> RunProgress {
    coordinator.live(run, NOW).unwrap().2
}

fn run_state(coordinator: &Coordinator, run: RunId) -> (RunState, String) {
    let row = coordinator.ledger().run(run).unwrap();
    (row.state, row.reason)
}

#[test]
fn a_run_is_worked_off_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = open(folder.path());
    let run = coordinator.submit(sums(200), NOW).unwrap();
    announce(&mut coordinator, "a", "alice");
    assert!(coordinator.queue().occupancy().unwrap().waiting <= 64, "only so far ahead");
    assert_eq!(work(&mut coordinator, "a", true), 200);
    let (state, reason) = run_state(&coordinator, run);
    assert_eq!(state, RunState::Done);
    assert!(reason.starts_with("all sums"), "{reason}");
    let occupancy = coordinator.queue().occupancy().unwrap();
    assert_eq!((occupancy.waiting, occupancy.leased, occupancy.events), (0, 0, 0));
    let text = crate::metrics::text(&coordinator, &coordinator.status(NOW).unwrap());
    assert!(text.contains("nue_fleet_results_total 200"), "{text}");
}

/// What a run came to is in the ledger: for those who look beside the coordinator, after the end, and after a restart.
#[test]
fn a_run_that_ended_shows_what_it_came_to() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = open(folder.path());
    let (first, second) = (sums(20), sums(20));
    let first = coordinator.submit(first, NOW).unwrap();
    announce(&mut coordinator, "a", "alice");
    assert_eq!(work(&mut coordinator, "a", true), 20);
    let second = coordinator.submit(second, NOW).unwrap();
    step(&mut coordinator);
    for _ in 0..3 {
        let lease = lease(&coordinator, "a").unwrap();
        finish(&coordinator, &lease, right(&lease));
    }
    let failed = lease(&coordinator, "a").unwrap();
    let fault = Fault::new(FaultKind::Machine, "no memory");
    coordinator.queue().fail(&failed.key, &fault).unwrap();
    step(&mut coordinator);
    coordinator.step(NOW + 10, Duration::ZERO).unwrap();
    drop(coordinator);
    let seen = |status: &crate::Status| {
        let of = |id| status.runs.iter().find(|run| run.id == id).unwrap();
        let done = |id| of(id).progress.as_ref().map(|progress| (progress.done, progress.total));
        assert_eq!(done(first), Some((20, Some(20))), "{status:?}");
        assert_eq!(done(second), Some((3, Some(20))), "{status:?}");
        assert_eq!((of(first).faults, of(second).faults), (0, 1));
        let (list, shown) = (status.runs_text(), status.run_text(second).unwrap());
        assert!(list.contains("20/20") && list.contains("3/20"), "{list}");
        assert!(shown.contains("a: machine: no memory"), "{shown}");
        assert!(shown.contains("done 3 of 20"), "{shown}");
    };
    seen(&DataFolder::new(folder.path()).status().unwrap());
    let coordinator = open(folder.path());
    seen(&coordinator.status(NOW).unwrap());
}

/// What the coordinator said two seconds ago is not what is so now.
#[test]
fn a_run_that_was_stopped_is_shown_as_stopped_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::new(folder.path());
    let mut coordinator = open(folder.path());
    let run = coordinator.submit(sums(10), NOW).unwrap();
    let told = serde_json::to_string(&coordinator.status(NOW).unwrap()).unwrap();
    std::fs::write(data.status_path(), told).unwrap();
    assert_eq!(data.status().unwrap().runs[0].state, RunState::Active);
    let later = coordinator.submit(sums(20), NOW).unwrap();
    let reason = "enough".to_owned();
    let order = crate::orders::Order::Stop { run, reason };
    data.beside().unwrap().order(&order, NOW, Duration::ZERO).unwrap();
    step(&mut coordinator);
    let shown: Vec<_> = data.status().unwrap().runs.iter().map(|run| (run.id, run.state)).collect();
    assert_eq!(shown, [(run, RunState::Stopped), (later, RunState::Active)]);
}

#[test]
fn orders_are_obeyed_and_answered() {
    use crate::orders::{Answer, Order, Reply};
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = open(folder.path());
    let beside = Ledger::beside(&folder.path().join("fleet.db")).unwrap();
    let run = coordinator.submit(sums(10), NOW).unwrap();
    let mut give = |order: &Order| {
        assert_eq!(beside.order(order, NOW, Duration::ZERO).unwrap(), Reply::Later);
        step(&mut coordinator);
        let last = beside.connection.query_row(
            "SELECT answer FROM orders ORDER BY id DESC LIMIT 1",
            [],
            |row| row.get::<_, String>(0),
        );
        serde_json::from_str::<Answer>(&last.unwrap()).unwrap()
    };
    let high = Order::Priority { run, priority: Priority::High, share: Some(2.0) };
    assert_eq!(give(&high), Answer::Done("r1 has priority high".to_owned()));
    let stop = Order::Stop { run, reason: "enough".to_owned() };
    assert_eq!(give(&stop), Answer::Done("r1 is stopped".to_owned()));
    assert!(matches!(give(&stop), Answer::Refused(why) if why.contains("enough")));
    assert!(matches!(give(&high), Answer::Refused(why) if why.contains("stopped already")));
    let none = Order::Priority { run: RunId(9), priority: Priority::High, share: None };
    assert!(matches!(give(&none), Answer::Refused(why) if why.contains("no run r9")));
    let nobody = Order::Quarantine { worker: "x".parse().unwrap(), reason: String::new() };
    assert!(matches!(give(&nobody), Answer::Refused(why) if why.contains("no worker x")));
    let submit = Order::Submit {
        name: "n".into(),
        owner: "me".into(),
        spec: Box::new(Spec::sums(1)),
        pins: Pins::default(),
        goal: Some(1),
        priority: Priority::Low,
        share: 1.0,
    };
    assert_eq!(give(&submit), Answer::Done("r2".to_owned()));
    let Order::Submit { name, owner, pins, .. } = submit else { panic!() };
    let (spec, goal, priority) = (Box::new(Spec::sums(u64::MAX)), Some(1), Priority::Low);
    let endless = Order::Submit { name, owner, spec, pins, goal, priority, share: 1.0 };
    assert!(matches!(give(&endless), Answer::Refused(why) if why.contains("too many")));
    for (text, share) in [("2", Some(2.0)), ("0", None), ("-1", None), ("nan", None), ("x", None)] {
        assert_eq!(crate::orders::parse_share(text).ok(), share, "{text}");
    }
    assert_eq!(coordinator.ledger().run(run).unwrap().share, 2.0);
}

#[test]
fn urgent_runs_go_first_and_others_by_their_share() {
    let folder = tempfile::tempdir().unwrap();
    let settings = CoordinatorSettings { lookahead: 30, ..plain() };
    let mut coordinator = open_with(folder.path(), settings);
    let one = coordinator.submit(Submission { share: 2.0, ..sums(100) }, NOW).unwrap();
    let two = coordinator.submit(sums(100), NOW).unwrap();
    step(&mut coordinator);
    let out = |coordinator: &Coordinator, run| coordinator.live(run, NOW).unwrap().0;
    assert_eq!((out(&coordinator, one), out(&coordinator, two)), (20, 10));
    announce(&mut coordinator, "a", "alice");
    let urgent = Submission { priority: Priority::High, ..sums(3) };
    let urgent = coordinator.submit(urgent, NOW).unwrap();
    // There is no room: one is taken, then the urgent run is next.
    let first = lease(&coordinator, "a").unwrap();
    step(&mut coordinator);
    let second = lease(&coordinator, "a").unwrap();
    assert_ne!(first.task.run, urgent);
    assert_eq!(second.task.run, urgent);
}

/// What a worker that died held is somebody else's within 150 seconds.
#[test]
fn a_dead_workers_task_is_leased_again_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::new(folder.path());
    let ledger = Ledger::open(&data.ledger_path()).unwrap();
    let time = Arc::new(ManualTime::new());
    let clock: Arc<dyn think::TimeSource> = Arc::clone(&time) as _;
    let queue = data.queue(&ledger, Settings::default(), clock).unwrap();
    let files = data.files().unwrap();
    let mut coordinator = Coordinator::open(ledger, Arc::new(queue), files, plain()).unwrap();
    coordinator.submit(sums(1), NOW).unwrap();
    announce(&mut coordinator, "dead", "alice");
    announce(&mut coordinator, "alive", "bob");
    let held = lease(&coordinator, "dead").unwrap();
    let mut waited = Duration::ZERO;
    let again = loop {
        if let Some(again) = lease(&coordinator, "alive") {
            break again;
        }
        time.advance(Duration::from_secs(1));
        waited += Duration::from_secs(1);
        assert!(waited <= Duration::from_secs(150));
    };
    assert_eq!(again.key.task, held.key.task);
    assert!(waited >= Duration::from_secs(100), "{waited:?}");
}

/// Works off everything there is with a slot of this process.
fn work_off(coordinator: &mut Coordinator, id: &str) {
    let time = Arc::new(think::WallTime::start());
    let equipment = fleet::perform::Equipment::own(time, 1);
    let mut slot = fleet::perform::Slot::new(&equipment, 0, Arc::default());
    step(coordinator);
    while let Some(lease) = lease(coordinator, id) {
        for number in 0..lease.task.batches {
            let batch = slot.batch(&lease.task, number, &**coordinator.queue()).unwrap();
            coordinator.queue().finish(&lease.key, &batch).unwrap();
        }
        step(coordinator);
        step(coordinator);
    }
}

/// A run of a coordinator writes the very file that the command writes, also after a restart in the middle.
#[test]
fn rescoring_by_a_coordinator_is_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let (path, data) = (folder.path().join("in.psv"), DataFolder::new(folder.path()));
    let mut records = Vec::new();
    let mut position = rules::AnyPosition::startpos(rules::Game::Shogi);
    for number in 0..600 {
        let legal = position.legal_moves();
        let mv = legal[number % legal.len()];
        let rules::AnyPosition::Shogi(board) = &position else { panic!("another game") };
        let record = teacher::psv::encode(board, Some(mv), 7, teacher::Outcome::Draw);
        records.extend(record.unwrap());
        if number % 20 == 19 {
            position = rules::AnyPosition::startpos(rules::Game::Shogi);
        } else {
            position.play(mv);
        }
    }
    std::fs::write(&path, &records).unwrap();
    let limit = corpus::Limit::Nodes(5);
    let inputs = corpus::Inputs {
        paths: vec![path.clone()],
        format: None,
        game: rules::Game::Shogi,
        damaged: corpus::Damaged::Skip,
        stop: None,
    };
    let by_command = folder.path().join("plain.psv");
    let target = corpus::Target { path: by_command.clone(), force: false, resume: false };
    let request =
        corpus::rescore::Rescore { inputs, target, limit, hash: 1, threads: 1, net: None };
    let evaluation = |game| {
        assembly::Evaluation::as_engine(None, game, 16)
            .map_err(|e| corpus::Error::Failed(e.to_string()))
    };
    corpus::rescore::run(&request, evaluation, &|_| ()).unwrap();
    let mut coordinator = open_with(folder.path(), CoordinatorSettings { lookahead: 1, ..plain() });
    let spec = fleet::RescoreSpec {
        game: "shogi".into(),
        inputs: vec![path],
        limit,
        hash: 1,
        net: None,
        fv_scale: 16,
    };
    let request = crate::Request {
        name: "n".into(),
        spec: Spec::Rescore(spec),
        goal: None,
        priority: Priority::Normal,
        share: 1.0,
    };
    data.submit(request, "me", NOW, Duration::ZERO).unwrap();
    announce(&mut coordinator, "a", "alice");
    drop(coordinator);
    let mut coordinator = open(folder.path());
    announce(&mut coordinator, "a", "alice");
    work_off(&mut coordinator, "a");
    let run = coordinator.ledger().runs().unwrap()[0].clone();
    assert_eq!(run.state, RunState::Done, "{}", run.reason);
    assert_eq!(run.progress.unwrap().positions, 600);
    assert!(
        coordinator.ledger().tasks(run.id, false).unwrap().iter().all(|t| t.unit.input.is_none())
    );
    let out = folder.path().join("out.psv");
    assert_eq!(data.export(run.id, &out).unwrap(), 3);
    let (by_command, out) = (std::fs::read(by_command).unwrap(), std::fs::read(out).unwrap());
    assert_ne!(by_command, records);
    assert!(by_command == out, "another file");
}

/// Mates with proofs that can be checked, and openings.
#[test]
fn mates_and_openings_are_runs() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::new(folder.path());
    let mut coordinator = open(folder.path());
    let problems = data.keep("p.sfen", b"4k4/9/4P4/9/9/9/9/9/9 b G 1\n4k4/9/9/9/9/9/9/9/9 b G 1\n");
    let mate = fleet::MateSpec {
        problems: Some(problems.unwrap()),
        hash: 1,
        proof: true,
        ..fleet::MateSpec::default()
    };
    let settings = arena::opening_maker::OpeningSettings {
        game: rules::Game::Minishogi,
        count: 5,
        nodes: 40,
        ..Default::default()
    };
    let specs = [Spec::Mate(mate), Spec::Openings(Box::new(settings.clone()))];
    let runs =
        specs.map(|spec| coordinator.submit(Submission { spec, goal: None, ..sums(1) }, NOW));
    let [mates, openings] = runs.map(Result::unwrap);
    announce(&mut coordinator, "a", "alice");
    work_off(&mut coordinator, "a");
    for run in [mates, openings] {
        let (state, reason) = run_state(&coordinator, run);
        assert_eq!(state, RunState::Done, "{reason}");
    }
    let out = folder.path().join("answers.json");
    assert_eq!(data.export(mates, &out).unwrap(), 2);
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(text.contains("\"answer\":\"mate\"") && text.contains("no-mate"), "{text}");
    let proof = durable::numbered(&out.with_extension("proof"), 1);
    mate::verify(&std::fs::read(proof).unwrap()).unwrap();
    let out = folder.path().join("openings.txt");
    assert_eq!(data.export(openings, &out).unwrap(), 5);
    let time = Arc::new(think::WallTime::start());
    let runner = fleet::perform::Equipment::own(time, 1).runner;
    let plain = settings.make(&runner, &mut |_, _| ()).unwrap();
    assert_eq!(std::fs::read_to_string(out).unwrap(), plain.text);
}

/// Somebody who asks for a run must be told why nothing happens.
#[test]
fn a_run_that_waits_says_what_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = open_with(
        folder.path(),
        CoordinatorSettings { bench: Some(7), known_answers: 1, ..plain() },
    );
    let run = coordinator.submit(sums(200), NOW).unwrap();
    let obstacle = |coordinator: &Coordinator, now: i64| {
        let status = coordinator.status(now).unwrap();
        status.runs[0].obstacle.clone().unwrap_or_default()
    };
    assert!(obstacle(&coordinator, NOW).contains("no worker is there"));
    let come = |coordinator: &mut Coordinator, worker: Worker| {
        coordinator.queue().announce(&worker).unwrap();
        step(coordinator);
    };
    come(&mut coordinator, Worker { bench: 8, ..worker("wrong", "alice") });
    assert!(obstacle(&coordinator, NOW).contains("none of the 1 workers that are there may work"));
    come(&mut coordinator, Worker { cores: 0, ..worker("small", "bob") });
    let small = obstacle(&coordinator, NOW);
    assert!(small.contains("a task takes 1 processor and 0 MiB"), "{small}");
    assert!(small.contains("those that are there have 0 and"), "{small}");
    // On probation is on its way.
    come(&mut coordinator, worker("new", "carol"));
    assert_eq!(obstacle(&coordinator, NOW), "");
    assert!(obstacle(&coordinator, NOW + 1000).contains("no worker is there"), "all are silent");
    // Whoever spoke to the coordinator before is not there because of that.
    drop(coordinator);
    let mut coordinator = open(folder.path());
    for (later, expected) in [(30, ""), (60, "no worker is there")] {
        coordinator.step(NOW + 10, Duration::ZERO).unwrap();
        assert!(obstacle(&coordinator, NOW + later).contains(expected), "{later}");
    }
    coordinator.ledger().set_draining(true).unwrap();
    let shown = coordinator.status(NOW).unwrap();
    assert!(
        shown.draining && shown.run_text(run).unwrap().contains("waits: no task is handed out")
    );
    assert_eq!(coordinator.obstacle(RunId(9), NOW).unwrap(), None, "there is no such run");
}
