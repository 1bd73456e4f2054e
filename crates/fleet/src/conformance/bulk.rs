//! Blobs, limits, and many workers at once.

use super::{Harness, admitted, batch, events, good, lease, name, task};
use crate::batch::{Batch, Product};
use crate::names::{Pool, TaskId};
use crate::queue::{Event, Finished, QueueError, Settings};
use std::thread;
use std::time::Duration;

pub(super) fn blobs_come_back(harness: &dyn Harness) {
    let queue = harness.queue(harness.settings());
    let bytes: Vec<u8> = (0..300_000_u32).map(|i| ((i * 7) >> 3) as u8).collect();
    let hash = good(queue.put_blob(&bytes));
    assert_eq!(hash, crate::BlobHash::of(&bytes));
    assert_eq!(good(queue.put_blob(&bytes)), hash);
    assert_eq!(good(queue.occupancy()).stored, bytes.len() as u64, "kept once");
    assert_eq!(good(queue.blob_length(&hash)), Some(bytes.len() as u64));
    for range in [0..300_000, 0..1, 131_071..131_073, 299_999..400_000, 5..5] {
        let end = range.end.min(300_000) as usize;
        assert_eq!(good(queue.get_blob(&hash, range.clone())), bytes[range.start as usize..end]);
    }
    assert_eq!(good(queue.get_blob(&hash, 400_000..400_001)), [0_u8; 0]);
    let nothing = crate::BlobHash::of(b"nothing");
    assert_eq!(good(queue.blob_length(&nothing)), None);
    assert_eq!(queue.get_blob(&nothing, 0..1), Err(QueueError::NoBlob { hash: nothing }));
    let empty = good(queue.put_blob(&[]));
    assert_eq!(good(queue.get_blob(&empty, 0..10)), [0_u8; 0]);
}

pub(super) fn large_things_are_refused(harness: &dyn Harness) {
    let small = Settings { max_batch: 200, max_blob: 10, max_store: 15, ..harness.settings() };
    let queue = harness.queue(small);
    assert_eq!(queue.put_blob(&[0; 11]), Err(QueueError::TooLarge { bytes: 11, most: 10 }));
    good(queue.put_blob(&[0; 10]));
    let full = queue.put_blob(&[1; 6]);
    assert!(matches!(full, Err(QueueError::Full { bound: 15, .. })), "{full:?}");
    good(queue.put_blob(&[1; 5]));
    admitted(&*queue, &["a"]);
    good(queue.offer(&task(1)));
    let key = lease(&*queue, "a").key;
    let large = Batch { product: Product::Text { text: "x".repeat(300) }, ..batch(0) };
    let refused = queue.finish(&key, &large);
    assert!(matches!(refused, Err(QueueError::TooLarge { most: 200, .. })), "{refused:?}");
    assert_eq!(queue.finish(&key, &batch(0)), Ok(Finished::Accepted));
}

pub(super) fn many_workers_share_the_work(harness: &dyn Harness) {
    const TASKS: u64 = 200;
    let queue = harness.queue(harness.settings());
    let names = ["a", "b", "c", "d"];
    admitted(&*queue, &names);
    let any = [Pool::any()];
    thread::scope(|scope| {
        for worker in names {
            let (queue, any) = (&queue, &any);
            scope.spawn(move || {
                let worker = name(worker);
                let mut idle = 0;
                while idle < 20 {
                    match good(queue.lease(&worker, any, Duration::ZERO)) {
                        Some(lease) => {
                            idle = 0;
                            assert_eq!(queue.finish(&lease.key, &batch(0)), Ok(Finished::Accepted));
                        }
                        None => {
                            idle += 1;
                            thread::sleep(Duration::from_millis(20));
                        }
                    }
                }
            });
        }
        for id in 0..TASKS {
            good(queue.offer(&task(id)));
        }
    });
    let mut done: Vec<TaskId> = events(&*queue, TASKS as usize)
        .iter()
        .map(|event| match event {
            Event::Finished { task, .. } => *task,
            other => panic!("{other:?}"),
        })
        .collect();
    done.sort_unstable();
    assert_eq!(done, (0..TASKS).map(TaskId).collect::<Vec<_>>());
}
