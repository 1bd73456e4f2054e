use super::*;
use crate::home::Home;
use fleet::driver::RunProgress;
use fleet::perform::checksum;
use fleet::{Batch, BlobHash, FaultKind, Finished, Lease, Product, Settings, Usage, Worker};
use std::path::Path;
use think::ManualTime;

const NOW: i64 = 1_000;

fn open_with(folder: &Path, settings: CoordinatorSettings) -> Coordinator {
    let home = Home::new(folder);
    let ledger = Ledger::open(&home.ledger_path()).unwrap();
    let queue = home.queue(&ledger, Settings::default(), Arc::new(ManualTime::new())).unwrap();
    Coordinator::open(ledger, Arc::new(queue), home.files().unwrap(), settings).unwrap()
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
        spec: Spec::Checksum { rounds: 2 },
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
        cores: 1,
        memory_mib: 1,
        speed: 1,
        bench: 7,
        version: "1".to_owned(),
        pools: vec![Pool::any()],
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
    let Spec::Checksum { rounds } = *lease.task.spec else { panic!("no sum") };
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
    let text = crate::metrics::text(&coordinator, NOW);
    assert!(text.contains("nue_fleet_results_total 200"), "{text}");
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
    let nobody = Order::Quarantine { worker: "x".parse().unwrap(), reason: String::new() };
    assert!(matches!(give(&nobody), Answer::Refused(why) if why.contains("no worker x")));
    let submit = Order::Submit {
        name: "n".into(),
        owner: "me".into(),
        spec: Box::new(Spec::Checksum { rounds: 1 }),
        pins: Pins::default(),
        goal: Some(1),
        priority: Priority::Low,
        share: 1.0,
    };
    assert_eq!(give(&submit), Answer::Done("r2".to_owned()));
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

/// The file of tokens holds no token.
#[test]
fn tokens_are_kept_as_hashes() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path());
    let token = crate::connections::new_token(&home, "w".parse().unwrap(), "me".parse().unwrap());
    let token = token.unwrap();
    let text = std::fs::read_to_string(home.tokens_path()).unwrap();
    assert!(text.starts_with("w me "), "{text}");
    assert!(!text.contains(&token) && text.contains(&BlobHash::of(token.as_bytes()).to_string()));
}
