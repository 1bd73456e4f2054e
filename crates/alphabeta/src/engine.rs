//! The engine: options, memory, and the threads that searches run in.

use crate::analysis::{Memory, Question};
use crate::history::Common;
use crate::job::Job;
use crate::memory::free_mib;
use crate::options;
use crate::params::Params;
use crate::prove::MateMemory;
use crate::shared::{Reductions, Shared};
use crate::table::Table;
use crate::values::{self, NONE};
use crate::worker::Worker;
use eval::Evaluator;
use rules::{AnyPosition, Position, Variant};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use think::key::universal::{HASH, MULTI_PV, THREADS};
use think::{
    Control, Engine, Limits, OptionError, OptionSpec, Report, STACK, Settings, TimeSource,
    WrongGame,
};

/// How the numbers of [`Params`] are called when they are set like options.
const PARAM_PREFIX: &str = "Param.";

/// Search threads for every processor of the machine, at most: with more of them none gets to look
/// at the clock often enough.
const THREADS_PER_PROCESSOR: usize = 4;

/// MiB from which the preparation of a table is worth telling of.
const WORTH_TELLING: usize = 1024;

/// Workers that wait for the next search; the thread of a search takes them and brings them back.
pub(crate) type WorkerPool<V, E> = Arc<Mutex<Vec<Box<Worker<V, E>>>>>;

/// The engine.
pub struct AlphaBeta<V: Variant, E: Evaluator<V>> {
    position: Position<V>,
    settings: Settings,
    params: Params,
    time: Arc<dyn TimeSource>,
    weights: Arc<E::Weights>,
    table: Option<Arc<Table>>,
    idle_workers: WorkerPool<V, E>,
    /// What the workers learn together, made when first needed.
    common: Option<Arc<Common>>,
    /// What the solver has read in this game.
    mates: Option<Arc<MateMemory>>,
    /// Positions analysed, with what was found.
    analysed: Arc<Mutex<Memory>>,
    /// Processors there are.
    processors: usize,
    /// MiB of memory nobody uses, where the system says so.
    free_mib: fn() -> Option<usize>,
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
            common: None,
            mates: None,
            analysed: Arc::default(),
            processors: thread::available_parallelism().map_or(1, usize::from),
            free_mib,
            last_value: Arc::new(Mutex::new(NONE)),
            control: Control::default(),
            thread: None,
        }
    }

    /// Threads of a search: those asked for, as far as the machine can bear them.
    fn threads(&self) -> usize {
        self.settings.get(&THREADS).min(THREADS_PER_PROCESSOR * self.processors.max(2))
    }

    /// The table, made when first needed: `usi` must be answered at once.
    fn table(&mut self) -> Arc<Table> {
        let mib = self.settings.get(&HASH);
        match &self.table {
            Some(table) if table.asked() == mib => Arc::clone(table),
            _ => {
                // The old one goes first: both may not fit.
                self.drop_table();
                let table = Arc::new(Table::new(mib));
                self.table = Some(Arc::clone(&table));
                table
            }
        }
    }

    fn drop_table(&mut self) {
        self.table = None;
        self.mates = None;
        lock(&self.idle_workers).clear();
        if let Some(common) = &self.common {
            common.forget();
        }
        lock(&self.analysed).clear();
    }

    /// Forgets what was read, at once: statistics are cleared by their own threads, the table by
    /// beginning an epoch.
    fn forget(&mut self) {
        if self.table.as_ref().is_some_and(|table| table.forget().is_none()) {
            // Nobody has said `isready` for very long.
            self.drop_table();
        }
        self.forget_statistics();
        lock(&self.analysed).clear();
    }

    fn forget_statistics(&mut self) {
        self.mates = None;
        lock(&self.idle_workers).iter_mut().for_each(|worker| worker.forget = true);
        if let Some(common) = &self.common {
            common.forget();
        }
        *lock(&self.last_value) = NONE;
    }

    /// Takes the memory of the table from the system before somebody's clock runs.
    fn touch(&self, table: &Table, note: &mut dyn FnMut(&str)) {
        let size = table.mib();
        if let Some(free) = (self.free_mib)().filter(|&free| free < size) {
            note(&format!(
                "USI_Hash: {size} MiB, but only {free} are free: memory is taken as it is needed, \
                 and the first searches are slower"
            ));
            return;
        }
        let mut told = 0;
        table.sweep(self.processors, &mut |percent| {
            if size >= WORTH_TELLING && percent / 10 > told {
                told = percent / 10;
                note(&format!("USI_Hash: {percent} % of {size} MiB ready"));
            }
        });
        lock(&self.analysed).clear();
    }

    fn job(&mut self, limits: Limits) -> Job<V, E> {
        let table = self.table();
        let question = self.settings.get(&options::ANALYSIS_MODE).then(|| self.question(&limits));
        let position = match &question {
            Some(question) => {
                self.recall(question, &table);
                self.position.without_history()
            }
            None => self.position.clone(),
        };
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
            analysed: question.map(|question| (question, Arc::clone(&self.analysed))),
            last_value: Arc::clone(&self.last_value),
            control: self.control.clone(),
        }
    }

    fn question(&self, limits: &Limits) -> Question {
        let limited = self.settings.get(&options::MAX_MOVES_TO_DRAW) > 0;
        Question {
            key: self.position.key(),
            ply: limited.then(|| self.position.ply()),
            lines: self.settings.get(&MULTI_PV),
            searchmoves: limits.searchmoves.clone(),
        }
    }

    /// Prepares an analysis: it finds in the table what was read for this very question before, and
    /// nothing else.
    fn recall(&mut self, question: &Question, table: &Table) {
        let earlier = lock(&self.analysed).epoch(question);
        match earlier {
            Some(epoch) => table.go_back(epoch),
            None => {
                let epoch = table.forget().unwrap_or_else(|| {
                    self.drop_table();
                    self.table().epoch()
                });
                lock(&self.analysed).begin(question.clone(), epoch);
            }
        }
        self.forget_statistics();
    }

    /// What the threads of the next search share.
    fn shared(&mut self) -> Arc<Shared> {
        let common = self.common.get_or_insert_with(|| Arc::new(Common::new()));
        let common = Arc::clone(common);
        let table = self.table();
        let mates = self.mates.get_or_insert_with(|| Arc::new(MateMemory::new(table.mib())));
        mates.begin();
        Arc::new(Shared {
            table,
            common,
            mates: Arc::clone(mates),
            glanced: AtomicU64::new(0),
            is_proven: AtomicBool::new(false),
            params: self.params.clone(),
            reductions: Reductions::new(&self.params),
            terms: options::terms(&self.settings),
            control: self.control.clone(),
            stop: AtomicBool::new(false),
            answerable: AtomicBool::new(false),
            time: Arc::clone(&self.time),
            deadline: AtomicU64::new(u64::MAX),
            nodes: (0..self.threads()).map(|_| AtomicU64::new(0)).collect(),
            root_color: self.position.turn(),
            proven: Mutex::default(),
        })
    }
}

/// Makes the idle as many as the search has threads.
pub(crate) fn resize_pool<V: Variant, E: Evaluator<V>>(
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
        if table.needs_sweep() {
            self.touch(&table, note);
        }
        let (asked, threads) = (self.settings.get(&THREADS), self.threads());
        if threads < asked {
            note(&format!(
                "Threads: {asked} on {} processors would answer late, searching with {threads}",
                self.processors
            ));
        }
        // Workers are made now, not on the first move's time.
        let shared = self.shared();
        let mut idle = lock(&self.idle_workers);
        resize_pool(&mut idle, &shared, &self.weights);
        idle.iter_mut().for_each(|worker| worker.clear_if_told());
        shared.common.clear_if_told();
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
            lock(&self.analysed).clear();
            return Ok(());
        }
        let before = self.settings.value(name).cloned();
        self.settings.set(name, value)?;
        let beside = [HASH.name(), THREADS.name(), MULTI_PV.name(), options::PV_INTERVAL.name()];
        let matters = !beside.iter().any(|beside| beside.eq_ignore_ascii_case(name));
        if matters && self.settings.value(name) != before.as_ref() {
            // Another rule, another value.
            lock(&self.analysed).clear();
        }
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
    lock(slot).take()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
