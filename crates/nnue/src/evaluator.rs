//! The accumulators of a thread along the line it searches, and the value they give.

use crate::cache::{Cache, Snapshot};
use crate::net::Net;
use eval::{Evaluator, MAX_VALUE};
use features::{FeatureSet, View, changed};
use rules::{Color, Delta, Kind, Position, Square, Variant};
use simd::{AlignedVec, Change};
use std::sync::Arc;

/// Plies for which room is made at once.
const FIRST_ROOM: usize = 128;

/// One ply: what its move changed, and which of its two accumulators exist.
#[derive(Clone, Copy)]
struct Frame {
    delta: Option<Delta>,
    /// Where the kings stand after the move.
    kings: [Option<Square>; 2],
    /// Whether each side's accumulator has been computed.
    computed: [bool; 2],
    /// Whether each side's accumulator cannot be had from the ply before: at the root, for sets
    /// by king after a move of that king, for mirrored ones where it crosses the middle, for sets
    /// with attacks after any move.
    cut: [bool; 2],
}

/// The evaluator: lazy, by difference, one per thread.
///
/// Nothing is computed before [`Evaluator::evaluate`]. Then each side walks back to the last
/// ply that has an accumulator and applies the moves since, unless its king moved on the way:
/// then it is refreshed from the cache of king squares.
pub struct Nnue<V: Variant, F: FeatureSet<V>> {
    net: Arc<Net<V, F>>,
    frames: Vec<Frame>,
    /// Two accumulators for every ply, Black's first.
    accumulators: AlignedVec<i16>,
    cache: Cache,
}

impl<V: Variant, F: FeatureSet<V>> Nnue<V, F> {
    /// The net that judges.
    pub fn net(&self) -> &Arc<Net<V, F>> {
        &self.net
    }

    /// The raw output of the last layer for the position reached by the pushed moves, from the
    /// side to move's view.
    pub fn output(&mut self, pos: &Position<V>) -> i32 {
        let us = pos.turn();
        let output = match self.last_move() {
            Some(delta) => self.advance(&delta, us),
            None => {
                self.compute(pos);
                let layers = self.net.layers();
                layers.forward(self.accumulator(us), self.accumulator(us.opponent()))
            }
        };
        for side in Color::BOTH {
            debug_assert!(
                self.accumulator(side) == self.fresh_accumulator(pos, side),
                "{side}'s accumulator is out of step: {}",
                pos.sfen()
            );
        }
        output
    }

    /// The move to the current ply, if it is all that is missing: both accumulators of the ply
    /// before exist, none of this ply does, and no king forbids the difference. Most
    /// evaluations of a search are so.
    #[inline]
    fn last_move(&self) -> Option<Delta> {
        let [.., before, now] = &self.frames[..] else { return None };
        let ready = before.computed == [true; 2] && now.computed == [false; 2];
        if ready && now.cut == [false; 2] { now.delta } else { None }
    }

    /// Both accumulators and the output in one go.
    #[inline]
    fn advance(&mut self, delta: &Delta, us: Color) -> i32 {
        let top = self.frames.len() - 1;
        let now = &mut self.frames[top];
        now.computed = [true; 2];
        let changes =
            Color::BOTH.map(|side| changed::<V, F>(View::new::<V, F>(side, now.kings), delta));
        let changes =
            [&changes[0], &changes[1]].map(|c| Change { added: c.added(), removed: c.removed() });
        let ply = 2 * self.net.layers().shape().l0;
        let (before, after) = self.accumulators.split_at_mut(top * ply);
        let (src, dst) = (&before[(top - 1) * ply..], &mut after[..ply]);
        let rows = &self.net.transformer().weights;
        self.net.layers().advance(dst, src, rows, changes, us.index())
    }

    /// Makes sure both accumulators of the current ply exist.
    #[inline]
    fn compute(&mut self, pos: &Position<V>) {
        let cut = Color::BOTH.map(|side| !self.compute_by_difference(side));
        if cut != [false; 2] {
            self.compute_from_cache(pos, cut);
        }
    }

    /// Walks back to the last ply that has this side's accumulator and applies the moves since.
    /// Does nothing and returns false if the accumulator cannot be had that way.
    #[inline]
    fn compute_by_difference(&mut self, side: Color) -> bool {
        let s = side.index();
        let top = self.frames.len() - 1;
        let mut from = top;
        while !self.frames[from].computed[s] {
            if self.frames[from].cut[s] {
                return false;
            }
            from -= 1;
        }
        if from == top {
            return true;
        }
        let view = View::new::<V, F>(side, self.frames[top].kings);
        let l0 = self.net.layers().shape().l0;
        for ply in from + 1..=top {
            let frame = &mut self.frames[ply];
            frame.computed[s] = true;
            let Some(delta) = &frame.delta else { continue };
            let c = changed::<V, F>(view, delta);
            let (before, after) = self.accumulators.split_at_mut((2 * ply + s) * l0);
            let src = &before[(2 * ply - 2 + s) * l0..][..l0];
            let rows = &self.net.transformer().weights;
            self.net.layers().update(&mut after[..l0], src, rows, c.added(), c.removed());
        }
        true
    }

    /// Takes the accumulators of the sides asked for through the cache.
    #[cold]
    #[inline(never)]
    fn compute_from_cache(&mut self, pos: &Position<V>, sides: [bool; 2]) {
        let top = self.frames.len() - 1;
        let l0 = self.net.layers().shape().l0;
        let snapshot = Snapshot::of::<V, F>(pos);
        for side in Color::BOTH.into_iter().filter(|c| sides[c.index()]) {
            let out = &mut self.accumulators[(2 * top + side.index()) * l0..][..l0];
            self.cache.refresh(&self.net, &snapshot, side, out);
            self.frames[top].computed[side.index()] = true;
        }
    }

    #[inline]
    fn accumulator(&self, side: Color) -> &[i16] {
        let l0 = self.net.layers().shape().l0;
        &self.accumulators[(2 * (self.frames.len() - 1) + side.index()) * l0..][..l0]
    }

    /// The accumulator of a position computed from nothing: what every other way must equal.
    pub fn fresh_accumulator(&self, pos: &Position<V>, side: Color) -> Vec<i16> {
        let mut list = features::List::new();
        features::active::<V, F>(pos, side, &mut list);
        let mut acc = self.net.transformer().biases.to_vec();
        self.net.layers().update_in_place(&mut acc, &self.net.transformer().weights, &list, &[]);
        acc
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = AlignedVec::zeroed(2 * self.accumulators.len());
        larger[..self.accumulators.len()].copy_from_slice(&self.accumulators);
        self.accumulators = larger;
    }
}

impl<V: Variant, F: FeatureSet<V>> Evaluator<V> for Nnue<V, F> {
    type Weights = Net<V, F>;

    fn new(net: Arc<Net<V, F>>) -> Self {
        let root = Frame { delta: None, kings: [None; 2], computed: [false; 2], cut: [true; 2] };
        let mut frames = Vec::with_capacity(FIRST_ROOM);
        frames.push(root);
        let accumulators = AlignedVec::zeroed(FIRST_ROOM * 2 * net.layers().shape().l0);
        let cache = Cache::new(&net);
        Self { net, frames, accumulators, cache }
    }

    fn refresh(&mut self, pos: &Position<V>) {
        self.frames.truncate(1);
        let kings = Color::BOTH.map(|c| pos.king(c));
        self.frames[0] = Frame { delta: None, kings, computed: [false; 2], cut: [true; 2] };
        // Not lazily: every line from here on goes back to these two.
        self.compute_from_cache(pos, [true; 2]);
    }

    #[inline]
    fn push(&mut self, delta: &Delta) {
        let before = &self.frames[self.frames.len() - 1];
        let mut kings = before.kings;
        let mut cut = [F::EFFECT_STRIDE > 0; 2];
        if delta.placed.kind_index() == Kind::King.index() {
            kings[delta.color.index()] = Some(delta.to);
            let changed =
                |side| View::new::<V, F>(side, before.kings) != View::new::<V, F>(side, kings);
            if F::BY_KING || F::MIRRORED {
                cut[delta.color.index()] |= changed(delta.color);
            }
            if F::BY_OTHER_KING {
                let other = delta.color.opponent();
                cut[other.index()] |= changed(other);
            }
        }
        let frame = Frame { delta: Some(*delta), kings, computed: [false; 2], cut };
        self.frames.push(frame);
        if self.frames.len() * 2 * self.net.layers().shape().l0 > self.accumulators.len() {
            self.grow();
        }
    }

    #[inline]
    fn pop(&mut self) {
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }

    #[inline]
    fn evaluate(&mut self, pos: &Position<V>) -> i32 {
        (self.output(pos) / self.net.fv_scale()).clamp(-MAX_VALUE, MAX_VALUE)
    }
}

impl<V: Variant, F: FeatureSet<V>> std::fmt::Debug for Nnue<V, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Nnue({}, ply {})", self.net.architecture(), self.frames.len() - 1)
    }
}
