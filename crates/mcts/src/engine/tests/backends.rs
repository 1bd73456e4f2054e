//! Back-ends with the habits of real ones: late, out of order, wrong, gone.

use super::*;
use infer::{Fault, Finished, Pace, Ticket, Value};
use std::sync::atomic::AtomicU64;

/// How a back-end behaves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Habit {
    pub(super) delay: Duration,
    /// Later batches may come back first.
    pub(super) reorder: bool,
}

/// Answers as [`Hashed`] does, from threads of its own, after a while.
pub(super) struct Later {
    shape: Shape,
    habit: Habit,
    finished: Arc<Finished>,
    count: AtomicU64,
}

impl Later {
    pub(super) fn new(shape: Shape, habit: Habit) -> Self {
        Self { shape, habit, finished: Arc::default(), count: AtomicU64::new(0) }
    }
}

fn answer(shape: Shape, batch: Batch) -> Batch {
    let hashed = Hashed::new(shape, 1);
    hashed.submit(batch).unwrap();
    hashed.poll(Duration::ZERO).unwrap().unwrap().1
}

impl Backend for Later {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn describe(&self) -> String {
        "late".to_owned()
    }

    fn pace(&self) -> Pace {
        Pace { batch: 16, in_flight: 3, threads: 2 }
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        let ticket = self.finished.begin()?;
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let finished = Arc::clone(&self.finished);
        let (shape, habit) = (self.shape, self.habit);
        thread::spawn(move || {
            let times = if habit.reorder { 3 - number as u32 % 3 } else { 1 };
            thread::sleep(habit.delay * times);
            finished.finish(ticket, answer(shape, batch));
        });
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        self.finished.poll(wait)
    }

    fn in_flight(&self) -> usize {
        self.finished.in_flight()
    }
}

/// Answers at once, some batches with nonsense, and none after it has died.
pub(super) struct Broken {
    shape: Shape,
    is_nonsense: Box<dyn Fn(u64) -> bool + Send + Sync>,
    dies: Option<u64>,
    finished: Finished,
    count: AtomicU64,
}

impl Broken {
    pub(super) fn new(
        shape: Shape,
        is_nonsense: impl Fn(u64) -> bool + Send + Sync + 'static,
        dies: Option<u64>,
    ) -> Self {
        let (finished, count) = (Finished::default(), AtomicU64::new(0));
        Self { shape, is_nonsense: Box::new(is_nonsense), dies, finished, count }
    }
}

impl Backend for Broken {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn describe(&self) -> String {
        "broken".to_owned()
    }

    fn pace(&self) -> Pace {
        Pace { batch: 8, in_flight: 1, threads: usize::MAX }
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        if self.dies.is_some_and(|at| number >= at) {
            self.finished.end("the device is gone");
        }
        let ticket = self.finished.begin()?;
        let mut batch = answer(self.shape, batch);
        if (self.is_nonsense)(number) {
            let policy = vec![f32::NAN; batch.labels(0).len()];
            batch.answer(0, &policy, Value { win: 0.5, draw: 0.0 });
        }
        self.finished.finish(ticket, batch);
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        self.finished.poll(wait)
    }

    fn in_flight(&self) -> usize {
        self.finished.in_flight()
    }
}

/// Answers at once, and before every answer something nobody asked for. One that is silent answers
/// nothing else.
pub(super) struct Lying {
    shape: Shape,
    silent: bool,
    finished: Finished,
    lies: AtomicU64,
}

impl Lying {
    pub(super) fn new(shape: Shape, silent: bool) -> Self {
        Self { shape, silent, finished: Finished::default(), lies: AtomicU64::new(0) }
    }
}

impl Backend for Lying {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn describe(&self) -> String {
        "lying".to_owned()
    }

    fn pace(&self) -> Pace {
        Pace { batch: 8, in_flight: 2, threads: 2 }
    }

    fn submit(&self, batch: Batch) -> Result<Ticket, Fault> {
        let ticket = self.finished.begin()?;
        if !self.silent {
            self.finished.finish(ticket, answer(self.shape, batch));
        }
        Ok(ticket)
    }

    fn poll(&self, wait: Duration) -> Result<Option<(Ticket, Batch)>, Fault> {
        let lie = self.lies.fetch_add(1, Ordering::Relaxed);
        if lie.is_multiple_of(2) && (self.silent || lie < 40) {
            return Ok(Some((Ticket(1 << 40 | lie), Batch::new(self.shape, 1))));
        }
        self.finished.poll(wait)
    }

    fn in_flight(&self) -> usize {
        self.finished.in_flight()
    }
}
