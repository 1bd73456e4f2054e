//! What all threads of one search share.

use crate::arena::Index;
use crate::constants::Constants;
use crate::flight::Flight;
use crate::leaf::LeafRules;
use crate::root::{Noise, RootPolicy};
use crate::tree::{DrawScores, Tree};
use infer::Backend;
use rules::{Move, Position, Variant};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What is decided before a search begins.
pub(crate) struct Plan {
    pub(crate) constants: Constants,
    pub(crate) rules: LeafRules,
    pub(crate) draw_scores: DrawScores,
    pub(crate) noise: Noise,
    /// Moves considered at the root; all if empty.
    pub(crate) searchmoves: Vec<Move>,
    /// Playouts, if they are limited.
    pub(crate) playouts: Option<u64>,
    /// Positions in a batch.
    pub(crate) batch: usize,
    /// Threads that search.
    pub(crate) workers: usize,
    /// Whether leaves are looked at for mates of three plies while the net computes.
    pub(crate) leaf_mates: bool,
    /// Nodes of the search for longer mates there; 0 for none.
    pub(crate) leaf_mate_nodes: u64,
    /// The search ends when the visits change less than this by one more playout.
    pub(crate) least_gain: Option<f64>,
}

/// Playouts between two looks at how the visits change.
const GAIN_STEP: u64 = 100;

/// Everything the threads of one search have in common.
pub(crate) struct Search<V: Variant> {
    pub(crate) tree: Arc<Tree>,
    pub(crate) root: Index,
    pub(crate) position: Position<V>,
    pub(crate) plan: Plan,
    pub(crate) flight: Flight,
    policy: OnceLock<RootPolicy>,
    counts: Counts,
    flags: Flags,
    gain: Mutex<(u64, Vec<u64>)>,
}

/// What threads count, away from what they only read.
#[derive(Default)]
#[repr(align(128))]
struct Counts {
    /// Playouts begun, where they are limited.
    begun: AtomicU64,
    /// Playouts that are back.
    done: AtomicU64,
    /// Playouts whose leaf was on its way already.
    collisions: AtomicU64,
    /// Plies of the deepest line.
    deepest: AtomicU32,
}

/// What threads look at before every playout.
#[derive(Default)]
#[repr(align(128))]
struct Flags {
    /// Somebody wants the search to end.
    stop: AtomicBool,
    /// There is nothing left to do.
    over: AtomicBool,
    /// A thread failed: the tree cannot be trusted.
    broken: AtomicBool,
}

impl<V: Variant> Search<V> {
    pub(crate) fn new(
        tree: Arc<Tree>,
        backend: Arc<dyn Backend>,
        position: Position<V>,
        plan: Plan,
    ) -> Self {
        let root = tree.ensure_root();
        let flight = Flight::new(backend, plan.batch, plan.workers);
        Self {
            tree,
            root,
            position,
            plan,
            flight,
            policy: OnceLock::new(),
            counts: Counts::default(),
            flags: Flags::default(),
            gain: Mutex::default(),
        }
    }

    /// Ends the search.
    pub(crate) fn stop(&self) {
        self.flags.stop.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.flags.stop.load(Ordering::Relaxed)
    }

    /// Says that there is nothing left to do.
    pub(crate) fn finish(&self) {
        self.flags.over.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.flags.over.load(Ordering::Relaxed)
    }

    /// A thread failed.
    pub(crate) fn give_up(&self) {
        self.flags.broken.store(true, Ordering::SeqCst);
        self.finish();
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.flags.broken.load(Ordering::SeqCst)
    }

    /// Whether nothing more can be found out: the position is settled, or the net is gone.
    #[inline]
    pub(crate) fn is_settled(&self) -> bool {
        self.tree.node(self.root).bounds().outcome().is_some() || self.flight.is_lost()
    }

    /// Playouts that are back.
    pub(crate) fn playouts(&self) -> u64 {
        self.counts.done.load(Ordering::Relaxed)
    }

    /// Playouts that came to nothing, because their leaf was on its way already.
    pub(crate) fn collisions(&self) -> u64 {
        self.counts.collisions.load(Ordering::Relaxed)
    }

    /// Plies of the deepest line.
    pub(crate) fn deepest(&self) -> u32 {
        self.counts.deepest.load(Ordering::Relaxed)
    }

    /// So many playouts are back, the deepest of so many plies.
    pub(crate) fn count(&self, playouts: u64, plies: usize) {
        if plies as u32 > self.deepest() {
            self.counts.deepest.fetch_max(plies as u32, Ordering::Relaxed);
        }
        self.counts.done.fetch_add(playouts, Ordering::Relaxed);
    }

    pub(crate) fn count_collision(&self) {
        self.counts.collisions.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes leave to begin a playout.
    pub(crate) fn begin_playout(&self) -> bool {
        let Some(limit) = self.plan.playouts else { return true };
        let allowed = self.counts.begun.fetch_add(1, Ordering::Relaxed) < limit;
        if !allowed {
            self.forgo_playout();
        }
        allowed
    }

    /// A playout that was begun came to nothing.
    pub(crate) fn forgo_playout(&self) {
        if self.plan.playouts.is_some() {
            self.counts.begun.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// What playouts see at the root, which is expanded.
    pub(crate) fn policy(&self) -> &RootPolicy {
        self.policy.get_or_init(|| {
            let node = self.tree.node(self.root);
            let asked = &self.plan.searchmoves;
            let (priors, allowed) = self
                .tree
                .edges(node)
                .map(|edge| (edge.prior, asked.is_empty() || asked.contains(&edge.mv)))
                .unzip();
            RootPolicy::new(priors, allowed, &self.plan.noise, self.plan.playouts)
        })
    }

    /// The policy, if the root was expanded.
    pub(crate) fn known_policy(&self) -> Option<&RootPolicy> {
        self.policy.get()
    }

    /// Ends the search if the last playouts have hardly changed where the visits go. Asked by one
    /// thread.
    pub(crate) fn consider_gain(&self) {
        let Some(least) = self.plan.least_gain else { return };
        let done = self.playouts();
        let mut last = lock(&self.gain);
        if done < last.0 + GAIN_STEP {
            return;
        }
        let node = self.tree.node(self.root);
        let mut visits = vec![0; node.moves().1];
        for (number, child) in self.tree.arena.children(node) {
            if let Some(place) = visits.get_mut(number) {
                *place = self.tree.node(child).visits();
            }
        }
        let gain = information_gain(&last.1, &visits);
        let playouts = (done - last.0) as f64;
        if gain.is_some_and(|gain| gain / playouts < least) {
            self.finish();
        }
        *last = (done, visits);
    }
}

/// The Kullback–Leibler divergence of where visits went from where they go now; `None` if there is
/// nothing to compare.
pub fn information_gain(before: &[u64], now: &[u64]) -> Option<f64> {
    let (old, new) = (before.iter().sum::<u64>() as f64, now.iter().sum::<u64>() as f64);
    if before.len() != now.len() || old < 1.0 || new < 1.0 {
        return None;
    }
    let part = |(&before, &now): (&u64, &u64)| {
        let p = before as f64 / old;
        if before == 0 || now == 0 { 0.0 } else { p * (p / (now as f64 / new)).ln() }
    };
    Some(before.iter().zip(now).map(part).sum())
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gain_is_nothing_where_visits_go_on_as_before() {
        assert_eq!(information_gain(&[10, 30], &[20, 60]), Some(0.0));
        assert!(information_gain(&[10, 30], &[30, 30]).unwrap() > 0.05);
        assert_eq!(information_gain(&[], &[1]), None);
        assert_eq!(information_gain(&[0, 0], &[1, 1]), None);
    }
}
