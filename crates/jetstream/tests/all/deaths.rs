//! What outlives broker, host and workers.

use fixtures::nats::NatsServer;
use fleet::conformance::{batch, name, task};
use fleet::{
    Cursor, Event, Finished, Lease, Offered, Pool, Queue, QueueError, RunId, Settings, Standing,
    Task, TaskId,
};
use jetstream::{Host, Options, StartError, join};
use std::time::{Duration, Instant};

/// How soon work goes on after the broker is back, on a machine with much else to do. How soon it does on
/// an idle one is measured by `script/fleet-numbers`.
const SOON: Duration = Duration::from_secs(60);

fn settings() -> Settings {
    Settings { lease: Duration::from_secs(60), ..Settings::default() }
}

/// Repeats a call until it succeeds, as workers do.
fn repeat<T>(what: &str, mut call: impl FnMut() -> Result<T, QueueError>) -> T {
    let begun = Instant::now();
    loop {
        match call() {
            Ok(value) => return value,
            Err(e) if e.is_passing() && begun.elapsed() < SOON => {
                std::thread::sleep(Duration::from_millis(50));
            }
            Err(e) => panic!("{what} after {:?}: {e}", begun.elapsed()),
        }
    }
}

fn lease(queue: &dyn Queue, worker: &str) -> Lease {
    let wait = Duration::from_secs(5);
    let asked = repeat("lease", || queue.lease(&name(worker), &[Pool::any()], wait));
    asked.unwrap_or_else(|| panic!("nothing for {worker}"))
}

fn finished(queue: &dyn Queue) -> Vec<(TaskId, u32)> {
    let events = repeat("watch", || queue.watch(Cursor(0), 1000, Duration::ZERO));
    let named = events.into_iter().filter_map(|(_, event)| match event {
        Event::Finished { task, batch, .. } => Some((task, batch.number)),
        _ => None,
    });
    named.collect()
}

#[test]
fn work_goes_on_when_the_broker_is_back() {
    let Some(mut server) = NatsServer::start() else { return };
    let options = Options::new(server.url());
    let host = Host::start(&options, settings()).unwrap();
    let worker = join(&options).unwrap();
    host.stand(&name("a"), Standing::Admitted).unwrap();
    for id in 1..=20 {
        host.offer(&task(id)).unwrap();
    }
    let blob = worker.put_blob(&[5; 200_000]).unwrap();
    let mut done = 0;
    for round in 0..3 {
        let held = lease(&worker, "a");
        worker.finish(&lease(&worker, "a").key, &batch(0)).unwrap();
        server.kill();
        let lost = worker.finish(&held.key, &batch(0));
        assert!(matches!(lost, Err(QueueError::Unavailable { .. })), "{lost:?}");
        server.run();
        let back = Instant::now();
        // Whether the lost call has happened, nobody knows: it may be repeated.
        repeat("finish", || worker.finish(&held.key, &batch(0)));
        worker.finish(&lease(&worker, "a").key, &batch(0)).unwrap();
        assert!(back.elapsed() < SOON, "{:?}", back.elapsed());
        done += 3;
        assert_eq!(finished(&host).len(), done, "round {round}");
    }
    assert_eq!(worker.get_blob(&blob, 131_070..131_074).unwrap(), [5; 4]);
}

/// Seen in storms: a broker that was killed while it removed events gave numbers again that the ledger had, and the results
/// under them were taken for old ones. Here it has forgotten everything.
#[test]
fn numbers_go_on_after_those_the_ledger_has() {
    let Some(mut server) = NatsServer::start() else { return };
    let options = Options::new(server.url());
    let host = Host::start(&options, settings()).unwrap();
    host.stand(&name("a"), Standing::Admitted).unwrap();
    for id in 1..=4 {
        host.offer(&task(id)).unwrap();
    }
    for _ in 0..3 {
        host.finish(&lease(&host, "a").key, &batch(0)).unwrap();
    }
    let ledger = host.watch(Cursor(0), 10, Duration::ZERO).unwrap().last().unwrap().0;
    drop(host);
    server.kill();
    std::fs::remove_dir_all(server.folder().join("jetstream")).unwrap();
    server.run();
    let host = Host::start_after(&options, settings(), ledger).unwrap();
    host.stand(&name("a"), Standing::Admitted).unwrap();
    host.acknowledge(ledger).unwrap();
    host.offer(&task(4)).unwrap();
    host.finish(&lease(&host, "a").key, &batch(0)).unwrap();
    let events = repeat("watch", || host.watch(ledger, 10, Duration::from_secs(2)));
    let told: Vec<(u64, bool)> = events
        .iter()
        .map(|(cursor, event)| (cursor.0, matches!(event, Event::Finished { .. })))
        .collect();
    assert_eq!(told, [(ledger.0 + 1, true)]);
    drop(host);
    let host = Host::start_after(&options, settings(), ledger).unwrap();
    assert_eq!(
        finished(&host),
        [(TaskId(4), 0)],
        "read back, without what only stands for numbers"
    );
}

/// A worker that waits for a host that died is answered by the one after it, not by its own patience.
#[test]
fn a_host_that_starts_is_heard() {
    let Some(server) = NatsServer::start() else { return };
    let options = Options::new(server.url());
    let host = Host::start(&options, settings()).unwrap();
    let worker = join(&options).unwrap();
    host.stand(&name("a"), Standing::Admitted).unwrap();
    let mut host = Some(host);
    // The quickest of a few: other work on the machine is not what is measured.
    let quickest = (0..5).map(|_| {
        std::thread::scope(|scope| {
            // It waits for a task, which the host it has asked will never have.
            let asked = scope.spawn(|| {
                let begun = Instant::now();
                let wait = Duration::from_secs(120);
                (worker.lease(&name("a"), &[Pool::any()], wait), begun.elapsed())
            });
            std::thread::sleep(Duration::from_millis(300));
            drop(host.take());
            host = Some(Host::start(&options, settings()).unwrap());
            let (told, after) = asked.join().unwrap();
            assert!(matches!(told, Err(QueueError::Unavailable { .. })), "{told:?}");
            after
        })
    });
    let soon = quickest.into_iter().find(|after| *after < Duration::from_secs(2));
    assert!(soon.is_some(), "it waits on for a host that is gone");
    let host = host.unwrap();
    host.offer(&task(1)).unwrap();
    assert_eq!(lease(&worker, "a").task.id, TaskId(1));
}

/// While there is no room for events nothing is handed in, but leases go on: the journal is written. When there is room
/// again everything goes on, and nothing is lost or there twice.
#[test]
fn the_journal_is_written_while_events_have_no_room() {
    let Some(server) = NatsServer::start() else { return };
    let options = Options { max_event_bytes: 8 << 10, ..Options::new(server.url()) };
    let host = Host::start(&options, settings()).unwrap();
    host.stand(&name("a"), Standing::Admitted).unwrap();
    host.offer(&Task { batches: 1000, ..task(1) }).unwrap();
    for id in 2..=5 {
        host.offer(&task(id)).unwrap();
    }
    let held = lease(&host, "a");
    let numbered = |number: u32| fleet::Batch { number, ..batch(0) };
    let full = (0..1000).find(|&number| host.finish(&held.key, &numbered(number)).is_err());
    let full = full.expect("no end of room");
    let refused = host.finish(&held.key, &numbered(full));
    assert!(
        matches!(refused, Err(QueueError::Unavailable { .. })) || refused.is_ok(),
        "{refused:?}"
    );
    // Leases are given, at once, and outlive the host.
    let begun = Instant::now();
    let wait = Duration::from_secs(120);
    let second = host.lease(&name("a"), &[Pool::any()], wait).unwrap().unwrap();
    assert!(begun.elapsed() < wait / 2, "{:?}", begun.elapsed());
    drop(host);
    let host = Host::start(&options, settings()).unwrap();
    let known: Vec<(TaskId, u32)> = finished(&host);
    let stored: Vec<(TaskId, u32)> = (0..full).map(|number| (TaskId(1), number)).collect();
    assert_eq!(known, stored, "what was accepted is there, what was not is not");
    host.extend(&second.key).unwrap();
    let last = host.watch(Cursor(0), 1000, Duration::ZERO).unwrap().last().unwrap().0;
    host.acknowledge(last).unwrap();
    let brought = repeat("finish", || host.finish(&held.key, &numbered(full)));
    assert_eq!(brought, Finished::Accepted);
    repeat("finish", || host.finish(&second.key, &batch(0)));
    let events = repeat("watch", || host.watch(last, 10, Duration::from_secs(1)));
    assert!(!events.is_empty());
    assert_eq!(repeat("again", || host.finish(&held.key, &numbered(0))), Finished::Duplicate);
}

/// Settings of a server whose store has so many bytes.
fn with_store(folder: &std::path::Path, bytes: u64) -> String {
    let file = folder.join("server.conf");
    let text = format!("jetstream {{ max_memory_store: 1MB, max_file_store: {bytes} }}\n");
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

/// A store that is full takes neither events nor journal: everybody is told so, and when it has room work goes on.
#[test]
fn a_full_store_stops_everything_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = with_store(folder.path(), 2 << 20);
    let Some(mut server) = NatsServer::with(&["-c", &file]) else { return };
    let options = Options { max_event_bytes: 256 << 10, ..Options::new(server.url()) };
    let host = Host::start(&options, settings()).unwrap();
    let worker = join(&options).unwrap();
    host.stand(&name("a"), Standing::Admitted).unwrap();
    for id in 1..=3 {
        host.offer(&Task { batches: 100, ..task(id) }).unwrap();
    }
    let held = lease(&worker, "a");
    let numbered = |number: u32| fleet::Batch { number, ..batch(0) };
    worker.finish(&held.key, &numbered(0)).unwrap();
    let full = (0..64_u8).find_map(|fill| worker.put_blob(&[fill; 100_000]).err());
    assert!(
        matches!(full, Some(QueueError::Full { .. } | QueueError::Unavailable { .. })),
        "{full:?}"
    );
    // Small pieces take what is left.
    for fill in 0..2000_u32 {
        if worker.put_blob(&fill.to_le_bytes().repeat(250)).is_err() {
            break;
        }
    }
    let refused = |number: &u32| match worker.finish(&held.key, &numbered(*number)) {
        Ok(_) => false,
        Err(e) if e.is_passing() => true,
        Err(e) => panic!("{e}"),
    };
    let first = (1..100).find(refused).expect("no end of room");
    let refused = worker.lease(&name("a"), &[Pool::any()], Duration::ZERO);
    assert!(refused.as_ref().is_err_and(QueueError::is_passing), "{refused:?}");
    server.kill();
    with_store(folder.path(), 64 << 20);
    server.run();
    let back = Instant::now();
    repeat("finish", || worker.finish(&held.key, &numbered(first)));
    let again = repeat("finish", || worker.finish(&held.key, &numbered(0)));
    assert_eq!(again, Finished::Duplicate);
    worker.finish(&lease(&worker, "a").key, &batch(0)).unwrap();
    assert!(back.elapsed() < SOON, "{:?}", back.elapsed());
    let mut known = finished(&host);
    assert!(known.pop().is_some_and(|(task, _)| task != TaskId(1)), "of the task leased last");
    let expected: Vec<(TaskId, u32)> = (0..=first).map(|number| (TaskId(1), number)).collect();
    assert_eq!(known, expected, "each once");
}

#[test]
fn nothing_is_lost_with_the_host() {
    let Some(server) = NatsServer::start() else { return };
    let options = Options::new(server.url());
    let host = Host::start(&options, settings()).unwrap();
    let worker = join(&options).unwrap();
    host.stand(&name("a"), Standing::Admitted).unwrap();
    host.stand(&name("bad"), Standing::Barred).unwrap();
    for id in 1..=4 {
        host.offer(&Task { batches: 2, ..task(id) }).unwrap();
    }
    host.offer(&Task { run: RunId(2), ..task(9) }).unwrap();
    let [first, second, third] = [(); 3].map(|()| lease(&worker, "a"));
    worker.finish(&first.key, &batch(0)).unwrap();
    worker.finish(&first.key, &batch(1)).unwrap();
    worker.finish(&second.key, &batch(1)).unwrap();
    host.withdraw(RunId(2)).unwrap();
    let cursor = host.watch(Cursor(0), 1, Duration::ZERO).unwrap()[0].0;
    host.acknowledge(cursor).unwrap();
    // Removed from the broker a moment later; what comes again is harmless, but here it is counted.
    std::thread::sleep(Duration::from_millis(500));
    drop(host);
    let alone = worker.extend(&second.key);
    assert!(matches!(alone, Err(QueueError::Unavailable { .. })), "{alone:?}");

    let host = Host::start(&options, settings()).unwrap();
    repeat("extend", || worker.extend(&second.key));
    assert_eq!(finished(&host), [(TaskId(1), 1), (TaskId(2), 1)]);
    let again = |id: u64| host.offer(&Task { batches: 2, ..task(id) });
    assert_eq!(again(1), Ok(Offered::Known), "done");
    assert_eq!(again(2), Ok(Offered::Known), "leased");
    assert_eq!(again(4), Ok(Offered::Accepted), "it only waited");
    assert_eq!(worker.finish(&first.key, &batch(1)), Ok(Finished::Duplicate));
    assert_eq!(worker.finish(&second.key, &batch(1)), Ok(Finished::Duplicate));
    assert_eq!(worker.finish(&second.key, &batch(0)), Ok(Finished::Accepted));
    assert_eq!(worker.finish(&third.key, &batch(0)), Ok(Finished::Accepted));
    let withdrawn = host.offer(&Task { run: RunId(2), ..task(10) });
    assert_eq!(withdrawn, Err(QueueError::Withdrawn { run: RunId(2) }));
    let barred = worker.lease(&name("bad"), &[Pool::any()], Duration::ZERO);
    assert_eq!(barred, Err(QueueError::Barred { worker: name("bad") }));
    assert_eq!(lease(&worker, "a").task.id, TaskId(4));
}

#[test]
fn there_is_one_host() {
    let Some(server) = NatsServer::start() else { return };
    let options = Options::new(server.url());
    let host = Host::start(&options, settings()).unwrap();
    let second = Host::start(&options, settings());
    assert!(matches!(second, Err(StartError::Taken { .. })), "{second:?}");
    let other = Options { prefix: "other".to_owned(), ..options.clone() };
    Host::start(&other, settings()).unwrap();
    drop(host);
    Host::start(&options, settings()).unwrap();
}

/// The journal is written anew when it has become long, and says the same.
#[test]
fn a_long_journal_is_written_anew() {
    let Some(server) = NatsServer::start() else { return };
    let options = Options::new(server.url());
    let host = Host::start(&options, settings()).unwrap();
    host.stand(&name("a"), Standing::Admitted).unwrap();
    host.offer(&Task { batches: 2, ..task(1) }).unwrap();
    let kept = lease(&host, "a");
    host.finish(&kept.key, &batch(1)).unwrap();
    std::thread::scope(|scope| {
        for part in 0..16 {
            let host = &host;
            scope.spawn(move || {
                for run in 0..700 {
                    host.withdraw(RunId(100 + run % 2 + 10 * part)).unwrap();
                }
            });
        }
    });
    drop(host);
    let begun = Instant::now();
    let host = Host::start(&options, settings()).unwrap();
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert_eq!(host.finish(&kept.key, &batch(1)), Ok(Finished::Duplicate));
    assert_eq!(host.finish(&kept.key, &batch(0)), Ok(Finished::Accepted));
}
