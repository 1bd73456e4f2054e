use super::*;
use crate::backend::{Backend, Fault, Shape, Ticket};
use crate::batch::Batch;
use crate::plain::{Hashed, Uniform};
use features::{Labels, Planes};
use rules::Game;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SHAPE: Shape =
    Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };

fn hashed() -> Arc<dyn Backend> {
    Arc::new(Hashed::new(SHAPE, 1))
}

fn batch(keys: impl IntoIterator<Item = u64>) -> Batch {
    let keys: Vec<u64> = keys.into_iter().collect();
    let mut batch = Batch::new(SHAPE, keys.len());
    for key in keys {
        batch.push(key, |planes| planes[0] = key as u8, (0..1 + key as u16 % 50).map(|l| l * 3));
    }
    batch
}

/// What the back-end inside answers by itself.
fn plain(keys: impl IntoIterator<Item = u64>) -> Batch {
    let backend = Hashed::new(SHAPE, 1);
    backend.submit(batch(keys)).unwrap();
    backend.poll(Duration::ZERO).unwrap().unwrap().1
}

fn asked(backend: &dyn Backend, keys: impl IntoIterator<Item = u64>) -> Result<Batch, Fault> {
    let ticket = backend.submit(batch(keys))?;
    loop {
        if let Some((found, batch)) = backend.poll(Duration::from_secs(5))? {
            assert_eq!(found, ticket);
            return Ok(batch);
        }
    }
}

#[test]
fn a_batch_gives_back_what_was_put_in() {
    let mut b = batch([7, 8]);
    assert_eq!((b.len(), b.is_full(), b.key(1), b.planes(1)[0]), (2, true, 8, 8));
    assert_eq!(b.labels(0), [0, 3, 6, 9, 12, 15, 18, 21]);
    assert!(b.verify(Ticket(3)).is_err(), "nobody has answered");
    b.clear();
    assert!(b.is_empty() && b.verify(Ticket(3)).is_ok());
    assert_eq!(b.push(9, |_| {}, [5].into_iter()), 0);
    assert!(b.planes(0).iter().all(|&byte| byte == 0), "nothing is left of earlier positions");
}

#[test]
fn the_hash_depends_on_nothing_but_key_label_and_seed() {
    let (one, two) = (plain([3, 4, 5]), plain([5]));
    assert_eq!((one.policy(2), one.value(2)), (two.policy(0), two.value(0)));
    let other = Hashed::new(SHAPE, 2);
    assert_ne!(asked(&other, [5]).unwrap().value(0), two.value(0));
    let even = asked(&Uniform::new(SHAPE), [5]).unwrap();
    assert!(even.value(0).win == 0.5 && even.policy(0).iter().all(|&x| x == 0.0));
}

#[test]
fn a_cache_answers_as_the_net_does_and_asks_once() {
    let cache = Cache::new(hashed(), 1 << 20);
    for _ in 0..3 {
        assert_eq!(asked(&cache, 0..40).unwrap(), plain(0..40));
    }
    assert_eq!(asked(&cache, 20..60).unwrap(), plain(20..60));
    let used = cache.usage();
    assert_eq!((used.hits, used.misses), (100, 60));
    assert_eq!(cache.in_flight(), 0);
    // The same key with other labels is another question.
    let mut other = Batch::new(SHAPE, 1);
    other.push(1, |_| {}, [9, 8].into_iter());
    cache.submit(other).unwrap();
    assert_eq!(cache.poll(Duration::ZERO).unwrap().unwrap().1.policy(0).len(), 2);
    assert_eq!(cache.usage().misses, 61);
}

#[test]
fn batches_are_answered_where_they_lie_where_the_net_computes_here() {
    let cache = Cache::new(hashed(), 1 << 20);
    for (keys, known) in [(0..40, 0), (20..60, 20), (0..60, 60), (50..70, 10)] {
        let (before, mut found) = (cache.usage().hits, batch(keys.clone()));
        assert_eq!(cache.answer(&mut found), Some(Ok(())));
        assert_eq!(found, plain(keys));
        assert_eq!(cache.usage().hits - before, known);
    }
    assert_eq!(cache.in_flight(), 0);
    // A device has to be asked the other way, and that costs no figure of the cache.
    let device = Arc::new(Faulty::new(hashed(), Failing::Dies(usize::MAX)));
    let cache = Cache::new(device, 1 << 20);
    assert_eq!(cache.answer(&mut batch(0..5)), None);
    assert_eq!((cache.usage().hits, cache.usage().misses), (0, 0));
}

#[test]
fn a_cache_keeps_its_bound() {
    let bound = 64 << 10;
    let cache = Cache::new(hashed(), bound);
    for round in 0..100u64 {
        let keys: Vec<u64> = (0..50).map(|i| (round * 50 + i) << 32 | i).collect();
        assert_eq!(asked(&cache, keys.clone()).unwrap(), plain(keys));
        assert!(cache.usage().bytes <= bound);
    }
    assert!(cache.usage().bytes > bound / 2);
    let none = Cache::new(hashed(), 0);
    assert_eq!(asked(&none, 0..5).unwrap(), plain(0..5));
    assert_eq!(none.usage().bytes, 0);
}

#[test]
fn threads_share_a_cache() {
    let cache = Cache::new(hashed(), 1 << 20);
    let found = Mutex::new(HashMap::new());
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let (cache, found) = (&cache, &found);
            scope.spawn(move || {
                for round in 0..50 {
                    let from = thread * 10 + round;
                    cache.submit(batch(from..from + 8)).unwrap();
                    // Whose batch it is does not matter.
                    if let Some((ticket, batch)) = cache.poll(Duration::from_millis(1)).unwrap() {
                        assert!(found.lock().unwrap().insert(ticket, batch).is_none());
                    }
                }
            });
        }
    });
    while let Some((ticket, batch)) = cache.poll(Duration::from_millis(1)).unwrap() {
        assert!(found.lock().unwrap().insert(ticket, batch).is_none());
    }
    let found = found.into_inner().unwrap();
    assert_eq!((found.len(), cache.in_flight()), (200, 0));
    for batch in found.values() {
        assert_eq!(*batch, plain(batch.key(0)..batch.key(0) + 8));
    }
}

#[test]
fn two_that_agree_pass_and_two_that_do_not_are_told() {
    let tolerance = Tolerance { logit: 1e-4, value: 1e-4 };
    let same = Check::new(hashed(), hashed(), tolerance);
    assert_eq!(asked(&same, 0..9).unwrap(), plain(0..9));
    let other = Check::new(hashed(), Arc::new(Hashed::new(SHAPE, 2)), tolerance);
    let fault = asked(&other, 0..9).unwrap_err();
    assert!(fault.to_string().starts_with("two back-ends disagree"), "{fault}");
    assert_eq!((fault.ticket(), other.in_flight()), (Some(Ticket(0)), 0));
    let lies = Arc::new(Faulty::new(hashed(), Failing::Lies));
    assert!(asked(&Check::new(hashed(), lies, tolerance), 0..9).is_err());
    let dying = Arc::new(Faulty::new(hashed(), Failing::Dies(1)));
    let check = Check::new(hashed(), dying, tolerance);
    assert!(asked(&check, 0..9).is_ok());
    assert!(matches!(asked(&check, 0..9), Err(Fault::Ended(_))));
}

#[test]
fn a_delay_is_kept_by_the_clock() {
    let now = Arc::new(AtomicU64::new(0));
    let clock: Clock = {
        let now = Arc::clone(&now);
        Arc::new(move || Duration::from_millis(now.load(Ordering::Relaxed)))
    };
    let delay = Delay::new(hashed(), Duration::from_millis(10), clock);
    delay.submit(batch(0..2)).unwrap();
    delay.submit(batch(2..4)).unwrap();
    for (time, ready) in [(0, false), (9, false), (10, true), (10, false), (19, false), (20, true)]
    {
        now.store(time, Ordering::Relaxed);
        assert_eq!(delay.poll(Duration::ZERO).unwrap().is_some(), ready, "{time}");
    }
    assert_eq!(delay.in_flight(), 0);
}

/// A thread that polls between another's submitting and its noting when the batch is ready.
#[test]
fn a_batch_found_finished_too_early_is_not_lost() {
    let inner = hashed();
    let now = Arc::new(AtomicU64::new(0));
    let clock: Clock = {
        let now = Arc::clone(&now);
        Arc::new(move || Duration::from_millis(now.load(Ordering::Relaxed)))
    };
    let delay = Delay::new(inner.clone(), Duration::from_millis(10), clock);
    let ticket = inner.submit(batch(0..2)).unwrap();
    assert!(delay.poll(Duration::ZERO).unwrap().is_none());
    assert_eq!(delay.in_flight(), 1);
    delay.submit(batch(2..4)).unwrap();
    now.store(10, Ordering::Relaxed);
    assert_eq!(delay.poll(Duration::ZERO).unwrap().map(|(ticket, _)| ticket), Some(ticket));
    assert_eq!(delay.in_flight(), 1);
}

#[test]
fn work_is_split_evenly_and_tickets_stay_apart() {
    let devices: Vec<Arc<dyn Backend>> = (0..4).map(|_| hashed()).collect();
    let split = Split::new(devices.clone());
    let mut expected = HashMap::new();
    for round in 0..20 {
        let ticket = split.submit(batch(round * 10..round * 10 + 3)).unwrap();
        assert!(expected.insert(ticket, round * 10).is_none());
    }
    assert!(devices.iter().all(|device| device.in_flight() == 5));
    while let Some((ticket, batch)) = split.poll(Duration::from_millis(1)).unwrap() {
        assert_eq!(Some(batch.key(0)), expected.remove(&ticket));
    }
    assert!(expected.is_empty() && split.in_flight() == 0);
}

#[test]
fn answers_are_recorded_and_replayed() {
    let record = Record::new(hashed());
    asked(&record, 0..30).unwrap();
    asked(&record, 10..40).unwrap();
    let recording = record.recording();
    assert_eq!(recording.len(), 40);
    let mut bytes = Vec::new();
    recording.write(&mut bytes).unwrap();
    let read = Recording::from_bytes(&bytes).unwrap();
    assert_eq!(read, recording);
    let replay = Replay::new(SHAPE, read);
    assert_eq!(asked(&replay, 5..35).unwrap(), plain(5..35));
    let fault = asked(&replay, 35..45).unwrap_err();
    assert!(fault.to_string().contains("not in the recording"), "{fault}");
    assert_eq!(replay.in_flight(), 0);
    for length in 0..bytes.len() {
        assert!(Recording::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
    for at in (0..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        assert!(Recording::from_bytes(&damaged).is_err(), "{at}");
    }
}

#[test]
fn nonsense_never_comes_out() {
    for failing in [Failing::NotANumber(2), Failing::OutOfBounds(2)] {
        let backend = Faulty::new(hashed(), failing);
        assert!(asked(&backend, 0..4).is_ok());
        let fault = asked(&backend, 0..4).unwrap_err();
        assert!(matches!(fault, Fault::Nonsense { ticket: Ticket(1), key: 0, .. }), "{fault}");
        assert!(asked(&backend, 0..4).is_ok(), "one batch is lost, others go on");
        assert_eq!(backend.in_flight(), 0);
    }
}

#[test]
fn a_dead_back_end_says_so_and_holds_nothing() {
    let backend = Cache::new(Arc::new(Faulty::new(hashed(), Failing::Dies(1))), 1 << 20);
    assert!(asked(&backend, 0..4).is_ok());
    assert!(matches!(asked(&backend, 4..8), Err(Fault::Ended(_))));
    assert_eq!(backend.in_flight(), 0);
    assert!(matches!(backend.submit(batch(0..4)), Err(Fault::Ended(_))));
}

#[test]
fn the_last_may_come_first() {
    let backend = Faulty::new(hashed(), Failing::Reorders);
    let tickets: Vec<Ticket> = (0..3).map(|n| backend.submit(batch([n])).unwrap()).collect();
    let mut found = Vec::new();
    while let Some((ticket, batch)) = backend.poll(Duration::from_millis(1)).unwrap() {
        assert_eq!(batch, plain([ticket.0]));
        found.push(ticket);
    }
    assert_eq!(found, tickets.into_iter().rev().collect::<Vec<_>>());
}

#[test]
fn a_hanging_back_end_is_waited_for_only_as_long_as_said() {
    let backend = Faulty::new(hashed(), Failing::Hangs);
    backend.submit(batch(0..4)).unwrap();
    assert!(backend.poll(Duration::from_millis(5)).unwrap().is_none());
    assert_eq!(backend.in_flight(), 1);
}
