//! What a worker has room for, and what it has.

use super::{Harness, admitted, batch, beyond, events, good, lease, name, task, try_lease};
use crate::batch::{Fault, FaultKind};
use crate::names::{Pool, TaskId};
use crate::needs::Needs;
use crate::queue::{Event, Finished, QueueError, Settings};
use crate::task::Task;
use crate::worker::Worker;

/// A worker with two processors.
pub fn introduced(id: &str) -> Worker {
    Worker {
        id: name(id),
        owner: "me".parse().unwrap_or_else(|e| panic!("{e}")),
        cores: 2,
        memory_mib: 1024,
        speed: 1_000_000,
        bench: 7,
        version: "1".to_owned(),
        pools: vec![Pool::any()],
        holding: None,
    }
}

pub(super) fn needs_are_kept(harness: &dyn Harness) {
    // Nothing runs out in the middle, however slow the machine is.
    let lease_time = 4 * harness.settings().lease;
    let queue = harness.queue(Settings { lease: lease_time, ..harness.settings() });
    // A small one, a big one, and one that says nothing.
    admitted(&*queue, &["a", "b", "c"]);
    let announced = |id: &str, cores: u32, memory_mib: u64| {
        good(queue.announce(&Worker { cores, memory_mib, ..introduced(id) }));
    };
    announced("a", 1, 100);
    announced("b", 4, 1000);
    let needs = |cores, memory_mib| Needs { cores, memory_mib, ..Needs::default() };
    let offer = |id: u64, needs: Needs| good(queue.offer(&Task { needs, ..task(id) }));
    offer(1, needs(3, 10));
    offer(2, needs(2, 10));
    offer(3, needs(1, 500));
    offer(4, needs(1, 50));
    // Who has no room for the first gets a later one.
    assert_eq!(lease(&*queue, "a").key.task, TaskId(4));
    assert!(try_lease(&*queue, "a").is_none(), "all of it is in use");
    // Of one who has not said what it has only little is asked.
    assert_eq!(lease(&*queue, "c").key.task, TaskId(3));
    let first = lease(&*queue, "b");
    assert_eq!(first.key.task, TaskId(1));
    assert!(try_lease(&*queue, "b").is_none(), "one of four is free, two are asked for");
    good(queue.finish(&first.key, &batch(0)));
    let second = lease(&*queue, "b");
    assert_eq!(second.key.task, TaskId(2));
    // What failed, or ran out, takes no room either.
    offer(5, needs(4, 1000));
    assert!(try_lease(&*queue, "b").is_none(), "two of four are free, four are asked for");
    good(queue.fail(&second.key, &Fault::new(FaultKind::Machine, "a drill")));
    lease(&*queue, "b");
    harness.pass(beyond(queue.settings().lease));
    lease(&*queue, "b");
}

pub(super) fn what_a_worker_lost_waits_again(harness: &dyn Harness) {
    let lease_time = 4 * harness.settings().lease;
    let queue = harness.queue(Settings { lease: lease_time, ..harness.settings() });
    admitted(&*queue, &["a", "b"]);
    good(queue.announce(&introduced("a")));
    for id in 1..=3 {
        good(queue.offer(&task(id)));
    }
    let kept = lease(&*queue, "a").key;
    let lost = lease(&*queue, "a").key;
    let others = lease(&*queue, "b").key;
    assert_eq!(try_lease(&*queue, "a"), None, "both processors are in use");
    // Whoever says nothing of what it has, has everything.
    good(queue.announce(&introduced("a")));
    assert_eq!((queue.extend(&kept), queue.extend(&lost)), (Ok(()), Ok(())));
    let holding = Some(vec![kept.task, TaskId(77)]);
    good(queue.announce(&Worker { holding, ..introduced("a") }));
    let not_held = QueueError::NotHeld { task: lost.task, worker: name("a") };
    assert_eq!(queue.finish(&lost, &batch(0)), Err(not_held));
    assert_eq!((queue.extend(&kept), queue.extend(&others)), (Ok(()), Ok(())));
    let again = lease(&*queue, "a");
    assert_eq!((again.task.id, again.attempt), (lost.task, 2), "at once");
    // A process that was started anew has nothing.
    good(queue.announce(&Worker { holding: Some(Vec::new()), ..introduced("a") }));
    assert_eq!(good(queue.occupancy()).leased, 1);
    assert_eq!(queue.finish(&others, &batch(0)), Ok(Finished::Accepted));
    let events = events(&*queue, 8);
    let left = events.iter().filter_map(|event| match event {
        Event::Failed { task, fault, .. } if fault.kind == FaultKind::Leaving => Some(*task),
        _ => None,
    });
    let mut left: Vec<TaskId> = left.collect();
    left.sort_unstable();
    let mut expected = vec![kept.task, lost.task, lost.task];
    expected.sort_unstable();
    assert_eq!(left, expected);
}
