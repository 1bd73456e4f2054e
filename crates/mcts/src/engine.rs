//! The engine: options, memory, and the thread that a search runs in.

use crate::job::Job;
use crate::node::State;
use crate::options;
use crate::search::lock;
use crate::tree::Tree;
use infer::{Backend, Batch, Cache};
use rules::{AnyPosition, Move, Position, Variant};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use think::key::universal::{HASH, MULTI_PV, THREADS};
use think::usual::CLEAR_HASH;
use think::{
    Control, Engine, Limits, OptionError, OptionSpec, Report, STACK, Settings, TimeSource,
    WrongGame,
};

/// Search threads for every processor of the machine, at most.
const THREADS_PER_PROCESSOR: usize = 4;
/// Waits of a tenth of a second for the first answer of a net.
const WARM_UP: usize = 300;

/// The engine.
pub struct Puct<V: Variant> {
    position: Position<V>,
    settings: Settings,
    time: Arc<dyn TimeSource>,
    backend: Arc<dyn Backend>,
    memory: Option<Memory>,
    /// The position of the tree's root.
    root: Option<Position<V>>,
    /// Something was set that makes what was read untrue.
    forget: bool,
    multi_pv: Arc<AtomicUsize>,
    processors: usize,
    control: Control,
    thread: Option<JoinHandle<()>>,
}

/// The tree and the answers kept, together under one cap.
#[derive(Clone)]
struct Memory {
    /// MiB, and percent of it for answers.
    asked: (usize, usize),
    tree: Arc<Tree>,
    net: Arc<dyn Backend>,
    #[cfg(test)]
    cache: Option<Arc<Cache>>,
}

impl Memory {
    fn new((mib, percent): (usize, usize), backend: &Arc<dyn Backend>) -> Self {
        let bytes = mib << 20;
        let kept = bytes / 100 * percent;
        let tree = Arc::new(Tree::new(bytes - kept));
        let cache = (kept > 0).then(|| Arc::new(Cache::new(Arc::clone(backend), kept)));
        let net = cache.clone().map_or_else(|| Arc::clone(backend), |c| c as Arc<dyn Backend>);
        let asked = (mib, percent);
        Self {
            asked,
            tree,
            net,
            #[cfg(test)]
            cache,
        }
    }
}

impl<V: Variant> Puct<V> {
    /// An engine at the start position that asks `backend`, which nobody else uses, and reads the
    /// time from `time`.
    ///
    /// # Panics
    /// If the net is for another game.
    pub fn new(time: Arc<dyn TimeSource>, backend: Arc<dyn Backend>) -> Self {
        assert_eq!(backend.shape().game, V::GAME, "{}", backend.describe());
        Self {
            position: Position::startpos(),
            settings: Settings::new(options::specs()),
            time,
            backend,
            memory: None,
            root: None,
            forget: false,
            multi_pv: Arc::new(AtomicUsize::new(1)),
            processors: thread::available_parallelism().map_or(1, usize::from),
            control: Control::default(),
            thread: None,
        }
    }

    /// Threads of a search: those asked for, else those that keep the net busy.
    fn workers(&self) -> usize {
        let most = THREADS_PER_PROCESSOR * self.processors.max(2);
        let wanted = self.backend.pace().threads;
        match self.settings.get(&options::UCT_THREADS) {
            0 if wanted > self.processors => self.settings.get(&THREADS).min(most),
            0 => wanted.max(1),
            asked => asked.min(most),
        }
    }

    /// The memory, made when first needed.
    fn memory(&mut self) -> Memory {
        let asked = (self.settings.get(&HASH), self.settings.get(&options::CACHE_SHARE));
        match &self.memory {
            Some(memory) if memory.asked == asked => memory.clone(),
            _ => {
                // The old one goes first: both may not fit.
                self.memory = None;
                self.root = None;
                self.memory.insert(Memory::new(asked, &self.backend)).clone()
            }
        }
    }

    /// The tree with the position as its root: what was read below it is kept if the game went on
    /// there.
    fn memory_of_position(&mut self) -> Memory {
        let memory = self.memory();
        let tree = &memory.tree;
        let keep = self.settings.get(&options::REUSE_SUBTREE)
            && self.settings.get(&options::GUMBEL_MOVES) == 0
            && !std::mem::take(&mut self.forget);
        let moves = if keep { self.moves_since_root() } else { None };
        match moves {
            Some(moves) => {
                tree.follow(&moves);
            }
            None => tree.clear(),
        }
        let root = tree.root();
        if root != 0 {
            let node = tree.node(root);
            let settled = node.bounds().outcome().is_some();
            // Where the tree ends the game may still go on.
            if matches!(node.state(), State::Ended(_)) || settled && node.first_children() == 0 {
                tree.clear();
            }
        }
        self.root = Some(self.position.clone());
        memory
    }

    /// The moves played since the root of the tree, if the game went on from there.
    fn moves_since_root(&self) -> Option<Vec<Move>> {
        let root = self.root.as_ref()?;
        let (before, now) = (root.moves_played(), self.position.moves_played());
        let since = now.strip_prefix(before.as_slice())?;
        let mut back = self.position.clone();
        for _ in since {
            back.undo();
        }
        (back == *root).then(|| since.to_vec())
    }

    /// What the last search would have the net learn about its position: every move of the root with
    /// its share, likeliest of the net first. Gumbel's root gives the softmax of the logits and the
    /// values found (Danihelka et al., 2022), the usual one the shares of the visits; nothing if
    /// nothing was read.
    fn target(&mut self) -> Vec<(Move, f32)> {
        self.wait();
        let (Some(Memory { tree, .. }), Some(position)) = (&self.memory, &self.root) else {
            return Vec::new();
        };
        let root = tree.root();
        if root == 0 {
            return Vec::new();
        }
        let node = tree.node(root);
        let shares = if self.settings.get(&options::GUMBEL_MOVES) > 0 {
            let turn = position.turn();
            let draw = options::draw_scores(&self.settings, turn)[turn.index()];
            let constants = options::constants(&self.settings, V::GAME);
            tree.improved_policy(node, draw, constants.gumbel_visits)
        } else {
            let mut visits = vec![0.0; node.moves().1];
            for (number, child) in tree.arena.children(node) {
                visits[number] = tree.node(child).visits() as f32;
            }
            let sum: f32 = visits.iter().sum();
            visits.into_iter().map(|visits| if sum > 0.0 { visits / sum } else { 0.0 }).collect()
        };
        tree.edges(node).map(|edge| edge.mv).zip(shares).collect()
    }

    fn job(&mut self, limits: Limits) -> Job<V> {
        let Memory { tree, net, .. } = self.memory_of_position();
        let workers = self.workers();
        self.multi_pv.store(self.settings.get(&MULTI_PV), Ordering::Relaxed);
        Job {
            position: self.position.clone(),
            limits,
            settings: self.settings.clone(),
            time: Arc::clone(&self.time),
            tree,
            backend: net,
            control: self.control.clone(),
            workers,
            spare: self.processors.saturating_sub(workers),
            multi_pv: Arc::clone(&self.multi_pv),
        }
    }

    /// Has the net answer once before somebody's clock runs.
    fn warm_up(&self, note: &mut dyn FnMut(&str)) {
        let shape = self.backend.shape();
        let size = match self.settings.get(&options::DNN_BATCH_SIZE) {
            0 => self.backend.pace().batch,
            size => size,
        };
        let mut batch = Batch::new(shape, size.max(1));
        let position = Position::<V>::startpos();
        let labels: Vec<u16> = position
            .legal_moves()
            .iter()
            .map(|&m| shape.labels.label(m, position.turn()))
            .collect();
        while !batch.is_full() {
            let pack = |out: &mut [u8]| shape.planes.pack(&position, out);
            batch.push(position.key(), pack, labels.iter().copied());
        }
        let answer = self.backend.submit(batch).and_then(|_| {
            let poll = || self.backend.poll(Duration::from_millis(100));
            (0..WARM_UP).map(|_| poll()).find(|a| !matches!(a, Ok(None))).unwrap_or(Ok(None))
        });
        match answer {
            Ok(Some(_)) => {}
            Ok(None) => note("the net has not answered yet; the first search may be slow"),
            Err(fault) => note(&format!("the net cannot be used: {fault}")),
        }
    }
}

impl<V: Variant> Engine for Puct<V> {
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
            let taken = lock(&taken).take();
            if let Some((job, mut report)) = taken {
                job.run(&mut *report);
            }
        };
        match builder.spawn(run) {
            Ok(thread) => self.thread = Some(thread),
            Err(error) => {
                let left = lock(&slot).take();
                if let Some((job, mut report)) = left {
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
        self.root = None;
    }

    fn is_ready(&mut self, note: &mut dyn FnMut(&str)) {
        self.wait();
        self.memory();
        self.warm_up(note);
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.settings.specs().cloned().collect()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let before = self.settings.value(name).cloned();
        self.settings.set(name, value)?;
        if !options::leaves_the_tree(name) && self.settings.value(name) != before.as_ref() {
            self.forget = true;
        }
        if CLEAR_HASH.is_called(name) {
            self.wait();
            self.root = None;
            self.forget = true;
        }
        if MULTI_PV.is_called(name) {
            // A search that runs tells so many lines from now on.
            self.multi_pv.store(self.settings.get(&MULTI_PV), Ordering::Relaxed);
        }
        Ok(())
    }

    fn policy_target(&mut self) -> Vec<(Move, f32)> {
        self.target()
    }

    fn win_rate_scale(&self) -> f64 {
        f64::from(self.settings.get(&options::EVAL_COEF))
    }
}

impl<V: Variant> Drop for Puct<V> {
    fn drop(&mut self) {
        self.control.quit();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
