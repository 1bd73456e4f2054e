//! Threads for work that was cut into independent tasks.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many threads may be used. They live for one call: a few are started in the time one
/// small batch takes many times over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workers {
    threads: NonZeroUsize,
}

impl Workers {
    /// So many threads.
    pub const fn new(threads: NonZeroUsize) -> Self {
        Self { threads }
    }

    /// One thread: the caller's.
    pub const ONE: Self = Self { threads: NonZeroUsize::MIN };

    /// How many.
    pub const fn threads(self) -> usize {
        self.threads.get()
    }

    /// Does all tasks, in no particular order. Each must own or borrow alone what it changes.
    pub fn run<T: Send>(self, tasks: Vec<T>, work: impl Fn(T) + Sync) {
        let threads = self.threads().min(tasks.len());
        if threads <= 1 {
            tasks.into_iter().for_each(work);
            return;
        }
        let queue = Mutex::new(tasks.into_iter());
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let drain = || {
            while let Some(task) = next() {
                work(task);
            }
        };
        at_once(threads, &drain);
    }
}

/// Does the same on several threads, the caller's included. Not generic: starting threads is long
/// code, and there are many kinds of tasks.
fn at_once(threads: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
}

/// Bounds of `count` shares of `len` things: share `i` is from `bounds[i]` to `bounds[i + 1]`.
pub fn shares(len: usize, count: usize) -> Vec<usize> {
    (0..=count).map(|i| len * i / count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once() {
        for threads in [1, 2, 7] {
            let workers = Workers::new(NonZeroUsize::new(threads).unwrap());
            let mut numbers = vec![0usize; 1000];
            let tasks = numbers.chunks_mut(33).enumerate().collect();
            workers.run(tasks, |(i, part): (usize, &mut [usize])| {
                part.iter_mut().for_each(|n| *n += i + 1);
            });
            assert!(numbers.iter().enumerate().all(|(at, &n)| n == at / 33 + 1));
            workers.run(Vec::new(), |(): ()| panic!("no task"));
        }
    }

    #[test]
    fn shares_cover_everything() {
        for (len, count) in [(0, 3), (10, 3), (2, 5), (64, 8)] {
            let bounds = shares(len, count);
            assert_eq!((bounds[0], bounds[count], bounds.len()), (0, len, count + 1));
            assert!(bounds.is_sorted());
        }
    }
}
