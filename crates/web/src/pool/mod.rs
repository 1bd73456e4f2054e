//! The engines of the house, shared among all visitors: a limit of threads and memory, a line in
//! which everybody waits fairly, and minds that are kept warm.

mod foreign;
mod line;
mod mind;
mod shelf;

pub use foreign::{Registered, probe};
pub use line::Class;
pub use mind::{Broken, Lines, Mind, Own, Question, Stop};

use line::{Decision, Id, Line};
use mate::{Bounds, Solution};
use rules::{AnyPosition, Game};
use shelf::Shelf;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;
use think::{Answer, Control, Engine, Info, TimeSource};

/// When an answer is wanted where nobody has said.
const PATIENCE: Duration = Duration::from_secs(5);

/// Makes engines of this program.
pub type Workshop = Arc<dyn Fn(Game) -> Box<dyn Engine> + Send + Sync>;

/// What the pool may use, and what it is made of.
#[derive(Clone)]
pub struct Means {
    /// Threads that may search at the same time.
    pub threads: usize,
    /// Memory for tables, in MiB.
    pub hash: usize,
    /// Where engines of this program come from.
    pub workshop: Workshop,
    /// Engines the owner registered.
    pub engines: Vec<Registered>,
    /// The time.
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
pub struct Order {
    /// Who asks.
    pub visitor: String,
    /// How urgent it is.
    pub class: Class,
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
pub enum Outcome {
    /// A search has ended, after that time of its own.
    Answered(Answer, Duration),
    /// A search for a mate has ended.
    Solved(Box<Solution>, Duration),
    /// The engine broke down.
    Broken(Broken),
    /// It was given up.
    Cancelled,
}

/// Who is told what becomes of a question. Called from threads of the pool; must not block.
pub trait Listener: Send {
    /// It has a seat, with that many threads.
    fn started(&mut self, _threads: usize) {}
    /// A line of thought.
    fn heard(&mut self, _info: &Info) {}
    /// It gave up its seats for others and waits again.
    fn parked(&mut self) {}
    /// It has ended; nothing follows.
    fn ended(&mut self, outcome: Outcome);
}

struct Job {
    order: Order,
    /// Tells the search that runs now to stop.
    stop: Stop,
    /// Time already used by earlier slices.
    used: Duration,
    asked: Duration,
}

#[derive(Default)]
struct Jobs {
    waiting: HashMap<Id, Job>,
    /// Stops of those that run, and whether they are to be parked or ended.
    running: HashMap<Id, (Stop, Why)>,
    next: Id,
    closing: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    None,
    Park,
    Cancel,
}

struct State {
    line: Line,
    jobs: Jobs,
}

struct Inner {
    state: Mutex<State>,
    changed: Condvar,
    shelf: Shelf,
    means: Means,
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
pub struct Ticket {
    inner: Weak<Inner>,
    id: Id,
}

impl Ticket {
    /// How many wait before it; `None` once it runs.
    pub fn ahead(&self) -> Option<usize> {
        self.inner.upgrade().and_then(|inner| inner.lock().line.ahead(self.id))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.upgrade() {
            inner.cancel(self.id);
        }
    }
}

impl Pool {
    /// A pool, with the thread that looks after the line.
    pub fn new(means: Means) -> std::io::Result<Self> {
        let state = State { line: Line::new(means.threads), jobs: Jobs::default() };
        let shelf = Shelf::new(&means);
        let inner =
            Arc::new(Inner { state: Mutex::new(state), changed: Condvar::new(), shelf, means });
        let steward = Arc::clone(&inner);
        thread::Builder::new().name("steward".to_owned()).spawn(move || steward.attend())?;
        let keeper = Arc::new(Keeper(Arc::downgrade(&inner)));
        Ok(Self { inner, _keeper: keeper })
    }

    /// Puts a question in the line.
    pub fn submit(&self, order: Order) -> Ticket {
        let mut state = self.inner.lock();
        state.jobs.next += 1;
        let id = state.jobs.next;
        let asked = self.inner.means.time.now();
        // A move has to begin well before its answer is wanted.
        let due = asked + order.within.unwrap_or(PATIENCE) / 2;
        state.line.join(id, &order.visitor, order.class, order.threads, due);
        let job = Job { order, stop: Stop::default(), used: Duration::ZERO, asked };
        state.jobs.waiting.insert(id, job);
        drop(state);
        self.inner.changed.notify_all();
        Ticket { inner: Arc::downgrade(&self.inner), id }
    }

    /// The engine of that id, by name and games.
    pub fn engine(&self, id: &str) -> Option<&Registered> {
        self.inner.means.engines.iter().find(|e| e.id == id)
    }

    /// What it may use, and what it is made of.
    pub fn means(&self) -> &Means {
        &self.inner.means
    }

    /// Makes engines ready before they are asked for.
    pub fn warm(&self, game: Game) {
        self.inner.shelf.warm(game);
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
        state.jobs.closing = true;
        for (stop, why) in state.jobs.running.values_mut() {
            *why = Why::Cancel;
            stop.fire();
        }
        drop(state);
        self.changed.notify_all();
    }

    fn cancel(&self, id: Id) {
        let mut state = self.lock();
        let given_up = state.jobs.waiting.remove(&id);
        if given_up.is_some() {
            state.line.leave(id);
        } else if let Some((stop, why)) = state.jobs.running.get_mut(&id) {
            *why = Why::Cancel;
            stop.fire();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Looks after the line until the pool is closed.
    fn attend(self: &Arc<Self>) {
        let mut state = self.lock();
        loop {
            if state.jobs.closing {
                let left: Vec<Job> = state.jobs.waiting.drain().map(|(_, job)| job).collect();
                drop(state);
                for mut job in left {
                    job.order.listener.ended(Outcome::Cancelled);
                }
                return;
            }
            for decision in state.line.decide(self.means.time.now()) {
                match decision {
                    Decision::Start(id, threads) => self.begin(&mut state, id, threads),
                    Decision::Park(id) => {
                        if let Some((stop, why)) = state.jobs.running.get_mut(&id)
                            && *why == Why::None
                        {
                            *why = Why::Park;
                            stop.fire();
                        }
                    }
                }
            }
            let patience = if state.line.is_quiet() { 10_000 } else { 50 };
            let patience = Duration::from_millis(patience);
            let waited = self.changed.wait_timeout(state, patience);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn begin(self: &Arc<Self>, state: &mut State, id: Id, threads: usize) {
        let Some(mut job) = state.jobs.waiting.remove(&id) else {
            state.line.leave(id);
            return;
        };
        job.stop = Stop::default();
        state.jobs.running.insert(id, (job.stop.clone(), Why::None));
        // Those who wait behind this one want their answers in time as well.
        let crowd = state.line.crowd(job.order.class).div_ceil(self.means.threads.max(1)).max(1);
        let inner = Arc::clone(self);
        let slot = Arc::new(Mutex::new(Some(job)));
        let taken = Arc::clone(&slot);
        let run = move || {
            let job = taken.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(job) = job {
                inner.run(id, job, threads, crowd);
            }
        };
        if thread::Builder::new()
            .name("thinker".to_owned())
            .stack_size(think::STACK)
            .spawn(run)
            .is_err()
        {
            state.jobs.running.remove(&id);
            state.line.leave(id);
            let job = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(mut job) = job {
                let broken = Broken("there is no thread to think with".to_owned());
                job.order.listener.ended(Outcome::Broken(broken));
            }
        }
    }

    /// One slice of a question, on a thread of its own.
    fn run(self: &Arc<Self>, id: Id, mut job: Job, threads: usize, crowd: usize) {
        job.order.listener.started(threads);
        let began = self.means.time.now();
        let outcome = match &job.order.task {
            Task::Search(question) => {
                let mut question = question.clone();
                let most = job.budget(began, crowd);
                question.time = match (question.time, most) {
                    (Some(time), Some(most)) => Some(time.saturating_sub(job.used).min(most)),
                    (Some(time), None) => Some(time.saturating_sub(job.used)),
                    (None, most) => most,
                };
                self.search(&question, &mut job, threads)
            }
            Task::Mate(position, bounds) => self.solve(position, bounds, &job, threads),
        };
        let spent = self.means.time.now().saturating_sub(began);
        job.used += spent;
        let mut state = self.lock();
        let why = state.jobs.running.remove(&id).map_or(Why::Cancel, |(_, why)| why);
        let finished = match (&job.order.task, why) {
            (_, Why::None) => true,
            (_, Why::Cancel) => false,
            // Stopped between answers, a search goes on later; what was certain is certain.
            (Task::Search(question), Why::Park) => {
                let waited = self.means.time.now().saturating_sub(job.asked);
                question.time.is_some_and(|time| job.used >= time)
                    || job.order.within.is_some_and(|within| waited >= within.mul_f64(0.8))
                    || outcome.is_err()
            }
            (Task::Mate(..), Why::Park) => !matches!(
                &outcome,
                Ok(Outcome::Solved(s, _)) if matches!(s.verdict, mate::Verdict::Unknown(_))
            ),
        };
        if why == Why::Park && !finished && !state.jobs.closing {
            job.order.listener.parked();
            state.line.parked(id);
            state.jobs.waiting.insert(id, job);
            drop(state);
            self.changed.notify_all();
            return;
        }
        state.line.leave(id);
        drop(state);
        self.changed.notify_all();
        job.order.listener.ended(match outcome {
            _ if why == Why::Cancel => Outcome::Cancelled,
            Ok(outcome) => outcome,
            Err(broken) => Outcome::Broken(broken),
        });
    }

    fn search(
        &self,
        question: &Question,
        job: &mut Job,
        threads: usize,
    ) -> Result<Outcome, Broken> {
        let game = question.position.game();
        let order = &mut job.order;
        let small = order.class != Class::Long && order.threads <= 1;
        let mut mind = self.shelf.take(order.engine.as_deref(), game, small, &order.visitor)?;
        let began = self.means.time.now();
        let listener = &mut order.listener;
        let answer = mind.ask(question, threads, &job.stop, &mut |info| listener.heard(info))?;
        self.shelf.put_back(mind);
        let spent = self.means.time.now().saturating_sub(began);
        Ok(Outcome::Answered(answer, job.used + spent))
    }

    fn solve(
        &self,
        position: &AnyPosition,
        bounds: &Bounds,
        job: &Job,
        threads: usize,
    ) -> Result<Outcome, Broken> {
        let control = Control::default();
        let handle = control.clone();
        job.stop.on(move || handle.stop());
        let mut bounds = bounds.clone();
        bounds.threads = threads;
        bounds.time = bounds.time.map(|t| t.saturating_sub(job.used));
        let solve = || mate::solve_any(position, &bounds, &control, &*self.means.time);
        let began = self.means.time.now();
        let solution = std::panic::catch_unwind(std::panic::AssertUnwindSafe(solve))
            .map_err(|_| Broken("the mate search failed inside".to_owned()))?;
        let spent = self.means.time.now().saturating_sub(began);
        Ok(Outcome::Solved(Box::new(solution), job.used + spent))
    }
}

impl Job {
    /// The most a short question may take, so that everybody in a crowd is answered in time.
    fn budget(&self, now: Duration, crowd: usize) -> Option<Duration> {
        let within = self.order.within?;
        let waited = now.saturating_sub(self.asked);
        let share = within / u32::try_from(crowd).unwrap_or(u32::MAX).max(1);
        let least = Duration::from_millis(5);
        Some(share.min(within.saturating_sub(waited)).mul_f64(0.9).max(least))
    }
}
