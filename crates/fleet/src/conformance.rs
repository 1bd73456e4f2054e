//! The tests every [`Queue`] must pass. A queue's own crate calls [`all`], or one test for each of [`TESTS`], with a
//! [`Harness`] that makes queues and lets time pass, virtual or real.
//!
//! They panic where the contract is broken, as tests do.

mod bulk;
mod workers;

pub use workers::introduced;

use crate::batch::{Batch, Fault, FaultKind, Product, Usage};
use crate::names::{Pool, RunId, TaskId, WorkerId};
use crate::needs::Needs;
use crate::queue::{
    Cursor, Event, Finished, Lease, LeaseKey, Offered, Queue, QueueError, Settings,
};
use crate::task::{Pins, Priority, Spec, Task, Unit};
use crate::worker::Standing;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// What makes queues to be tested.
pub trait Harness {
    /// A new, empty queue that keeps to those settings.
    fn queue(&self, settings: Settings) -> Arc<dyn Queue>;

    /// Settings whose times are bearable: where time is real, leases of a second or two.
    fn settings(&self) -> Settings;

    /// Lets time pass for all queues it made.
    fn pass(&self, time: Duration);
}

/// A test by name.
pub type Test = (&'static str, fn(&dyn Harness));

/// All tests.
pub const TESTS: &[Test] = &[
    ("a task goes from offer to event", a_task_goes_from_offer_to_event),
    ("offers are taken once", offers_are_taken_once),
    ("a lease that runs out is leased again", a_lease_that_runs_out_is_leased_again),
    ("extending keeps a lease", extending_keeps_a_lease),
    ("only the holder extends, finishes and fails", only_the_holder_counts),
    ("results count once", results_count_once),
    ("late results are harmless", late_results_are_harmless),
    ("batches that are there are told", batches_that_are_there_are_told),
    ("failed tasks rest and are given up in the end", failed_tasks_rest_and_are_given_up),
    ("higher classes go first, in order", higher_classes_go_first),
    ("pools are kept apart", pools_are_kept_apart),
    ("standing decides what a worker gets", standing_decides),
    ("nobody gets more than it has room for", workers::needs_are_kept),
    ("what a worker lost waits again", workers::what_a_worker_lost_waits_again),
    ("a withdrawn run is over", a_withdrawn_run_is_over),
    ("a full queue refuses offers", a_full_queue_refuses_offers),
    ("events not acknowledged hold results back", events_hold_results_back),
    ("events come again until acknowledged", events_come_again),
    ("a draining queue gives nothing", a_draining_queue_gives_nothing),
    ("blobs come back, whole and in parts", bulk::blobs_come_back),
    ("large things are refused", bulk::large_things_are_refused),
    ("many workers share the work", bulk::many_workers_share_the_work),
];

/// Runs all of them.
pub fn all(harness: &dyn Harness) {
    for (_, test) in TESTS {
        test(harness);
    }
}

/// A task of run 1 that anybody may have.
pub fn task(id: u64) -> Task {
    Task {
        id: TaskId(id),
        run: RunId(1),
        batches: 1,
        spec: Arc::new(Spec::sums(1)),
        unit: Unit::new(id, 1),
        seed: id,
        pins: Arc::new(Pins::default()),
        needs: Needs::default(),
        priority: Priority::Normal,
    }
}

/// A batch.
pub fn batch(number: u32) -> Batch {
    Batch { number, product: Product::Checksum { sum: 7 }, usage: Usage::default() }
}

/// A worker's name.
pub fn name(text: &str) -> WorkerId {
    text.parse().unwrap_or_else(|e| panic!("{e}"))
}

fn good<T>(result: Result<T, QueueError>) -> T {
    result.unwrap_or_else(|e| panic!("{e}"))
}

fn admitted(queue: &dyn Queue, names: &[&str]) {
    for worker in names {
        good(queue.stand(&name(worker), Standing::Admitted));
    }
}

fn try_lease(queue: &dyn Queue, worker: &str) -> Option<Lease> {
    good(queue.lease(&name(worker), &[Pool::any()], Duration::ZERO))
}

/// A lease of a task that must be there; a broker may take a moment to hand it out.
fn lease(queue: &dyn Queue, worker: &str) -> Lease {
    for _ in 0..50 {
        if let Some(lease) = try_lease(queue, worker) {
            return lease;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("no task for {worker}");
}

/// All events, which must become so many; a broker may take a moment.
fn events(queue: &dyn Queue, count: usize) -> Vec<Event> {
    let mut events = Vec::new();
    for _ in 0..100 {
        events = good(queue.watch(Cursor::default(), 10_000, Duration::ZERO));
        if events.len() >= count {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let events: Vec<Event> = events.into_iter().map(|(_, event)| event).collect();
    assert_eq!(events.len(), count, "{events:?}");
    events
}

fn one_task(harness: &dyn Harness, workers: &[&str]) -> Arc<dyn Queue> {
    let queue = harness.queue(harness.settings());
    admitted(&*queue, workers);
    assert_eq!(queue.offer(&task(1)), Ok(Offered::Accepted));
    queue
}

fn beyond(time: Duration) -> Duration {
    time + time / 4
}

fn a_task_goes_from_offer_to_event(harness: &dyn Harness) {
    let queue = one_task(harness, &["a"]);
    assert_eq!(good(queue.occupancy()).waiting, 1);
    let lease = lease(&*queue, "a");
    assert_eq!((lease.task.clone(), lease.attempt, lease.done.len()), (task(1), 1, 0));
    let occupancy = good(queue.occupancy());
    assert_eq!((occupancy.waiting, occupancy.leased), (0, 1));
    let held = good(queue.leases());
    assert_eq!((held.len(), held[0].task, held[0].worker.clone()), (1, TaskId(1), name("a")));
    assert_eq!(try_lease(&*queue, "a"), None);
    assert_eq!(queue.finish(&lease.key, &batch(0)), Ok(Finished::Accepted));
    let (task, run, worker, batch) = (TaskId(1), RunId(1), name("a"), Box::new(batch(0)));
    assert_eq!(events(&*queue, 1), [Event::Finished { task, run, worker, batch }]);
    assert_eq!(good(queue.occupancy()).leased, 0);
}

fn offers_are_taken_once(harness: &dyn Harness) {
    let queue = one_task(harness, &["a"]);
    assert_eq!(queue.offer(&task(1)), Ok(Offered::Known));
    let lease = lease(&*queue, "a");
    assert_eq!(queue.offer(&task(1)), Ok(Offered::Known));
    good(queue.finish(&lease.key, &batch(0)));
    assert_eq!(queue.offer(&task(1)), Ok(Offered::Known));
    assert_eq!(try_lease(&*queue, "a"), None);
}

fn a_lease_that_runs_out_is_leased_again(harness: &dyn Harness) {
    let queue = one_task(harness, &["a", "b"]);
    let first = lease(&*queue, "a");
    harness.pass(queue.settings().lease / 2);
    assert_eq!(try_lease(&*queue, "b"), None, "leased to a");
    harness.pass(queue.settings().lease * 3 / 4);
    let second = lease(&*queue, "b");
    assert_eq!((second.key.task, second.attempt), (first.key.task, 2));
    assert_ne!(second.key.secret, first.key.secret);
    assert_eq!(queue.finish(&second.key, &batch(0)), Ok(Finished::Accepted));
    let events = events(&*queue, 2);
    let expired = Event::Expired { task: TaskId(1), run: RunId(1), worker: name("a") };
    assert_eq!(events[0], expired);
    assert!(matches!(&events[1], Event::Finished { worker, .. } if *worker == name("b")));
}

fn extending_keeps_a_lease(harness: &dyn Harness) {
    let queue = one_task(harness, &["a", "b"]);
    let lease = lease(&*queue, "a");
    for _ in 0..4 {
        harness.pass(queue.settings().lease / 2);
        assert_eq!(queue.extend(&lease.key), Ok(()));
        assert_eq!(try_lease(&*queue, "b"), None);
    }
    harness.pass(beyond(queue.settings().lease));
    let not_held = QueueError::NotHeld { task: TaskId(1), worker: name("a") };
    assert_eq!(queue.extend(&lease.key), Err(not_held));
}

fn only_the_holder_counts(harness: &dyn Harness) {
    let queue = one_task(harness, &["a", "b"]);
    let key = lease(&*queue, "a").key;
    let fault = Fault::new(FaultKind::Machine, "no");
    for wrong in [
        LeaseKey { worker: name("b"), ..key.clone() },
        LeaseKey { secret: "0".to_owned(), ..key.clone() },
        LeaseKey { secret: String::new(), ..key.clone() },
        LeaseKey { task: TaskId(2), ..key.clone() },
    ] {
        let not_held = QueueError::NotHeld { task: wrong.task, worker: wrong.worker.clone() };
        assert_eq!(queue.extend(&wrong), Err(not_held.clone()));
        assert_eq!(queue.finish(&wrong, &batch(0)), Err(not_held.clone()));
        assert_eq!(queue.fail(&wrong, &fault), Err(not_held));
    }
    events(&*queue, 0);
    assert_eq!(queue.extend(&key), Ok(()));
    assert_eq!(queue.finish(&key, &batch(0)), Ok(Finished::Accepted));
}

fn results_count_once(harness: &dyn Harness) {
    let queue = harness.queue(harness.settings());
    admitted(&*queue, &["a"]);
    good(queue.offer(&Task { batches: 3, ..task(1) }));
    let key = lease(&*queue, "a").key;
    let other = Batch { product: Product::Checksum { sum: 8 }, ..batch(1) };
    assert_eq!(queue.finish(&key, &batch(1)), Ok(Finished::Accepted));
    assert_eq!(queue.finish(&key, &other), Ok(Finished::Duplicate), "the first counts");
    let none = QueueError::NoSuchBatch { task: TaskId(1), batches: 3, number: 3 };
    assert_eq!(queue.finish(&key, &batch(3)), Err(none));
    assert_eq!(queue.finish(&key, &batch(0)), Ok(Finished::Accepted));
    assert_eq!(queue.extend(&key), Ok(()), "one is missing");
    assert_eq!(queue.finish(&key, &batch(2)), Ok(Finished::Accepted));
    for number in 0..3 {
        assert_eq!(queue.finish(&key, &batch(number)), Ok(Finished::Duplicate));
    }
    let numbers: Vec<u32> = events(&*queue, 3).iter().map(number_of).collect();
    assert_eq!(numbers, [1, 0, 2]);
}

fn number_of(event: &Event) -> u32 {
    let Event::Finished { batch, .. } = event else { panic!("{event:?}") };
    assert_eq!(batch.product, Product::Checksum { sum: 7 });
    batch.number
}

fn late_results_are_harmless(harness: &dyn Harness) {
    let queue = one_task(harness, &["a", "b"]);
    let late = lease(&*queue, "a").key;
    harness.pass(beyond(queue.settings().lease));
    let second = lease(&*queue, "b").key;
    let not_held = QueueError::NotHeld { task: TaskId(1), worker: name("a") };
    assert_eq!(queue.finish(&late, &batch(0)), Err(not_held.clone()), "it is another's now");
    assert_eq!(queue.finish(&second, &batch(0)), Ok(Finished::Accepted));
    assert_eq!(queue.finish(&late, &batch(0)), Err(not_held));
    // One that nobody has leased since is as good as one in time.
    good(queue.offer(&task(2)));
    let late = lease(&*queue, "a").key;
    harness.pass(beyond(queue.settings().lease));
    assert_eq!(queue.finish(&late, &batch(0)), Ok(Finished::Accepted));
    assert_eq!(try_lease(&*queue, "b"), None, "it is done");
    let finished = |event: &&Event| matches!(event, Event::Finished { .. });
    let all = good(queue.watch(Cursor::default(), 100, Duration::ZERO));
    assert_eq!(all.iter().map(|(_, event)| event).filter(finished).count(), 2);
}

fn batches_that_are_there_are_told(harness: &dyn Harness) {
    let queue = harness.queue(harness.settings());
    admitted(&*queue, &["a", "b"]);
    good(queue.offer(&Task { batches: 3, ..task(1) }));
    let first = lease(&*queue, "a").key;
    good(queue.finish(&first, &batch(2)));
    good(queue.finish(&first, &batch(0)));
    harness.pass(beyond(queue.settings().lease));
    let second = lease(&*queue, "b");
    assert_eq!(second.done, [0, 2]);
    assert_eq!(queue.finish(&second.key, &batch(0)), Ok(Finished::Duplicate));
    assert_eq!(queue.finish(&second.key, &batch(1)), Ok(Finished::Accepted));
    assert_eq!(try_lease(&*queue, "a"), None);
}

fn failed_tasks_rest_and_are_given_up(harness: &dyn Harness) {
    let settings = Settings { max_attempts: 2, ..harness.settings() };
    let queue = harness.queue(settings.clone());
    admitted(&*queue, &["a"]);
    good(queue.offer(&task(1)));
    let fault = Fault::new(FaultKind::Machine, "the disk is full");
    let key = lease(&*queue, "a").key;
    assert_eq!(queue.fail(&key, &fault), Ok(()));
    assert_eq!(good(queue.occupancy()).waiting, 1);
    assert_eq!(try_lease(&*queue, "a"), None, "it rests");
    let not_held = Err(QueueError::NotHeld { task: TaskId(1), worker: name("a") });
    assert_eq!(queue.fail(&key, &fault), not_held, "once is enough");
    harness.pass(beyond(settings.retry));
    let key = lease(&*queue, "a").key;
    assert_eq!(queue.fail(&key, &fault), Ok(()));
    harness.pass(beyond(settings.retry));
    assert_eq!(try_lease(&*queue, "a"), None, "given up");
    let (task, run, worker) = (TaskId(1), RunId(1), name("a"));
    let failed = Event::Failed { task, run, worker, fault };
    let given_up = Event::GivenUp { task, run, attempts: 2 };
    assert_eq!(events(&*queue, 3), [failed.clone(), failed, given_up]);
    assert_eq!(queue.offer(&self::task(1)), Ok(Offered::Known));
    assert_eq!(good(queue.occupancy()).waiting, 0);
}

fn higher_classes_go_first(harness: &dyn Harness) {
    let queue = harness.queue(harness.settings());
    admitted(&*queue, &["a"]);
    let classes = [Priority::Low, Priority::Normal, Priority::High, Priority::Normal];
    for (id, priority) in classes.into_iter().enumerate() {
        good(queue.offer(&Task { priority, ..task(id as u64) }));
    }
    let order = [(); 4].map(|()| lease(&*queue, "a").task.id.0);
    assert_eq!(order, [2, 1, 3, 0]);
}

fn pools_are_kept_apart(harness: &dyn Harness) {
    let queue = harness.queue(harness.settings());
    admitted(&*queue, &["a", "b"]);
    let in_pool =
        |id: u64, pool: Pool| Task { needs: Needs { pool, ..Needs::default() }, ..task(id) };
    let big: Pool = "big".parse().unwrap_or_else(|e| panic!("{e}"));
    let of_a = Pool::of(&name("a"));
    good(queue.offer(&in_pool(1, big.clone())));
    good(queue.offer(&in_pool(2, of_a.clone())));
    assert_eq!(try_lease(&*queue, "b"), None, "nothing in the pool of all");
    let ask = |worker: &str, pool: &Pool| {
        let asked = queue.lease(&name(worker), std::slice::from_ref(pool), Duration::ZERO);
        good(asked).map(|lease| lease.task.id.0)
    };
    assert_eq!(ask("b", &of_a), None, "not b's");
    assert_eq!(ask("a", &of_a), Some(2));
    assert_eq!(ask("b", &big), Some(1));
}

fn standing_decides(harness: &dyn Harness) {
    let queue = harness.queue(harness.settings());
    let (new, bad) = (name("new"), name("bad"));
    good(queue.offer(&task(1)));
    assert_eq!(try_lease(&*queue, "new"), None, "on probation");
    let pool = Pool::of(&new);
    let own = Task { needs: Needs { pool: pool.clone(), ..Needs::default() }, ..task(2) };
    good(queue.offer(&own));
    let got = good(queue.lease(&new, &[Pool::any(), pool], Duration::ZERO));
    assert_eq!(got.map(|lease| lease.task.id), Some(TaskId(2)));
    good(queue.stand(&bad, Standing::Admitted));
    let key = lease(&*queue, "bad").key;
    good(queue.stand(&bad, Standing::Barred));
    let not_held = QueueError::NotHeld { task: TaskId(1), worker: bad.clone() };
    assert_eq!(queue.extend(&key), Err(not_held.clone()));
    assert_eq!(queue.finish(&key, &batch(0)), Err(not_held));
    let refused = queue.lease(&bad, &[Pool::any()], Duration::ZERO);
    assert_eq!(refused, Err(QueueError::Barred { worker: bad }));
    good(queue.stand(&new, Standing::Admitted));
    assert_eq!(lease(&*queue, "new").task.id, TaskId(1), "what it held waits again");
}

fn a_withdrawn_run_is_over(harness: &dyn Harness) {
    let queue = harness.queue(harness.settings());
    admitted(&*queue, &["a"]);
    for id in 1..=3 {
        good(queue.offer(&task(id)));
    }
    good(queue.offer(&Task { run: RunId(2), ..task(4) }));
    let key = lease(&*queue, "a").key;
    good(queue.withdraw(RunId(1)));
    let withdrawn = QueueError::Withdrawn { run: RunId(1) };
    assert_eq!(queue.extend(&key), Err(withdrawn.clone()));
    assert_eq!(queue.finish(&key, &batch(0)), Err(withdrawn.clone()));
    assert_eq!(queue.fail(&key, &Fault::new(FaultKind::Leaving, "")), Err(withdrawn.clone()));
    assert_eq!(queue.offer(&task(5)), Err(withdrawn));
    assert_eq!(lease(&*queue, "a").task.id, TaskId(4), "the other run goes on");
    assert_eq!(try_lease(&*queue, "a"), None);
    let occupancy = good(queue.occupancy());
    assert_eq!((occupancy.waiting, occupancy.leased), (0, 1));
    events(&*queue, 0);
}

fn a_full_queue_refuses_offers(harness: &dyn Harness) {
    let queue = harness.queue(Settings { max_waiting: 3, ..harness.settings() });
    admitted(&*queue, &["a"]);
    for id in 1..=3 {
        good(queue.offer(&task(id)));
    }
    let full = queue.offer(&task(4));
    assert!(matches!(full, Err(QueueError::Full { bound: 3, .. })), "{full:?}");
    assert!(full.is_err_and(|e| e.is_passing()));
    lease(&*queue, "a");
    assert_eq!(queue.offer(&task(4)), Ok(Offered::Accepted));
}

fn events_hold_results_back(harness: &dyn Harness) {
    let queue = harness.queue(Settings { max_events: 2, ..harness.settings() });
    admitted(&*queue, &["a"]);
    let keys = [1, 2, 3].map(|id| {
        good(queue.offer(&task(id)));
        lease(&*queue, "a").key
    });
    good(queue.finish(&keys[0], &batch(0)));
    good(queue.finish(&keys[1], &batch(0)));
    let full = queue.finish(&keys[2], &batch(0));
    assert!(matches!(full, Err(QueueError::Full { bound: 2, .. })), "{full:?}");
    assert_eq!(queue.finish(&keys[0], &batch(0)), Ok(Finished::Duplicate));
    let seen = good(queue.watch(Cursor::default(), 10, Duration::from_secs(1)));
    good(queue.acknowledge(seen[0].0));
    assert_eq!(queue.finish(&keys[2], &batch(0)), Ok(Finished::Accepted), "kept and sent again");
}

fn events_come_again(harness: &dyn Harness) {
    let queue = harness.queue(harness.settings());
    admitted(&*queue, &["a"]);
    let worker = introduced("a");
    good(queue.announce(&worker));
    for id in 1..=3 {
        good(queue.offer(&task(id)));
        good(queue.finish(&lease(&*queue, "a").key, &batch(0)));
    }
    events(&*queue, 4);
    let two = good(queue.watch(Cursor::default(), 2, Duration::ZERO));
    assert_eq!(two[0].1, Event::Announced { worker: Box::new(worker) });
    let rest = good(queue.watch(two[1].0, 10, Duration::ZERO));
    assert_eq!(rest.len(), 2);
    assert!(two[0].0 < two[1].0 && two[1].0 < rest[0].0 && rest[0].0 < rest[1].0);
    good(queue.acknowledge(two[1].0));
    assert_eq!(good(queue.watch(Cursor::default(), 10, Duration::ZERO)), rest);
    assert_eq!(good(queue.occupancy()).events, 2);
    good(queue.acknowledge(two[0].0));
    assert_eq!(good(queue.watch(Cursor::default(), 10, Duration::ZERO)), rest);
    good(queue.acknowledge(rest[1].0));
    assert_eq!(good(queue.watch(Cursor::default(), 10, Duration::ZERO)).len(), 0);
}

fn a_draining_queue_gives_nothing(harness: &dyn Harness) {
    let queue = harness.queue(harness.settings());
    admitted(&*queue, &["a"]);
    good(queue.offer(&task(1)));
    good(queue.offer(&task(2)));
    let key = lease(&*queue, "a").key;
    good(queue.drain(true));
    assert_eq!(try_lease(&*queue, "a"), None);
    assert_eq!(queue.extend(&key), Ok(()));
    assert_eq!(queue.finish(&key, &batch(0)), Ok(Finished::Accepted));
    good(queue.drain(false));
    assert_eq!(lease(&*queue, "a").task.id, TaskId(2));
}
