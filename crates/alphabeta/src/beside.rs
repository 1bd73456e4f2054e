//! The search's own looks for mates: how many nodes of the solver for how many of the search, and when.
//!
//! The root comes first. It is looked at while an iteration goes on, a slice of nodes at a time, and the
//! slices come the oftener the likelier a mate is. Where one is proven the iteration is given up: the mate is told
//! at once. The line the search expects is looked at after every iteration.

use crate::params::Params;
use crate::prove::Prover;
use crate::root;
use crate::values;
use crate::worker::Worker;
use eval::Evaluator;
use rules::Variant;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Beside other threads looks are so many times shorter.
const BESIDE: u64 = 4;

/// Nodes of the search for one of the solver beside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Share {
    /// Where one thread does both.
    pub(crate) alone: u64,
    /// Where one of several threads looks at the root: of the nodes of all.
    pub(crate) beside: u64,
    /// Where a mate at the root is likely.
    pub(crate) likely: u64,
    /// After so many nodes of the solver at the root it is likely no more.
    pub(crate) most: u64,
}

impl Share {
    /// Nodes of the search for one of the solver at the root, which has taken `spent` there: the fewer the better
    /// the odds are.
    fn at_root(&self, p: &Params, alone: bool, spent: u64, odds: u64) -> u64 {
        let usual = if alone { self.alone } else { self.beside };
        if spent < p.mate_odds_from as u64 || spent > self.most {
            return usual;
        }
        (usual * p.mate_odds as u64 / odds.max(1)).clamp(self.likely.min(usual), usual)
    }
}

/// What one thread does for mates beside its search.
pub(crate) struct Beside<V: Variant> {
    prover: Prover<V>,
    share: Share,
    /// Whether there are no other threads.
    alone: bool,
    /// Nodes of the search that have been counted.
    counted: u64,
    /// Nodes the solver may still take at the root, in 1024ths.
    credit: u64,
}

impl<V: Variant> Beside<V> {
    pub(crate) fn new(prover: Prover<V>, share: Share, alone: bool) -> Self {
        Self { prover, share, alone, counted: 0, credit: 0 }
    }

    /// Looks at the root if `read` nodes of the search allow it; says how many more it takes until the next look.
    /// Where no time is left the look is not made, and is not made up for either.
    fn look_at_root(&mut self, p: &Params, read: u64, time: Option<Duration>) -> Option<u64> {
        // Other threads must not wait for this one at the end.
        let slice = p.mate_slice as u64 / if self.alone { 1 } else { BESIDE };
        let share = self.share.at_root(p, self.alone, self.prover.at_root, self.prover.odds);
        self.credit += (read - self.counted) * 1024 / share;
        self.counted = read;
        if self.prover.knows_root() {
            return None;
        }
        if time == Some(Duration::ZERO) {
            self.credit = 0;
        } else if self.credit >= slice * 1024 {
            let used = self.prover.look_at_root(slice, time);
            // One that was cut short by the clock has had its turn too.
            self.credit = self.credit.saturating_sub(used.max(slice) * 1024);
        }
        Some(nodes_for((slice * 1024).saturating_sub(self.credit), share))
    }
}

/// Nodes of the search that so many 1024ths of the solver's cost. At least one where anything is missing: whoever
/// waits for none would wait for ever.
fn nodes_for(missing: u64, share: u64) -> u64 {
    (missing * share / 1024).max(u64::from(missing > 0))
}

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// Begins to look for mates, at the root too if asked.
    pub(crate) fn begin_beside(&mut self, share: Share, at_root: bool) {
        let alone = self.shared.nodes.len() == 1;
        let prover = Prover::new(&self.pos, &self.shared);
        self.beside = Some(Box::new(Beside::new(prover, share, alone)));
        self.mates_due = if at_root { 0 } else { u64::MAX };
    }

    /// How long looks may take that are made at once.
    fn time_for_mates(&self) -> Option<Duration> {
        let deadline = self.shared.deadline.load(Ordering::Relaxed);
        let left = Duration::from_nanos(deadline).saturating_sub(self.shared.time.now());
        (deadline != u64::MAX).then_some(left / self.params.mate_time as u32)
    }

    /// Looks at the root where it is due, and hears of a mate that was proven there.
    #[cold]
    pub(crate) fn look_beside(&mut self) {
        let Some(mut beside) = self.beside.take() else { return };
        // Many looks may be due at once: where a mate has just become likely all that was read so far counts at the new
        // rate. The time is that of all of them together.
        let until = self.time_for_mates().map(|time| self.shared.time.now() + time);
        while self.nodes >= self.mates_due && !self.shared.stopped() {
            let time = until.map(|until| until.saturating_sub(self.shared.time.now()));
            let read = if beside.alone { self.nodes } else { self.shared.total_nodes() };
            let more = beside.look_at_root(&self.params, read, time);
            // The others read meanwhile: of many threads one may do nothing else.
            let threads = self.shared.nodes.len() as u64;
            self.mates_due = more.map_or(u64::MAX, |more| self.nodes + more / threads);
        }
        self.beside = Some(beside);
        self.unwinding = !self.told_proof && self.shared.is_proven();
    }

    /// Looks along so many lines the search expects, with a share of what the thread has read: all of it once the root
    /// is settled.
    pub(crate) fn look_along(&mut self, depth: i32, lines: usize) {
        let Some(mut beside) = self.beside.take() else { return };
        let settled = !beside.alone || beside.prover.knows_root();
        let share =
            beside.share.alone * if settled { 1 } else { self.params.mate_line_share as u64 };
        let nodes = (self.nodes / share).saturating_sub(beside.prover.along);
        if nodes >= self.params.mate_slice as u64 && !self.shared.is_proven() {
            let lines = &self.root_moves[..lines.min(self.root_moves.len())];
            let (each, count) = (nodes / lines.len() as u64, lines.len() as u32);
            let time = self.time_for_mates().map(|time| time / count);
            for line in lines {
                beside.prover.look_along(&line.pv, each, time, depth);
            }
        }
        self.beside = Some(beside);
    }

    /// A mate proven at the root becomes the best line; says whether there is one.
    pub(crate) fn take_proven(&mut self) -> bool {
        let Some(line) = self.shared.proven() else { return false };
        self.told_proof = true;
        let value = values::mate_in(line.len());
        let Some(r) = self.root_moves.iter_mut().find(|r| r.mv() == line[0]) else { return false };
        if r.score < value {
            (r.score, r.shown, r.average) = (value, value, value);
            (r.lower, r.upper) = (false, false);
            r.pv = line;
        }
        root::sort(&mut self.root_moves);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_missing_needs_another_node() {
        assert_eq!([0, 1, 511, 1024, 2048].map(|missing| nodes_for(missing, 2)), [0, 1, 1, 2, 4]);
        assert_eq!(nodes_for(1, 1), 1);
    }

    #[test]
    fn the_likelier_a_mate_the_more_nodes_it_gets() {
        let p = Params::SHOGI;
        let share = Share { alone: 64, beside: 16, likely: 2, most: 1_000_000 };
        let (from, odds) = (p.mate_odds_from as u64, p.mate_odds as u64);
        // Nothing is known yet, the odds are as usual, or it has been tried for long.
        for (spent, odds) in [(from - 1, 9 * odds), (from, odds), (from, 0), (1_000_001, 9 * odds)]
        {
            assert_eq!(share.at_root(&p, true, spent, odds), 64);
            assert_eq!(share.at_root(&p, false, spent, odds), 16);
        }
        assert_eq!(share.at_root(&p, true, from, 4 * odds), 16);
        assert_eq!(share.at_root(&p, true, from, 1_000_000), 2);
        // One that is as generous as can be stays so.
        let generous = Share { alone: 1, beside: 1, likely: 2, most: u64::MAX };
        assert_eq!(generous.at_root(&p, true, from, 1_000_000), 1);
    }
}
