//! What a node teaches the statistics of its thread.

use crate::history::{PLACES, place};
use crate::params::Params;
use crate::values;
use crate::worker::Worker;
use eval::Evaluator;
use rules::{Color, Move, Variant};

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// The best move is rewarded, those tried before it are punished.
    #[expect(clippy::too_many_arguments, reason = "what one node learned, told once")]
    pub(crate) fn learn(
        &mut self,
        ply: usize,
        best: Move,
        bonus: i32,
        pawns: u64,
        quiets: &Tried,
        captures: &Tried,
        depth: i32,
    ) {
        let us = self.pos.turn();
        let captured = self.pos.piece_at(best.to());
        let best_place = place(self.pos.moved_piece(best), best.to());
        if captured.is_some() {
            self.history.update_capture(best_place, captured, bonus, &self.params);
        } else {
            self.reward_quiet(ply, best, bonus);
            let in_structure = bonus * self.params.stat_pawns / 100;
            self.history.update_pawn(pawns, best_place, in_structure, &self.params);
            // A single quiet move at low depth teaches little about the others.
            let mut malus = self.params.malus(bonus, depth);
            if !quiets.as_slice().is_empty() || depth > self.params.stat_depth {
                for &m in quiets.as_slice() {
                    let to = place(self.pos.moved_piece(m), m.to());
                    let heed = self.heed(ply, m);
                    self.history.update_butterfly(us, m, heed, -malus, &self.params);
                    self.history.update_near(ply, us, m, -malus, &self.params);
                    let in_structure = malus * self.params.stat_pawns_malus / 100;
                    self.history.update_pawn(pawns, to, -in_structure, &self.params);
                    self.update_continuations(ply, to, -malus);
                    malus = malus * self.params.stat_malus_kept / 100;
                }
            }
        }
        let malus = bonus * self.params.stat_capture_malus / 100;
        for &m in captures.as_slice() {
            let taken = self.pos.piece_at(m.to());
            let to = place(self.pos.moved_piece(m), m.to());
            self.history.update_capture(to, taken, -malus, &self.params);
        }
        // The quiet move before this one was refuted at once.
        let before = self.before(ply, 1);
        if before.move_count == 1
            && self.pos.last().is_some_and(|d| d.captured.is_none())
            && ply > 0
        {
            let earlier = before.place;
            if earlier < PLACES {
                let malus = bonus * self.params.stat_refuted / 100;
                self.update_continuations(ply - 1, earlier, -malus);
            }
        }
    }

    /// A quiet move cut: killer, counter and histories.
    pub(crate) fn reward_quiet(&mut self, ply: usize, m: Move, bonus: i32) {
        let us = self.pos.turn();
        let frame = self.frame_mut(ply);
        if frame.killers[0] != m {
            frame.killers[1] = frame.killers[0];
            frame.killers[0] = m;
        }
        let last = self.before(ply, 1).place;
        self.history.set_counter(last, m);
        let heed = self.heed(ply, m);
        self.history.update_butterfly(us, m, heed, bonus, &self.params);
        self.history.update_near(ply, us, m, bonus, &self.params);
        let to = place(self.pos.moved_piece(m), m.to());
        self.update_continuations(ply, to, bonus);
    }

    /// The quiet move that led here turned out well for the one who played it.
    pub(crate) fn reward_previous(&mut self, ply: usize, bonus: i32) {
        let before = self.before(ply, 1);
        let (to, m, heed) = (before.place, before.current, before.heed);
        let half = bonus / self.params.stat_previous;
        self.history.update_butterfly(self.pos.turn().opponent(), m, heed, half, &self.params);
        if ply > 0 {
            self.update_continuations(ply - 1, to, bonus);
        }
    }

    /// The bonus of a quiet move that refuted everything: more for one that many were tried before, and where the
    /// value is far below what either side's evaluation said.
    pub(crate) fn surprise(&self, ply: usize, value: i32, bonus: i32) -> i32 {
        let (before, own) = (self.before(ply, 1), self.frame(ply).eval);
        let below = |eval: i32, by: i32| eval != values::NONE && value <= eval - by;
        let above = if before.eval == values::NONE { values::NONE } else { -before.eval };
        let signs = [before.move_count > 8, below(own, 110), below(above, 73)];
        let count = signs.into_iter().map(i32::from).sum::<i32>();
        bonus + bonus * self.params.stat_failed * count / 100
    }

    /// The quiet move that led here is judged by how the evaluation changed with it: at every node, long
    /// before a cut says anything. `fresh` is a position the table did not know.
    #[inline]
    pub(crate) fn learn_from_swing(&mut self, ply: usize, pawns: u64, fresh: bool) {
        let (before, own, p) = (self.before(ply, 1), self.frame(ply).eval, &self.params);
        let (m, theirs, to, heed) = (before.current, before.eval, before.place, before.heed);
        // In check nothing was evaluated; a pass is no move.
        let quiet = || self.pos.last().is_some_and(|d| d.captured.is_none());
        if p.stat_swing == 0 || theirs == values::NONE || to == PLACES || !quiet() {
            return;
        }
        let gain = (-(theirs + own)).clamp(-p.swing_loss, p.swing_gain) + p.swing_offset;
        let bonus = gain * p.stat_swing;
        self.history.update_butterfly(self.pos.turn().opponent(), m, heed, bonus, p);
        if fresh {
            self.history.update_pawn(pawns, to, bonus, p);
        }
    }

    /// Follow-up statistics of the moves one, two, four and six plies before.
    pub(crate) fn update_continuations(&mut self, ply: usize, to: usize, bonus: i32) {
        let p = &self.params;
        for (back, percent) in [(1, 100), (2, p.stat_two), (4, p.stat_four), (6, p.stat_six)] {
            // In check only the moves close by say something.
            if back > 2 && self.frame(ply).in_check {
                break;
            }
            if back > ply + crate::stack::LOOK_BACK {
                break;
            }
            let earlier = self.before(ply, back).place;
            self.history.update_continuation(earlier, to, bonus * percent / 100, &self.params);
        }
    }

    /// How a quiet move of a side has fared.
    #[inline]
    pub(crate) fn own_stat(&self, side: Color, m: Move, heed: usize) -> i32 {
        i32::from(self.history.butterfly(side, m, heed))
    }

    /// A child of this ply failed high; that counts for more where no move was known before.
    #[inline]
    pub(crate) fn count_cut(&mut self, ply: usize, unknown: bool) {
        let more = self.params.lmr_cutoffs_unknown * i32::from(unknown);
        self.frame_mut(ply).cutoffs += (1 + more) as u32;
    }

    /// Follow-up statistics of the moves one and two plies before.
    #[inline]
    pub(crate) fn continuation_stat(&self, ply: usize, to: usize) -> i32 {
        let earlier = [1, 2].map(|back| self.before(ply, back).place);
        let [reply, follow_up] = earlier.map(|place| self.history.continuation_row(place)[to]);
        i32::from(reply) + i32::from(follow_up)
    }
}

/// The bonus of a move that cut at this depth.
#[inline]
pub(crate) fn stat_bonus(p: &Params, depth: i32) -> i32 {
    (p.stat_bonus * depth - p.stat_offset).clamp(0, p.stat_max)
}

/// The first moves tried and found wanting.
pub(crate) struct Tried {
    moves: [Move; 32],
    len: usize,
}

impl Tried {
    pub(crate) fn new() -> Self {
        Self { moves: [Move::NONE; 32], len: 0 }
    }

    pub(crate) fn push(&mut self, m: Move) {
        if self.len < 32 {
            self.moves[self.len] = m;
            self.len += 1;
        }
    }

    pub(crate) fn as_slice(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}
