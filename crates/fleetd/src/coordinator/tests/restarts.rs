//! Ends, restarts, and what the ledger and the queue keep through them.

use super::*;

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
