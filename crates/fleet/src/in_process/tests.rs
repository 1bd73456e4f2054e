use super::*;
use crate::conformance::{self, Harness};
use think::ManualTime;

struct Virtual {
    time: Arc<ManualTime>,
}

impl Harness for Virtual {
    fn queue(&self, settings: Settings) -> Arc<dyn Queue> {
        Arc::new(InProcess::new(settings, Arc::clone(&self.time) as Arc<dyn TimeSource>))
    }

    fn settings(&self) -> Settings {
        Settings::default()
    }

    fn pass(&self, time: Duration) {
        self.time.advance(time);
    }
}

#[test]
fn keeps_the_contract() {
    conformance::all(&Virtual { time: Arc::new(ManualTime::new()) });
}

/// Many tasks leave nothing behind but what is to be remembered.
#[test]
fn memory_does_not_grow() {
    let settings = Settings { remembered: 100, ..Settings::default() };
    let queue = InProcess::new(settings, Arc::new(ManualTime::new()));
    let worker: WorkerId = "w".parse().unwrap();
    queue.stand(&worker, Standing::Admitted).unwrap();
    for id in 0..2000 {
        queue.offer(&conformance::task(id)).unwrap();
        let lease = queue.lease(&worker, &[Pool::any()], Duration::ZERO).unwrap().unwrap();
        queue.finish(&lease.key, &conformance::batch(0)).unwrap();
        queue.acknowledge(Cursor(u64::MAX)).unwrap();
    }
    assert_eq!(queue.state().sizes(), [100, 0, 0, 0, 100]);
}

/// A queue that goes on where another ended: who held something still does, what is there is known.
#[test]
fn goes_on_where_another_ended() {
    let time = Arc::new(ManualTime::new());
    let name = conformance::name;
    let kept_task = |id: u64, worker: &str, done: &[u32], over: bool| KeptTask {
        task: Task { batches: 2, ..conformance::task(id) },
        worker: name(worker),
        secret: format!("s{id}"),
        attempt: 2,
        done: done.to_vec(),
        over,
    };
    let finished = |id: u64, number: u32| Event::Finished {
        task: crate::TaskId(id),
        run: RunId(1),
        worker: name("a"),
        batch: Box::new(conformance::batch(number)),
    };
    let kept = Kept {
        tasks: vec![
            kept_task(1, "a", &[], false),
            kept_task(2, "a", &[0], false),
            kept_task(3, "a", &[1, 0], false),
            kept_task(4, "a", &[], true),
            kept_task(5, "bad", &[], false),
        ],
        // The second batch of task 2 is an event, and nowhere else: its record was never written.
        events: vec![(Cursor(7), finished(2, 1))],
        cursor: Cursor(9),
        withdrawn: vec![RunId(8)],
        standings: vec![(name("a"), Standing::Admitted), (name("bad"), Standing::Barred)],
        draining: false,
    };
    let settings = Settings::default();
    let blobs = Blobs::in_memory(0, 0);
    let queue = InProcess::restored(settings.clone(), Arc::clone(&time) as _, blobs, kept);
    let key =
        |id: u64| LeaseKey { task: crate::TaskId(id), worker: name("a"), secret: format!("s{id}") };
    assert_eq!(queue.extend(&key(1)), Ok(()));
    assert_eq!(queue.finish(&key(2), &conformance::batch(1)), Ok(Finished::Duplicate));
    for over in [2, 3, 4] {
        assert_eq!(queue.offer(&conformance::task(over)), Ok(Offered::Known), "{over}");
        assert!(queue.extend(&key(over)).is_err(), "{over}");
    }
    assert_eq!(
        queue.offer(&conformance::task(5)),
        Ok(Offered::Accepted),
        "taken from who is barred"
    );
    assert_eq!(queue.withdraw(RunId(8)), Ok(()));
    assert_eq!(queue.finish(&key(1), &conformance::batch(0)), Ok(Finished::Accepted));
    let cursors: Vec<u64> = queue
        .watch(Cursor(0), 10, Duration::ZERO)
        .unwrap()
        .iter()
        .map(|(cursor, _)| cursor.0)
        .collect();
    assert_eq!(cursors, [7, 10], "numbers go on");
    time.advance(settings.lease);
    let lease = queue.lease(&name("a"), &[Pool::any()], Duration::ZERO).unwrap().unwrap();
    assert_eq!((lease.task.id.0, lease.attempt, lease.done), (1, 3, vec![0]));
}
