//! Workers that are examined, second opinions, and those that are barred.

use super::*;

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
