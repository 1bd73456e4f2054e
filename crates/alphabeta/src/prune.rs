//! Moves that are not worth trying at low depth.

use crate::history::place;
use crate::values::INFINITE;
use crate::worker::Worker;
use eval::{Evaluator, PIECE_VALUES};
use rules::{Move, Piece, Variant};

/// A move before it is tried.
pub(crate) struct Doubtful {
    pub(crate) m: Move,
    /// The piece as it stands after the move.
    pub(crate) mover: Piece,
    pub(crate) gives_check: bool,
    /// Which part of the move's own history counts.
    pub(crate) heed: usize,
    pub(crate) depth: i32,
    /// Depth it would be read to, reduced.
    pub(crate) lmr_depth: i32,
    pub(crate) alpha: i32,
    pub(crate) pawns: u64,
    /// Whether the node has a move above alpha already.
    pub(crate) found: bool,
    /// What its exchange is known to gain at least.
    pub(crate) known_gain: i32,
}

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// The value that a move not worth trying stands for, the least there is where nothing is said of
    /// it; `None` for one that has to be tried.
    #[inline]
    pub(crate) fn pruned(&self, ply: usize, asked: &Doubtful) -> Option<i32> {
        if asked.gives_check || self.pos.piece_at(asked.m.to()).is_some() {
            self.is_poor_capture(ply, asked).then_some(-INFINITE)
        } else {
            self.pruned_quiet(ply, asked)
        }
    }

    /// Captures and checks: what they take is too little, or they lose material.
    #[inline]
    fn is_poor_capture(&self, ply: usize, asked: &Doubtful) -> bool {
        let &Doubtful { m, mover, gives_check, depth, lmr_depth, .. } = asked;
        let (p, frame) = (&self.params, self.frame(ply));
        if !gives_check && lmr_depth < p.capture_futility_max && !frame.in_check {
            let captured = self.pos.piece_at(m.to());
            let futile = frame.eval
                + p.capture_futility_base
                + p.capture_futility_depth * lmr_depth.max(0)
                + PIECE_VALUES[captured.kind_index()]
                + self.history.capture(place(mover, m.to()), captured) / p.capture_futility_history;
            if futile <= asked.alpha {
                return true;
            }
        }
        let mut most = p.see_capture * depth;
        if p.see_capture_history != 0 {
            let history = self.history.capture(place(mover, m.to()), self.pos.piece_at(m.to()));
            most = (most + p.see_capture_history * history / 1024).max(0);
        }
        let least = -most;
        asked.known_gain < least && !self.pos.see_at_least(m, least, &PIECE_VALUES)
    }

    /// Quiet moves: a poor history, an evaluation too far below, a piece left to be taken.
    #[inline]
    fn pruned_quiet(&self, ply: usize, asked: &Doubtful) -> Option<i32> {
        let &Doubtful { m, mover, depth, lmr_depth, .. } = asked;
        let (p, frame) = (&self.params, self.frame(ply));
        let stat = self.continuation_stat(ply, place(mover, m.to()))
            + i32::from(self.history.pawn_row(asked.pawns).of(mover, m.to()));
        if lmr_depth < p.history_prune_max && stat < -p.history_prune * depth {
            return Some(-INFINITE);
        }
        let stat = stat + p.futility_butterfly * self.own_stat(self.pos.turn(), m, asked.heed);
        let lmr_depth = (lmr_depth + stat / p.futility_history).max(p.futility_floor);
        let futile = frame.eval
            + p.futility_base
            + p.futility_unfound * i32::from(!asked.found)
            + p.futility_depth * lmr_depth;
        if !frame.in_check && lmr_depth < p.futility_max && futile <= asked.alpha {
            return Some(futile.min(asked.alpha));
        }
        let lmr_depth = lmr_depth.max(0);
        let least = -p.see_quiet * lmr_depth * lmr_depth;
        (!self.pos.see_at_least(m, least, &PIECE_VALUES)).then_some(-INFINITE)
    }
}
