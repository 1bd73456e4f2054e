use super::*;
use crate::data_folder::DataFolder;
use fleet::driver::RunProgress;
use fleet::perform::checksum;
use fleet::{Batch, BlobHash, FaultKind, Finished, Lease, Pool, Product, Settings, Usage, Worker};
use std::path::Path;
use think::ManualTime;

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

/// A ledger of the first version: what its runs came to is counted from their results.
#[test]
fn an_older_ledger_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = open(folder.path());
    let run = coordinator.submit(sums(20), NOW).unwrap();
    announce(&mut coordinator, "a", "alice");
    work(&mut coordinator, "a", true);
    let older =
        "ALTER TABLE runs DROP COLUMN progress; DROP TABLE tokens; PRAGMA user_version = 1;";
    coordinator.ledger().connection.execute_batch(older).unwrap();
    drop(coordinator);
    let coordinator = open(folder.path());
    let row = coordinator.ledger().run(run).unwrap();
    assert_eq!(row.progress.map(|progress| progress.done), Some(20));
    coordinator.ledger().connection.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(coordinator);
    let newer = Ledger::open(&folder.path().join("fleet.db"));
    assert!(matches!(newer, Err(FleetError::Version { found: 99, .. })));
}

/// Whatever was committed is there; whatever was not is done again; nothing counts twice.
#[test]
fn a_coordinator_that_was_killed_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = open(folder.path());
    let run = coordinator.submit(sums(50), NOW).unwrap();
    let mut done = 0;
    for round in 0..200 {
        announce(&mut coordinator, "a", "alice");
        let mut kept = Vec::new();
        for _ in 0..7 {
            let Some(lease) = lease(&coordinator, "a") else { break };
            finish(&coordinator, &lease, right(&lease));
            kept.push(lease);
        }
        // Sometimes it dies with results that it has not taken in, sometimes after.
        if round % 2 == 0 {
            step(&mut coordinator);
        }
        if run_state(&coordinator, run).0 == RunState::Done {
            break;
        }
        let before = progress(&coordinator, run).done;
        drop(coordinator);
        coordinator = open(folder.path());
        if run_state(&coordinator, run).0 == RunState::Done {
            break;
        }
        assert_eq!(progress(&coordinator, run).done, before);
        assert!(before >= done);
        done = before;
    }
    let (state, reason) = run_state(&coordinator, run);
    assert_eq!(state, RunState::Done, "{reason}");
    let mut plain = 0_u64;
    for number in 0..50 {
        let Product::Checksum { sum } = checksum(2, 0, number..number + 1) else { panic!() };
        plain = plain.wrapping_add(sum);
    }
    assert_eq!(reason, format!("all sums, together {plain}"));
    let mut results = 0;
    let count = &mut |_| {
        results += 1;
        Ok(())
    };
    coordinator.ledger().each_result(run, count).unwrap();
    assert_eq!(results, 50);
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

/// Killed between its ledger and its word to the queue, while there was no room for another event: the next one makes
/// room, or nothing would ever happen again.
#[test]
fn events_that_the_ledger_has_are_removed_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::new(folder.path());
    let settings = Settings { max_events: 3, ..Settings::default() };
    let queue: Arc<dyn Queue> =
        Arc::new(fleet::InProcess::new(settings, Arc::new(ManualTime::new())));
    for id in ["a", "b", "c"] {
        queue.announce(&worker(id, "alice")).unwrap();
    }
    let full = queue.announce(&worker("d", "alice"));
    assert!(matches!(full, Err(QueueError::Full { .. })), "{full:?}");
    let ledger = Ledger::open(&data.ledger_path()).unwrap();
    ledger.set_cursor(Cursor(3)).unwrap();
    let files = data.files().unwrap();
    Coordinator::open(ledger, Arc::clone(&queue), files, plain()).unwrap();
    queue.announce(&worker("d", "alice")).unwrap();
}

#[test]
fn there_is_one_coordinator() {
    let folder = tempfile::tempdir().unwrap();
    let _first = open(folder.path());
    let second = Ledger::open(&folder.path().join("fleet.db"));
    assert!(matches!(second, Err(FleetError::InUse(_))));
    let nothing = Ledger::beside(&folder.path().join("other.db"));
    assert!(matches!(nothing, Err(FleetError::NoLedger(_))));
}

/// What a liar did before it was caught is done again by others, and the run ends as if it had never been.
#[test]
fn a_liar_is_named_and_what_it_did_is_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = open(folder.path());
    let run = coordinator.submit(sums(30), NOW).unwrap();
    announce(&mut coordinator, "good", "alice");
    announce(&mut coordinator, "liar", "eve");
    for _ in 0..5 {
        let lease = lease(&coordinator, "liar").unwrap();
        finish(&coordinator, &lease, right(&lease));
        step(&mut coordinator);
    }
    assert_eq!(progress(&coordinator, run).done, 5);
    work(&mut coordinator, "liar", false);
    assert_eq!(progress(&coordinator, run).done, 0, "all of it was taken out");
    let refused =
        coordinator.queue().lease(&"liar".parse().unwrap(), &[Pool::any()], Duration::ZERO);
    assert!(matches!(refused, Err(QueueError::Barred { .. })));
    let status = coordinator.status(NOW).unwrap();
    let liar = status.workers.iter().find(|w| w.id.as_str() == "liar").unwrap();
    assert_eq!(liar.standing, Standing::Barred);
    assert!(liar.reason.contains("is wrong"), "{}", liar.reason);
    assert_eq!(status.faults[0].kind, FaultKind::Dishonest.name());
    work(&mut coordinator, "good", true);
    assert_eq!(run_state(&coordinator, run).0, RunState::Done);
    // After a restart it is still barred, and the run still over.
    drop(coordinator);
    let coordinator = open(folder.path());
    let refused =
        coordinator.queue().lease(&"liar".parse().unwrap(), &[Pool::any()], Duration::ZERO);
    assert!(matches!(refused, Err(QueueError::Barred { .. })));
}

/// Somebody else is asked once for what was refused, also by a coordinator that was started anew and whose queue has forgotten
/// that the refused batch had come.
#[test]
fn what_was_refused_counts_once_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = open(folder.path());
    let spec = Spec::Checksum { rounds: 2, batches: 4 };
    let run = coordinator.submit(Submission { spec, ..sums(8) }, NOW).unwrap();
    announce(&mut coordinator, "a", "alice");
    let task = lease(&coordinator, "a").unwrap();
    let sum_of = |lease: &Lease, number: u32| {
        checksum(2, lease.task.seed, lease.task.unit.part(lease.task.batches, number))
    };
    let bring = |coordinator: &Coordinator, lease: &Lease, number: u32, product: Product| {
        let batch = Batch { number, product, usage: Usage::default() };
        coordinator.queue().finish(&lease.key, &batch).unwrap();
    };
    bring(&coordinator, &task, 0, sum_of(&task, 0));
    // A lie, and a right sum that comes too late to be believed.
    bring(&coordinator, &task, 1, Product::Checksum { sum: 3 });
    bring(&coordinator, &task, 2, sum_of(&task, 2));
    step(&mut coordinator);
    assert_eq!(progress(&coordinator, run).done, 0, "all it did is taken out");
    announce(&mut coordinator, "b", "bob");
    while let Some(lease) = lease(&coordinator, "b") {
        if lease.task.batches == 1 {
            bring(&coordinator, &lease, 0, sum_of(&lease, 0));
        }
    }
    step(&mut coordinator);
    assert_eq!(progress(&coordinator, run).done, 3, "what was taken out and refused is done again");
    drop(coordinator);
    let mut coordinator = open(folder.path());
    announce(&mut coordinator, "b", "bob");
    while let Some(lease) = lease(&coordinator, "b") {
        for number in (0..lease.task.batches).filter(|number| !lease.done.contains(number)) {
            bring(&coordinator, &lease, number, sum_of(&lease, number));
        }
        step(&mut coordinator);
    }
    let all = (0..8).fold(0u64, |all, number| match checksum(2, 0, number..number + 1) {
        Product::Checksum { sum } => all.wrapping_add(sum),
        _ => all,
    });
    assert_eq!(run_state(&coordinator, run), (RunState::Done, format!("all sums, together {all}")));
}

#[test]
fn new_workers_answer_what_is_known_first() {
    let folder = tempfile::tempdir().unwrap();
    let settings = CoordinatorSettings {
        check_one_in: 0,
        known_answers: 2,
        bench: Some(7),
        trusted: vec!["alice".parse().unwrap()],
        ..CoordinatorSettings::default()
    };
    let mut coordinator = open_with(folder.path(), settings);
    let run = coordinator.submit(sums(100), NOW).unwrap();
    announce(&mut coordinator, "a", "alice");
    for _ in 0..5 {
        let lease = lease(&coordinator, "a").unwrap();
        finish(&coordinator, &lease, right(&lease));
        step(&mut coordinator);
    }
    // A right one: two known answers, then it is admitted.
    announce(&mut coordinator, "b", "bob");
    for _ in 0..2 {
        let lease = lease(&coordinator, "b").unwrap();
        assert_eq!(lease.task.needs.pool.as_str(), "@b");
        assert!(lease.task.unit.first < 5, "{:?}", lease.task.unit);
        finish(&coordinator, &lease, right(&lease));
        step(&mut coordinator);
    }
    assert_eq!(lease(&coordinator, "b").unwrap().task.needs.pool, Pool::any());
    assert_eq!(progress(&coordinator, run).done, 5, "known answers do not count");
    // A wrong one never gets so far.
    announce(&mut coordinator, "c", "carol");
    work(&mut coordinator, "c", false);
    let status = coordinator.status(NOW).unwrap();
    let standing =
        |id: &str| status.workers.iter().find(|w| w.id.as_str() == id).map(|w| w.standing).unwrap();
    assert_eq!(standing("b"), Standing::Admitted);
    assert_eq!(standing("c"), Standing::Barred);
    // One whose executable computes something else is not even asked.
    coordinator.queue().announce(&Worker { bench: 8, ..worker("d", "dave") }).unwrap();
    step(&mut coordinator);
    step(&mut coordinator);
    assert!(lease(&coordinator, "d").is_none());
    let status = coordinator.status(NOW).unwrap();
    assert!(status.faults[0].reason.contains("bench 8"), "{:?}", status.faults[0]);
}

/// Sums are checked when they come, so answers that differ are made of text here: a run whose driver
/// believes anything would not be caught otherwise.
#[test]
fn second_owners_do_some_tasks_too() {
    let folder = tempfile::tempdir().unwrap();
    let settings = CoordinatorSettings { check_one_in: 1, ..plain() };
    let mut coordinator = open_with(folder.path(), settings);
    let run = coordinator.submit(sums(40), NOW).unwrap();
    announce(&mut coordinator, "a", "alice");
    announce(&mut coordinator, "a2", "alice");
    announce(&mut coordinator, "b", "bob");
    let lease_a = lease(&coordinator, "a").unwrap();
    finish(&coordinator, &lease_a, right(&lease_a));
    step(&mut coordinator);
    assert!(lease(&coordinator, "a2").unwrap().task.needs.pool == Pool::any(), "the same owner");
    let check = lease(&coordinator, "b").unwrap();
    assert_eq!((check.task.needs.pool.as_str(), &check.task.unit), ("@b", &lease_a.task.unit));
    finish(&coordinator, &check, Product::Checksum { sum: 1 });
    step(&mut coordinator);
    step(&mut coordinator);
    // Nobody is left to decide: neither is better proven, so the second is not believed.
    let status = coordinator.status(NOW).unwrap();
    let b = status.workers.iter().find(|w| w.id.as_str() == "b").unwrap();
    assert_eq!(b.standing, Standing::Barred, "{status:?}");
    assert!(b.reason.contains("not what a computed"), "{}", b.reason);
    assert_eq!(progress(&coordinator, run).done, 1);
    // With a third owner the third decides.
    announce(&mut coordinator, "c", "carol");
    announce(&mut coordinator, "d", "dave");
    let work = lease(&coordinator, "a").unwrap();
    finish(&coordinator, &work, right(&work));
    step(&mut coordinator);
    step(&mut coordinator);
    let mine = |id: &str| lease(&coordinator, id).filter(|l| l.task.needs.pool.is_private());
    let (liar, check) = match (mine("c"), mine("d")) {
        (Some(check), None) => ("c", check),
        (None, Some(check)) => ("d", check),
        other => panic!("one of them: {other:?}"),
    };
    finish(&coordinator, &check, Product::Checksum { sum: 2 });
    step(&mut coordinator);
    step(&mut coordinator);
    let third = if liar == "c" { "d" } else { "c" };
    let decides = lease(&coordinator, third).unwrap();
    assert_eq!(decides.task.unit, check.task.unit);
    finish(&coordinator, &decides, right(&decides));
    step(&mut coordinator);
    let third_standing = |coordinator: &Coordinator, id: &str| {
        let status = coordinator.status(NOW).unwrap();
        status.workers.iter().find(|w| w.id.as_str() == id).map(|w| w.standing).unwrap()
    };
    assert_eq!(third_standing(&coordinator, third), Standing::Admitted);
    assert_eq!(third_standing(&coordinator, "a"), Standing::Admitted);
    assert_eq!(third_standing(&coordinator, liar), Standing::Barred);
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

/// Results that no rule forbids and no other worker has.
#[test]
fn who_differs_from_all_others_is_barred_before_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = open(folder.path());
    let run = coordinator.submit(sums(100), NOW).unwrap();
    for (id, owner) in [("a", "alice"), ("b", "bob"), ("c", "carol"), ("d", "dave")] {
        announce(&mut coordinator, id, owner);
    }
    let rows = |rows: &[(&str, [u64; 3])]| -> HashMap<WorkerId, [u64; 3]> {
        rows.iter().map(|(id, row)| (id.parse().unwrap(), *row)).collect()
    };
    let odd = ("d", [120, 60, 20]);
    let alike = [("a", [50, 100, 50]), ("b", [52, 97, 51]), ("c", [48, 103, 49])];
    coordinator.rows.insert(run, rows(&[alike[0], odd]));
    assert!(!coordinator.bar_outlier(run, NOW).unwrap(), "which of two?");
    coordinator.rows.insert(run, rows(&alike));
    assert!(!coordinator.bar_outlier(run, NOW).unwrap());
    coordinator.rows.insert(run, rows(&[alike[0], alike[1], alike[2], odd]));
    assert!(coordinator.bar_outlier(run, NOW).unwrap());
    let status = coordinator.status(NOW).unwrap();
    let barred: Vec<&str> = status
        .workers
        .iter()
        .filter(|worker| worker.standing == Standing::Barred)
        .map(|worker| worker.id.as_str())
        .collect();
    assert_eq!(barred, ["d"]);
    assert!(status.faults[0].reason.contains("deviations from the others"), "{status:?}");
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

/// Whoever asks for a run has the fleet's folder; the queue may keep blobs elsewhere, with a broker.
#[test]
fn files_of_a_run_reach_the_store_of_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::new(folder.path());
    let ledger = Ledger::open(&data.ledger_path()).unwrap();
    let queue = fleet::InProcess::new(Settings::default(), Arc::new(ManualTime::new()));
    let settings = CoordinatorSettings { speed: Some(123), ..plain() };
    let mut coordinator =
        Coordinator::open(ledger, Arc::new(queue), data.files().unwrap(), settings).unwrap();
    let openings = folder.path().join("o.txt");
    std::fs::write(&openings, "startpos moves 7g7f\n").unwrap();
    let request = arena::request::MatchRequest {
        engines: vec!["cmd=self,name=a,nodes=1".into(), "cmd=self,name=b,nodes=1".into()],
        openings: Some(openings.clone()),
        games: 2,
        // Files of whoever asks, which stay there.
        out: Some(folder.path().join("games.csa")),
        log: Some(folder.path().into()),
        force: true,
        ..Default::default()
    };
    let spec = fleet::MatchSpec { request, reference_speed: None };
    let request = crate::Request {
        name: "n".into(),
        spec: Spec::Match(Box::new(spec)),
        goal: None,
        priority: Priority::Normal,
        share: 1.0,
    };
    data.submit(request, "me", NOW, Duration::ZERO).unwrap();
    step(&mut coordinator);
    let row = &coordinator.ledger().runs().unwrap()[0];
    assert_eq!((row.state, row.pins.files.len()), (RunState::Active, 1));
    assert_eq!(row.pins.reference_speed, Some(123), "clocks are the coordinator's");
    let Spec::Match(kept) = &*row.spec else { panic!() };
    assert_eq!((&kept.request.out, &kept.request.log, kept.request.force), (&None, &None, false));
    let hash = BlobHash::of(&std::fs::read(openings).unwrap());
    assert!(coordinator.queue().blob_length(&hash).unwrap().is_some());
}

/// Ledger and file hold no token, and the file follows the ledger.
#[test]
fn tokens_are_kept_as_hashes() {
    use crate::connections::{new_token, revoke_tokens};
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::new(folder.path());
    let token =
        |name: &str| new_token(&data, name.parse().unwrap(), "me".parse().unwrap(), NOW).unwrap();
    let first = token("w");
    let text = || std::fs::read_to_string(data.tokens_path()).unwrap();
    let hash = |token: &str| BlobHash::of(token.as_bytes()).to_string();
    assert!(text().contains(&format!("w me {}", hash(&first))), "{}", text());
    assert!(!text().contains(&first));
    // A line that somebody wrote by hand is taken in.
    let by_hand = format!("v me {}\n", BlobHash::of(b"x"));
    std::fs::write(data.tokens_path(), text() + &by_hand).unwrap();
    let second = token("u");
    assert!(text().contains(&by_hand) && text().contains(&hash(&second)));
    assert_eq!(revoke_tokens(&data, &"w".parse().unwrap()).unwrap(), 1);
    assert!(!text().contains(&hash(&first)) && text().contains(&hash(&second)));
    assert_eq!(revoke_tokens(&data, &"w".parse().unwrap()).unwrap(), 0);
}

/// A new worker that never answered what is known is asked again, not left standing for ever.
#[test]
fn who_never_answered_is_examined_anew() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::new(folder.path());
    let ledger = Ledger::open(&data.ledger_path()).unwrap();
    let once = Settings { max_attempts: 1, ..Settings::default() };
    let queue = data.queue(&ledger, once, Arc::new(ManualTime::new())).unwrap();
    let settings = CoordinatorSettings { known_answers: 1, ..plain() };
    let files = data.files().unwrap();
    let mut coordinator = Coordinator::open(ledger, Arc::new(queue), files, settings).unwrap();
    coordinator.submit(sums(3), NOW).unwrap();
    announce(&mut coordinator, "a", "alice");
    let first = lease(&coordinator, "a").unwrap();
    assert!(first.task.needs.pool.is_private());
    coordinator.queue().fail(&first.key, &Fault::new(FaultKind::Machine, "a drill")).unwrap();
    step(&mut coordinator);
    step(&mut coordinator);
    let second = lease(&coordinator, "a").expect("another one");
    assert!(second.task.needs.pool.is_private() && second.task.id != first.task.id);
    finish(&coordinator, &second, right(&second));
    step(&mut coordinator);
    assert_eq!(work(&mut coordinator, "a", true), 3, "admitted");
}

/// A broker that dies while a coordinator takes up its ledger is told everything when it is back.
#[test]
fn what_a_broker_that_is_away_was_not_told_it_is_told_later() {
    use fixtures::nats::NatsServer;
    let Some(mut server) = NatsServer::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::new(folder.path());
    let mut before = open(folder.path());
    let run = before.submit(sums(1), NOW).unwrap();
    announce(&mut before, "a", "alice");
    drop(before);
    let ledger = Ledger::open(&data.ledger_path()).unwrap();
    let (options, after) = (jetstream::Options::new(server.url()), ledger.cursor().unwrap());
    let host = jetstream::Host::start_after(&options, Settings::default(), after).unwrap();
    server.kill();
    let opened = Coordinator::open(ledger, Arc::new(host), data.files().unwrap(), plain());
    let mut coordinator = opened.unwrap();
    server.run();
    let patience = std::time::Instant::now() + Duration::from_secs(60);
    while run_state(&coordinator, run).0 != RunState::Done {
        assert!(std::time::Instant::now() < patience, "nothing goes on");
        coordinator.step(NOW, Duration::from_millis(20)).unwrap();
        let id: WorkerId = "a".parse().unwrap();
        let leased = coordinator.queue().lease(&id, &[Pool::any()], Duration::ZERO);
        if let Ok(Some(lease)) = leased {
            let batch = Batch { number: 0, product: right(&lease), usage: Usage::default() };
            // What is not answered is leased again.
            let _ = coordinator.queue().finish(&lease.key, &batch);
        }
    }
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

/// A program that was halted while it wrote to the ledger ends no coordinator, and nothing is lost.
#[test]
fn a_ledger_that_somebody_holds_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = open(folder.path());
    coordinator.ledger.connection.busy_timeout(Duration::from_millis(20)).unwrap();
    let run = coordinator.submit(sums(3), NOW).unwrap();
    announce(&mut coordinator, "a", "alice");
    let lease = lease(&coordinator, "a").unwrap();
    let other = DataFolder::new(folder.path()).beside().unwrap();
    other.begin().unwrap();
    finish(&coordinator, &lease, right(&lease));
    for _ in 0..3 {
        assert!(!coordinator.step(NOW, Duration::ZERO).unwrap(), "nothing can be written down");
    }
    assert_eq!(progress(&coordinator, run).done, 0);
    other.roll_back();
    step(&mut coordinator);
    assert_eq!(progress(&coordinator, run).done, 1);
}

/// Whoever asks whether a coordinator is running holds its lock for a moment.
#[test]
fn being_asked_for_keeps_no_coordinator_away() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataFolder::new(folder.path());
    drop(open(folder.path()));
    let path = folder.path().join("fleet.db.lock");
    let held = durable::Lock::exclusive(&path).unwrap().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(60));
            drop(held);
        });
        drop(open(folder.path()));
    });
    assert!(!data.is_served());
}
