//! The engines of the house, shared among all visitors: a limit of threads and memory, a line in
//! which everybody waits fairly, and engines that are kept warm.

mod engine;
mod idle;

pub(crate) use engine::TREE_SEARCH;
pub use engine::{EngineFailure, Origin, PoolEngine, Registered, probe};

use board::question::Question;
use board::queue::{Decision, Id, Priority, Queue};
use engines::SearchHandle;
use idle::IdleEngines;
use mate::{Bounds, Solution};
use rules::AnyPosition;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;
use think::{Answer, Control, Info, TimeSource};

/// When an answer is wanted where nobody has said.
const PATIENCE: Duration = Duration::from_secs(5);

/// Makes engines of this program.
pub type EngineFactory = Arc<engines::EngineFactory>;

/// What the pool may use, and what it is made of.
#[derive(Clone)]
pub struct PoolConfig {
    /// Threads that may search at the same time.
    pub threads: usize,
    /// Memory for tables, in MiB.
    pub hash: usize,
    /// Where engines of this program come from.
    pub factory: EngineFactory,
    /// Engines the owner registered.
    pub engines: Vec<Registered>,
    pub time: Arc<dyn TimeSource>,
}

/// What is to be done.
pub enum Task {
    /// Think about a position.
    Search(Question),
    /// Look for a mate.
    Mate(AnyPosition, Bounds),
}

/// A question to the pool.
pub struct Job {
    pub visitor: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Threads wished for.
    pub threads: usize,
    /// The engine: `None` for our own.
    pub engine: Option<String>,
    /// What to do.
    pub task: Task,
    /// Within this time, waiting included, somebody wants the answer.
    pub within: Option<Duration>,
    /// Who is told.
    pub listener: Box<dyn Listener>,
}

/// The answer.
#[derive(Debug)]
pub enum JobResult {
    /// A search has ended, after that time of its own.
    Answered(Answer, Duration),
    /// A search for a mate has ended.
    Solved(Box<Solution>, Duration),
    /// The engine broke down.
    Failed(EngineFailure),
    /// It was given up.
    Cancelled,
}

/// Who is told what becomes of a question. Called from threads of the pool; must not block.
pub trait Listener: Send {
    /// It has a seat, with that many threads.
    fn started(&mut self, _threads: usize) {}
    /// A line of thought.
    fn info(&mut self, _info: &Info) {}
    /// It gave up its seats for others and waits again.
    fn paused(&mut self) {}
    /// It has ended; nothing follows.
    fn finished(&mut self, outcome: JobResult);
}

struct Entry {
    job: Job,
    /// Tells the search that runs now to stop.
    stop: Stop,
    /// Time already used by earlier slices.
    used: Duration,
    asked: Duration,
}

/// Tells the search that runs now to stop, whichever kind it is.
#[derive(Clone, Default)]
struct Stop {
    search: SearchHandle,
    mate: Control,
}

impl Stop {
    fn fire(&self) {
        self.search.stop();
        self.mate.stop();
    }
}

#[derive(Default)]
struct Entries {
    waiting: HashMap<Id, Entry>,
    /// Stops of those that run, and whether they are to be parked or ended.
    running: HashMap<Id, (Stop, StopReason)>,
    next: Id,
    closing: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StopReason {
    None,
    Pause,
    Cancel,
}

struct State {
    queue: Queue,
    entries: Entries,
}

struct Inner {
    state: Mutex<State>,
    changed: Condvar,
    idle: IdleEngines,
    config: PoolConfig,
}

/// The pool. The last clone that goes ends everything.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
    _keeper: Arc<Keeper>,
}

struct Keeper(Weak<Inner>);

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(inner) = self.0.upgrade() {
            inner.close();
        }
    }
}

/// A question under way; dropped, it is given up.
#[must_use]
pub struct JobHandle {
    inner: Weak<Inner>,
    id: Id,
}

impl JobHandle {
    /// How many wait before it; `None` once it runs.
    pub fn ahead(&self) -> Option<usize> {
        self.inner.upgrade().and_then(|inner| inner.lock().queue.ahead(self.id))
    }
}

impl Drop for JobHandle {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.upgrade() {
            inner.cancel(self.id);
        }
    }
}

impl Pool {
    /// A pool, with the thread that looks after the line.
    pub fn new(config: PoolConfig) -> std::io::Result<Self> {
        let state = State { queue: Queue::new(config.threads), entries: Entries::default() };
        let idle = IdleEngines::new(&config);
        let inner =
            Arc::new(Inner { state: Mutex::new(state), changed: Condvar::new(), idle, config });
        let dispatcher = Arc::clone(&inner);
        thread::Builder::new()
            .name("dispatcher".to_owned())
            .spawn(move || dispatcher.dispatch())?;
        let keeper = Arc::new(Keeper(Arc::downgrade(&inner)));
        Ok(Self { inner, _keeper: keeper })
    }

    /// Puts a question in the line.
    pub fn submit(&self, job: Job) -> JobHandle {
        let mut state = self.inner.lock();
        state.entries.next += 1;
        let id = state.entries.next;
        let asked = self.inner.config.time.now();
        // A move has to begin well before its answer is wanted.
        let due = asked + job.within.unwrap_or(PATIENCE) / 2;
        state.queue.join(id, &job.visitor, job.priority, job.threads, due);
        let entry = Entry { job, stop: Stop::default(), used: Duration::ZERO, asked };
        state.entries.waiting.insert(id, entry);
        drop(state);
        self.inner.changed.notify_all();
        JobHandle { inner: Arc::downgrade(&self.inner), id }
    }

    /// The engine of that id, by name and games.
    pub fn engine(&self, id: &str) -> Option<&Registered> {
        self.inner.config.engines.iter().find(|e| e.id == id)
    }

    /// What it may use, and what it is made of.
    pub fn config(&self) -> &PoolConfig {
        &self.inner.config
    }

    /// Makes engines ready before they are asked for.
    pub fn warm(&self, game: rules::Game) {
        self.inner.idle.warm(game);
    }

    /// Ends everything that runs or waits.
    pub fn close(&self) {
        self.inner.close();
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let mut state = self.lock();
        state.entries.closing = true;
        for (stop, reason) in state.entries.running.values_mut() {
            *reason = StopReason::Cancel;
            stop.fire();
        }
        drop(state);
        self.changed.notify_all();
    }

    fn cancel(&self, id: Id) {
        let mut state = self.lock();
        let given_up = state.entries.waiting.remove(&id);
        if given_up.is_some() {
            state.queue.leave(id);
        } else if let Some((stop, reason)) = state.entries.running.get_mut(&id) {
            *reason = StopReason::Cancel;
            stop.fire();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Looks after the line until the pool is closed.
    fn dispatch(self: &Arc<Self>) {
        let mut state = self.lock();
        loop {
            if state.entries.closing {
                let left: Vec<Entry> =
                    state.entries.waiting.drain().map(|(_, entry)| entry).collect();
                drop(state);
                for mut entry in left {
                    entry.job.listener.finished(JobResult::Cancelled);
                }
                return;
            }
            for decision in state.queue.decide(self.config.time.now()) {
                match decision {
                    Decision::Start(id, threads) => self.begin(&mut state, id, threads),
                    Decision::Pause(id) => {
                        if let Some((stop, reason)) = state.entries.running.get_mut(&id)
                            && *reason == StopReason::None
                        {
                            *reason = StopReason::Pause;
                            stop.fire();
                        }
                    }
                }
            }
            let patience = if state.queue.is_quiet() { 10_000 } else { 50 };
            let patience = Duration::from_millis(patience);
            let waited = self.changed.wait_timeout(state, patience);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn begin(self: &Arc<Self>, state: &mut State, id: Id, threads: usize) {
        let Some(mut entry) = state.entries.waiting.remove(&id) else {
            state.queue.leave(id);
            return;
        };
        entry.stop = Stop::default();
        state.entries.running.insert(id, (entry.stop.clone(), StopReason::None));
        // Those who wait behind this one want their answers in time as well.
        let contenders =
            state.queue.contenders(entry.job.priority).div_ceil(self.config.threads.max(1)).max(1);
        let inner = Arc::clone(self);
        let slot = Arc::new(Mutex::new(Some(entry)));
        let taken = Arc::clone(&slot);
        let run = move || {
            let entry = taken.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(entry) = entry {
                inner.run(id, entry, threads, contenders);
            }
        };
        if thread::Builder::new()
            .name("thinker".to_owned())
            .stack_size(think::STACK)
            .spawn(run)
            .is_err()
        {
            state.entries.running.remove(&id);
            state.queue.leave(id);
            let entry = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(mut entry) = entry {
                let broken = EngineFailure("could not start a thread for the search".to_owned());
                entry.job.listener.finished(JobResult::Failed(broken));
            }
        }
    }

    /// One slice of a question, on a thread of its own.
    fn run(self: &Arc<Self>, id: Id, mut entry: Entry, threads: usize, contenders: usize) {
        entry.job.listener.started(threads);
        let began = self.config.time.now();
        let outcome = match &entry.job.task {
            Task::Search(question) => {
                let mut question = question.clone();
                let most = entry.budget(began, contenders);
                question.time = match (question.time, most) {
                    (Some(time), Some(most)) => Some(time.saturating_sub(entry.used).min(most)),
                    (Some(time), None) => Some(time.saturating_sub(entry.used)),
                    (None, most) => most,
                };
                self.search(&question, &mut entry, threads)
            }
            Task::Mate(position, bounds) => self.solve(position, bounds, &entry, threads),
        };
        let spent = self.config.time.now().saturating_sub(began);
        entry.used += spent;
        let mut state = self.lock();
        let reason =
            state.entries.running.remove(&id).map_or(StopReason::Cancel, |(_, reason)| reason);
        let finished = match (&entry.job.task, reason) {
            (_, StopReason::None) => true,
            (_, StopReason::Cancel) => false,
            // Stopped between answers, a search goes on later; what was certain is certain.
            (Task::Search(question), StopReason::Pause) => {
                let waited = self.config.time.now().saturating_sub(entry.asked);
                question.time.is_some_and(|time| entry.used >= time)
                    || entry.job.within.is_some_and(|within| waited >= within.mul_f64(0.8))
                    || outcome.is_err()
            }
            (Task::Mate(..), StopReason::Pause) => !matches!(
                &outcome,
                Ok(JobResult::Solved(s, _)) if matches!(s.verdict, mate::Verdict::Unknown(_))
            ),
        };
        if reason == StopReason::Pause && !finished && !state.entries.closing {
            entry.job.listener.paused();
            state.queue.paused(id);
            state.entries.waiting.insert(id, entry);
            drop(state);
            self.changed.notify_all();
            return;
        }
        state.queue.leave(id);
        drop(state);
        self.changed.notify_all();
        entry.job.listener.finished(match outcome {
            _ if reason == StopReason::Cancel => JobResult::Cancelled,
            Ok(outcome) => outcome,
            Err(broken) => JobResult::Failed(broken),
        });
    }

    fn search(
        &self,
        question: &Question,
        entry: &mut Entry,
        threads: usize,
    ) -> Result<JobResult, EngineFailure> {
        let game = question.position.game();
        let job = &mut entry.job;
        let small = job.priority != Priority::Long && job.threads <= 1;
        let mut engine = self.idle.take(job.engine.as_deref(), game, small, &job.visitor)?;
        let began = self.config.time.now();
        let listener = &mut job.listener;
        let stop = &entry.stop.search;
        let answer = engine.ask(question, threads, stop, &mut |info| listener.info(info))?;
        self.idle.put_back(engine);
        let spent = self.config.time.now().saturating_sub(began);
        Ok(JobResult::Answered(answer, entry.used + spent))
    }

    fn solve(
        &self,
        position: &AnyPosition,
        bounds: &Bounds,
        entry: &Entry,
        threads: usize,
    ) -> Result<JobResult, EngineFailure> {
        let mut bounds = bounds.clone();
        bounds.threads = threads;
        bounds.time = bounds.time.map(|t| t.saturating_sub(entry.used));
        let solve = || mate::solve_any(position, &bounds, &entry.stop.mate, &*self.config.time);
        let began = self.config.time.now();
        let solution =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(solve)).map_err(|_| {
                EngineFailure("internal error in the mate search (please report it)".to_owned())
            })?;
        let spent = self.config.time.now().saturating_sub(began);
        Ok(JobResult::Solved(Box::new(solution), entry.used + spent))
    }
}

impl Entry {
    /// The most a short question may take, so that every contender is answered in time.
    fn budget(&self, now: Duration, contenders: usize) -> Option<Duration> {
        let within = self.job.within?;
        let waited = now.saturating_sub(self.asked);
        let share = within / u32::try_from(contenders).unwrap_or(u32::MAX).max(1);
        let least = Duration::from_millis(5);
        Some(share.min(within.saturating_sub(waited)).mul_f64(0.9).max(least))
    }
}
