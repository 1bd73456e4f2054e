//! Work on several threads whose results are taken in order, so that nothing depends on how many there are.

use crate::BookError;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Jobs on their way for each thread: enough that none waits, and little memory.
const AHEAD: u64 = 3;

/// Does jobs on several threads. They are made, and their results taken, on this one, in order. The first error
/// ends everything.
pub(crate) fn in_order<J: Send, T: Send>(
    threads: usize,
    jobs: impl Iterator<Item = Result<J, BookError>>,
    work: impl Fn(J) -> Result<T, BookError> + Sync,
    mut take: impl FnMut(T) -> Result<(), BookError>,
) -> Result<(), BookError> {
    if threads <= 1 {
        for job in jobs {
            take(work(job?)?)?;
        }
        return Ok(());
    }
    let mut jobs = jobs.fuse();
    let places = AHEAD as usize * threads;
    let (given, made) = (Places::<J>::new(places), Places::<T>::new(places));
    conduct(
        threads,
        &mut |number| match jobs.next() {
            Some(job) => {
                given.put(number, job?);
                Ok(true)
            }
            None => Ok(false),
        },
        &|number| {
            if let Some(job) = given.take(number) {
                made.put(number, work(job)?);
            }
            Ok(())
        },
        &mut |number| made.take(number).map_or(Ok(()), &mut take),
    )
}

/// Where jobs and results lie while numbers travel between the threads, so that channels, threads and the order of results
/// are compiled once and not for every kind of job: that took half a minute of a build.
struct Places<T>(Vec<Mutex<Option<T>>>);

impl<T> Places<T> {
    fn new(count: usize) -> Self {
        Self((0..count).map(|_| Mutex::new(None)).collect())
    }

    fn of(&self, number: u64) -> MutexGuard<'_, Option<T>> {
        let place = (number % self.0.len() as u64) as usize;
        self.0[place].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, number: u64, thing: T) {
        *self.of(number) = Some(thing);
    }

    fn take(&self, number: u64) -> Option<T> {
        self.of(number).take()
    }
}

type Step<'a> = &'a mut dyn FnMut(u64) -> Result<(), BookError>;

/// Has jobs made as long as `make` finds one, worked on by threads, and taken in order.
fn conduct(
    threads: usize,
    make: &mut dyn FnMut(u64) -> Result<bool, BookError>,
    work: &(dyn Fn(u64) -> Result<(), BookError> + Sync),
    take: Step<'_>,
) -> Result<(), BookError> {
    let (offer, offered) = channel::<u64>();
    let offered = &Mutex::new(offered);
    thread::scope(|scope| {
        // Owned here: when this ends, so do the threads.
        let offer = offer;
        let (tell, told) = channel();
        for _ in 0..threads {
            let tell = tell.clone();
            scope.spawn(move || {
                loop {
                    let job = offered.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(number) = job else { return };
                    let done = catch_unwind(AssertUnwindSafe(|| work(number)));
                    if tell.send((number, done)).is_err() {
                        return;
                    }
                }
            });
        }
        let mut early = BTreeMap::new();
        let (mut sent, mut taken) = (0, 0);
        loop {
            while sent - taken < AHEAD * threads as u64 {
                if !make(sent)? {
                    break;
                }
                // The threads listen until this ends.
                let _ = offer.send(sent);
                sent += 1;
            }
            if sent == taken {
                return Ok(());
            }
            if let Ok((number, done)) = told.recv() {
                early.insert(number, done);
            }
            while let Some(done) = early.remove(&taken) {
                done.unwrap_or_else(|panic| resume_unwind(panic))?;
                take(taken)?;
                taken += 1;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_on_however_many_threads() {
        for threads in [1, 2, 7] {
            let mut taken = Vec::new();
            let jobs = (0..1000u64).map(Ok);
            let work = |n: u64| Ok((0..n % 50).fold(n, |a, b| a ^ (b << 40)));
            in_order(threads, jobs, work, |n| {
                taken.push(n & 0xffff);
                Ok(())
            })
            .unwrap();
            assert_eq!(taken, (0..1000).collect::<Vec<_>>(), "{threads} threads");
        }
    }

    #[test]
    fn the_first_error_ends_everything() {
        let broken = || BookError::Unfit("broken".to_owned());
        for threads in [1, 3] {
            let mut taken = 0;
            let mut run = |bad_job: u64, bad_work: u64, bad_take: u64| {
                taken = 0;
                let jobs = (0..100).map(|n| if n == bad_job { Err(broken()) } else { Ok(n) });
                let work = |n| if n == bad_work { Err(broken()) } else { Ok(n) };
                in_order(threads, jobs, work, |n| {
                    taken += 1;
                    if n == bad_take { Err(broken()) } else { Ok(()) }
                })
            };
            assert!(run(50, 999, 999).is_err() && run(999, 50, 999).is_err());
            assert!(run(999, 999, 50).is_err() && run(999, 999, 999).is_ok());
            assert_eq!(taken, 100);
        }
    }

    #[test]
    fn a_panic_is_not_waited_for() {
        let panicked = catch_unwind(|| {
            let work = |n: u32| if n == 5 { panic!("on purpose") } else { Ok(n) };
            in_order(3, (0..50).map(Ok), work, |_| Ok(()))
        });
        assert!(panicked.is_err());
    }
}
