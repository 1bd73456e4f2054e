//! The engine: options, threads, and the promise that every search ends with one legal answer.

use crate::deepen::{Goal, final_value};
use crate::options;
use crate::params::Params;
use crate::root::{self, RootMove};
use crate::shared::{Reductions, Shared};
use crate::skill;
use crate::table::Table;
use crate::timer::Timer;
use crate::values::{self, INFINITE, MAX_PLY, NONE};
use crate::worker::Worker;
use eval::Evaluator;
use rules::{AnyPosition, Declaration, Move, Position, Variant};
use seed::Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use think::key::universal::{HASH, MULTI_PV, PONDER, THREADS};
use think::{
    Answer, Best, Control, Engine, Limits, OptionError, OptionSpec, Report, STACK, Settings,
    TimeSource, WrongGame,
};

/// How the numbers of [`Params`] are called when they are set like options.
const PARAM_PREFIX: &str = "Param.";

/// Workers that wait for the next search; the thread of a search takes them and brings them back.
type WorkerPool<V, E> = Arc<Mutex<Vec<Box<Worker<V, E>>>>>;

/// The engine.
pub struct AlphaBeta<V: Variant, E: Evaluator<V>> {
    position: Position<V>,
    settings: Settings,
    params: Params,
    time: Arc<dyn TimeSource>,
    weights: Arc<E::Weights>,
    table: Option<Arc<Table>>,
    idle_workers: WorkerPool<V, E>,
    /// Value of our last move, to notice when things go wrong.
    last_value: Arc<Mutex<i32>>,
    control: Control,
    thread: Option<JoinHandle<()>>,
}

impl<V: Variant, E: Evaluator<V> + 'static> AlphaBeta<V, E> {
    /// An engine at the start position that evaluates with `weights` and reads the time from
    /// `time`.
    pub fn new(time: Arc<dyn TimeSource>, weights: Arc<E::Weights>) -> Self {
        Self {
            position: Position::startpos(),
            settings: Settings::new(options::specs()),
            params: Params::of(V::GAME),
            time,
            weights,
            table: None,
            idle_workers: Arc::default(),
            last_value: Arc::new(Mutex::new(NONE)),
            control: Control::default(),
            thread: None,
        }
    }

    fn threads(&self) -> usize {
        self.settings.get(&THREADS)
    }

    /// The table, made when first needed: `usi` must be answered at once.
    fn table(&mut self) -> Arc<Table> {
        let mib = self.settings.get(&HASH);
        match &self.table {
            Some(table) if table.asked() == mib => Arc::clone(table),
            _ => {
                // The old one goes first: both may not fit.
                self.table = None;
                self.idle_workers.lock().unwrap_or_else(PoisonError::into_inner).clear();
                let table = Arc::new(Table::new(mib));
                self.table = Some(Arc::clone(&table));
                table
            }
        }
    }

    fn forget(&mut self) {
        let threads = self.threads();
        if let Some(table) = &self.table {
            table.clear(threads);
        }
        for worker in &mut *self.idle_workers.lock().unwrap_or_else(PoisonError::into_inner) {
            worker.history.clear();
        }
        *self.last_value.lock().unwrap_or_else(PoisonError::into_inner) = NONE;
    }

    fn job(&mut self, limits: Limits) -> Job<V, E> {
        let analysis = self.settings.get(&options::ANALYSIS_MODE);
        if analysis {
            self.forget();
        }
        let position =
            if analysis { self.position.without_history() } else { self.position.clone() };
        let shared = self.shared();
        shared.table.age();
        Job {
            position,
            limits,
            settings: self.settings.clone(),
            time: Arc::clone(&self.time),
            weights: Arc::clone(&self.weights),
            shared,
            idle_workers: Arc::clone(&self.idle_workers),
            last_value: Arc::clone(&self.last_value),
            control: self.control.clone(),
        }
    }

    /// What the threads of the next search share.
    fn shared(&mut self) -> Arc<Shared> {
        Arc::new(Shared {
            table: self.table(),
            params: self.params.clone(),
            reductions: Reductions::new(&self.params),
            rules: options::game_rules(&self.settings),
            control: self.control.clone(),
            stop: AtomicBool::new(false),
            nodes: (0..self.threads()).map(|_| AtomicU64::new(0)).collect(),
            root_color: self.position.turn(),
        })
    }
}

/// Makes the idle as many as the search has threads.
fn resize_pool<V: Variant, E: Evaluator<V>>(
    idle: &mut Vec<Box<Worker<V, E>>>,
    shared: &Arc<Shared>,
    weights: &Arc<E::Weights>,
) {
    let threads = shared.nodes.len();
    idle.truncate(threads);
    while idle.len() < threads {
        let eval = E::new(Arc::clone(weights));
        idle.push(Box::new(Worker::new(idle.len(), eval, Arc::clone(shared))));
    }
}

impl<V: Variant, E: Evaluator<V> + 'static> Engine for AlphaBeta<V, E> {
    fn set_position(&mut self, position: AnyPosition) -> Result<(), WrongGame> {
        let wrong = WrongGame { plays: V::GAME, given: position.game() };
        self.position = V::position(position).ok_or(wrong)?;
        Ok(())
    }

    fn go(&mut self, limits: Limits, report: Box<dyn Report>) {
        self.control.stop();
        self.wait();
        self.control = Control::new(limits.ponder);
        let job = self.job(limits);
        let builder = thread::Builder::new().name("search".to_owned()).stack_size(STACK);
        // The report must not be lost with the closure if no thread can be started.
        let slot = Arc::new(Mutex::new(Some((job, report))));
        let taken = Arc::clone(&slot);
        let run = move || {
            if let Some((job, mut report)) = take(&taken) {
                job.run(&mut *report);
            }
        };
        match builder.spawn(run) {
            Ok(thread) => self.thread = Some(thread),
            Err(error) => {
                if let Some((job, mut report)) = take(&slot) {
                    report.note(&format!(
                        "could not start a thread for the search ({error}): not reading ahead"
                    ));
                    report.best(&job.any_move());
                }
            }
        }
    }

    fn think(&mut self, limits: Limits, report: &mut dyn Report) {
        self.control.stop();
        self.wait();
        self.control = Control::new(limits.ponder);
        self.job(limits).run(report);
    }

    fn control(&self) -> Control {
        self.control.clone()
    }

    fn wait(&mut self) {
        if let Some(thread) = self.thread.take() {
            // The thread contains its own panics: there is nothing to learn from the result.
            let _ = thread.join();
        }
    }

    fn new_game(&mut self) {
        self.wait();
        self.position = Position::startpos();
        self.forget();
    }

    fn is_ready(&mut self, note: &mut dyn FnMut(&str)) {
        self.wait();
        let table = self.table();
        if table.mib() < table.asked() {
            note(&format!(
                "USI_Hash: the system has no {} MiB, going on with {}",
                table.asked(),
                table.mib()
            ));
        }
        // Workers are made now, not on the first move's time.
        let shared = self.shared();
        let mut idle = self.idle_workers.lock().unwrap_or_else(PoisonError::into_inner);
        resize_pool(&mut idle, &shared, &self.weights);
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.settings.specs().cloned().collect()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        // The numbers of the search are not declared: they are for tuning, not for users.
        if let Some(param) = name.strip_prefix(PARAM_PREFIX)
            && let Some(spec) = Params::TABLE.iter().find(|s| s.name == param)
        {
            let (min, max) = (i64::from(spec.min), i64::from(spec.max));
            let spec = OptionSpec::spin(name, i64::from(spec.default), min, max, spec.help);
            if let think::option::Value::Spin(n) = spec.parse(value)? {
                self.params.set(param, n as i32);
            }
            return Ok(());
        }
        self.settings.set(name, value)?;
        if options::CLEAR_HASH.is_called(name) {
            self.wait();
            self.forget();
        }
        Ok(())
    }

    fn static_value(&mut self) -> Option<i32> {
        let mut evaluator = E::new(Arc::clone(&self.weights));
        evaluator.refresh(&self.position);
        Some(values::to_cp(evaluator.evaluate(&self.position)))
    }
}

impl<V: Variant, E: Evaluator<V>> Drop for AlphaBeta<V, E> {
    fn drop(&mut self) {
        self.control.quit();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// One search, with all it needs.
pub(crate) struct Job<V: Variant, E: Evaluator<V>> {
    pub(crate) position: Position<V>,
    pub(crate) limits: Limits,
    pub(crate) settings: Settings,
    pub(crate) time: Arc<dyn TimeSource>,
    weights: Arc<E::Weights>,
    shared: Arc<Shared>,
    idle_workers: WorkerPool<V, E>,
    last_value: Arc<Mutex<i32>>,
    pub(crate) control: Control,
}

impl<V: Variant, E: Evaluator<V> + 'static> Job<V, E> {
    fn run(self, report: &mut dyn Report) {
        if self.limits.mate.is_some() {
            return self.look_for_mate(report);
        }
        let best = self.without_search().or_else(|| self.proven_mate(report));
        let best = best.unwrap_or_else(|| {
            let found = catch_unwind(AssertUnwindSafe(|| self.search(report)));
            found.unwrap_or_else(|_| {
                self.shared.stop.store(true, Ordering::Relaxed);
                report.note("internal error in the search (please report it): playing a legal move without it");
                self.any_move()
            })
        });
        let best = self.checked(best);
        self.control.wait_until_answerable(self.limits.infinite);
        report.best(&best);
    }

    /// Answers that need no search: a declared win, no legal move.
    fn without_search(&self) -> Option<Best> {
        let rule = self.shared.rules.declaration;
        let answer = if rule == Declaration::Try
            && let Some(m) = self.position.try_move()
        {
            Answer::Move(m)
        } else if self.position.can_declare(rule) {
            Answer::Win
        } else if self.position.is_mated() {
            Answer::Resign
        } else {
            return None;
        };
        Some(Best { answer, ponder: None })
    }

    fn root_moves(&self) -> Vec<RootMove> {
        let mut list = rules::MoveList::new();
        if self.shared.rules.all_moves || !self.limits.searchmoves.is_empty() {
            self.position.generate(rules::Gen::All, &mut list);
        } else {
            self.position.generate_useful(rules::Gen::All, &mut list);
        }
        let asked = &self.limits.searchmoves;
        list.iter()
            .filter(|m| asked.is_empty() || asked.contains(m))
            .map(|&m| RootMove::new(m))
            .collect()
    }

    fn goal(&self, level: u32) -> Goal {
        let limit = self.settings.get(&options::DEPTH_LIMIT);
        let asked = self.limits.depth.map_or(MAX_PLY as i32, |d| d.min(MAX_PLY as u32) as i32);
        let lines = self.settings.get(&MULTI_PV);
        Goal {
            depth: if limit > 0 { asked.min(limit) } else { asked }.max(1),
            lines: if level < skill::FULL { lines.max(skill::LINES) } else { lines },
            interval: Duration::from_millis(self.settings.get(&options::PV_INTERVAL)),
            by_clock: self.limits.clocks.is_some()
                && self.limits.movetime.is_none()
                && !self.limits.infinite,
            last_value: *self.last_value.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    pub(crate) fn timer(&self, level: u32) -> Timer {
        let mut limits = self.limits.clone();
        let mut cap = |nodes: u64| {
            limits.nodes = Some(limits.nodes.map_or(nodes, |n| n.min(nodes)));
        };
        if let n @ 1.. = self.settings.get(&options::NODES_LIMIT) {
            cap(n);
        }
        if level < skill::FULL {
            cap(skill::nodes(level));
        }
        Timer::new(
            Arc::clone(&self.time),
            self.control.clone(),
            &limits,
            options::time_options(&self.settings, &self.shared.params),
            self.position.turn(),
            self.position.ply(),
            self.shared.rules.max_moves,
        )
    }

    /// The workers of this search, the first one with the watch.
    fn workers(&self, timer: Timer) -> Vec<Box<Worker<V, E>>> {
        let mut idle = self.idle_workers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut workers = std::mem::take(&mut *idle);
        resize_pool(&mut workers, &self.shared, &self.weights);
        let moves = self.root_moves();
        for (id, worker) in workers.iter_mut().enumerate() {
            worker.id = id;
            worker.timer = None;
            worker.begin(Arc::clone(&self.shared), self.position.clone(), moves.clone());
        }
        workers[0].timer = Some(timer);
        workers
    }

    fn search(&self, report: &mut dyn Report) -> Best {
        let level = self.settings.get(&options::SKILL_LEVEL);
        let goal = self.goal(level);
        let mut workers = self.workers(self.timer(level));
        if workers[0].root_moves.is_empty() {
            // Only moves left out as pointless remain.
            return self.any_move();
        }
        let (first, others) = workers.split_at_mut(1);
        thread::scope(|scope| {
            for worker in others {
                let builder = thread::Builder::new().stack_size(STACK);
                // Fewer threads than asked for is no reason not to play.
                let _ = builder.spawn_scoped(scope, || {
                    let contained = catch_unwind(AssertUnwindSafe(|| worker.deepen(&goal, None)));
                    if contained.is_err() {
                        worker.root_moves.clear();
                    }
                });
            }
            // Whatever happens to the first, the others must hear of the end.
            let done = catch_unwind(AssertUnwindSafe(|| first[0].deepen(&goal, Some(report))));
            if self.limits.infinite || self.control.is_pondering() {
                self.control.wait_until_answerable(self.limits.infinite);
            }
            self.shared.stop.store(true, Ordering::Relaxed);
            if done.is_err() {
                first[0].root_moves.clear();
            }
        });
        let best = self.verdict(&workers, level, report);
        *self.idle_workers.lock().unwrap_or_else(PoisonError::into_inner) = workers;
        best
    }

    /// The move of the deepest and best thread.
    fn verdict(&self, workers: &[Box<Worker<V, E>>], level: u32, report: &mut dyn Report) -> Best {
        let workers: Vec<&Worker<V, E>> = workers.iter().map(|w| &**w).collect();
        // A thread that failed has no moves; one that was stopped at once has no values.
        let alive =
            |w: &&Worker<V, E>| w.root_moves.first().is_some_and(|r| final_value(r) > -INFINITE);
        if workers[0].root_moves.is_empty() {
            report.note("the first search thread failed; using what the others found");
        }
        let first = workers.first().copied().filter(alive);
        // Another thread is believed only where it proves more: a nearer mate.
        let mut best = first;
        for other in workers.iter().copied().skip(1).filter(alive) {
            let better = best.is_none_or(|b| {
                let (mine, theirs) =
                    (final_value(&b.root_moves[0]), final_value(&other.root_moves[0]));
                values::is_mate(theirs) && theirs > mine && theirs > 0
            });
            if better {
                best = Some(other);
            }
        }
        let Some(worker) = best else { return self.any_move() };
        let moves = &worker.root_moves;
        let chosen = if level < skill::FULL {
            let nanos = self.time.now().as_nanos() as u64;
            let seed = Rng::for_purpose(self.position.key(), &[nanos]).bits();
            skill::choose(moves, level, seed)
        } else {
            0
        };
        let line = &moves[chosen];
        let value = final_value(line);
        *self.last_value.lock().unwrap_or_else(PoisonError::into_inner) = value;
        if values::to_cp(value) < -self.settings.get(&options::RESIGN_VALUE) {
            return Best { answer: Answer::Resign, ponder: None };
        }
        let ponder = if self.settings.get(&PONDER) { self.reply(line) } else { None };
        Best { answer: Answer::Move(line.mv()), ponder }
    }

    /// The reply expected: from the line, else from the table.
    fn reply(&self, line: &RootMove) -> Option<Move> {
        line.pv.get(1).copied().or_else(|| {
            let mut after = self.position.clone();
            after.play(line.mv());
            self.shared.table.get(after.key()).map(|e| e.best).filter(|m| m.is_some())
        })
    }

    /// The answer if it can be played, else some move that can.
    fn checked(&self, best: Best) -> Best {
        let Answer::Move(m) = best.answer else { return best };
        if !self.position.is_legal(m) {
            return self.any_move();
        }
        let mut after = self.position.clone();
        after.play(m);
        Best { ponder: best.ponder.filter(|&reply| after.is_legal(reply)), ..best }
    }

    /// The legal move (of those asked for) that looks best at a glance; resignation if there is
    /// none.
    fn any_move(&self) -> Best {
        let asked = &self.limits.searchmoves;
        let mut moves: Vec<RootMove> = self
            .position
            .legal_moves()
            .iter()
            .filter(|m| asked.is_empty() || asked.contains(m))
            .map(|&m| RootMove::new(m))
            .collect();
        for r in &mut moves {
            let m = r.mv();
            let safe = self.position.see_at_least(m, 0, &eval::PIECE_VALUES);
            let taken = eval::PIECE_VALUES[self.position.piece_at(m.to()).kind_index()];
            r.score = if safe { taken } else { -1 };
        }
        root::sort(&mut moves);
        let answer = moves.first().map_or(Answer::Resign, |r| Answer::Move(r.mv()));
        Best { answer, ponder: None }
    }
}

#[cfg(test)]
mod tests;
