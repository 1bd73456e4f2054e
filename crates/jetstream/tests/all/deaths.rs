//! What outlives broker, host and workers.

use fixtures::nats::NatsServer;
use fleet::conformance::{batch, name, task};
use fleet::{
    Cursor, Event, Finished, Lease, Offered, Pool, Queue, QueueError, RunId, Settings, Standing,
    Task, TaskId,
};
use jetstream::{Host, Options, StartError, join};
use std::time::{Duration, Instant};

/// How soon work goes on after the broker is back.
const SOON: Duration = Duration::from_secs(5);

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
