//! Quiescence: captures, and ways out of check, until nothing hangs.

use crate::node::Node;
use crate::picker::Picker;
use crate::table::{Bound, Entry};
use crate::values::{self, INFINITE, MAX_PLY, NONE, from_table, is_decided, mate_in, mated_in};
use crate::worker::Worker;
use eval::{Evaluator, PIECE_VALUES};
use rules::{Move, Piece, Variant};

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// The value of the position when only forcing moves are read. `depth` is 0 on the first ply
    /// and falls.
    pub(crate) fn quiesce<N: Node>(
        &mut self,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        depth: i32,
    ) -> i32 {
        // 1. Set up, ends of the game.
        let in_check = self.pos.in_check();
        if let Some(value) = self.enter_quiescence::<N>(ply, in_check, alpha, beta) {
            return value;
        }

        // 2. What the table knows.
        let key = self.pos.key();
        let table_depth = if in_check || depth >= 0 { 0 } else { -1 };
        let entry = self.shared.table.get(key);
        let table_value = entry.map_or(NONE, |e| from_table(e.value, ply));
        let was_pv = entry.is_some_and(|e| e.pv);
        if let Some(e) = entry
            && !N::PV
            && e.depth >= table_depth
            && table_value != NONE
            && (if table_value >= beta { e.bound.is_lower() } else { e.bound.is_upper() })
        {
            return table_value;
        }
        let table_move = self.forcing_move(entry, in_check);

        // 3. Stand pat: in quiet positions a player may decline to capture.
        let pawns = self.pawns();
        let mut best_value = -INFINITE;
        let mut raw_eval = NONE;
        let mut futility_base = -INFINITE;
        if in_check {
            self.frame_mut(ply).eval = NONE;
        } else {
            match self.stand_pat(ply, beta, depth, key, entry, pawns) {
                Ok((value, raw)) => (best_value, raw_eval) = (value, raw),
                Err(value) => return value,
            }
            alpha = alpha.max(best_value);
            futility_base = best_value + self.params.delta_margin;
        }

        // 4. Forcing moves.
        let mut info = None;
        let hints = self.hints(ply, table_move, pawns);
        let mut picker = Picker::quiescence(hints, in_check);
        let buffer = self.claim();
        self.forget_attacked(ply);
        let mut best_move = Move::NONE;
        let mut move_count = 0;
        while let Some(m) = self.pick(&mut picker, None, buffer, ply) {
            move_count += 1;
            let captured = self.pos.piece_at(m.to());
            // Most nodes have no forcing move: where checks come from is asked with the first.
            let info = info.get_or_insert_with(|| self.pos.check_info());
            let gives_check = self.pos.gives_check_with(m, info);
            let tried = Tried { captured, gives_check, in_check, move_count, alpha, futility_base };
            if best_value > -values::MATE_BOUND && self.is_futile(m, tried, &mut best_value) {
                continue;
            }
            self.play(ply, m);
            let value = -self.quiesce::<N>(ply + 1, -beta, -alpha, depth - 1);
            self.undo();
            if self.is_halted() {
                self.release();
                return values::DRAW;
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = m;
                    if N::PV {
                        self.extend_pv(ply, m);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        self.release();

        // 8. No way out of check.
        if in_check && move_count == 0 {
            return mated_in(ply);
        }
        best_value = self.towards_beta(best_value, beta);
        let bound = if best_value >= beta { Bound::Lower } else { Bound::Upper };
        self.remember(ply, key, best_move, best_value, raw_eval, table_depth, bound, was_pv);
        best_value
    }

    /// A value above beta is believed in part: it was read with few moves.
    #[inline]
    fn towards_beta(&self, value: i32, beta: i32) -> i32 {
        if value < beta || is_decided(value) {
            return value;
        }
        let kept = self.params.quiescence_return;
        (kept * value + (4 - kept) * beta) / 4
    }

    /// Sets up the node; its value if it is the end.
    #[inline]
    fn enter_quiescence<N: Node>(
        &mut self,
        ply: usize,
        in_check: bool,
        alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        let stop = self.count_node();
        self.counts.count(|c| &mut c.quiescence);
        let frame = self.frame_mut(ply);
        frame.in_check = in_check;
        if N::PV {
            frame.pv.clear();
            self.sel_depth = self.sel_depth.max(ply + 1);
        }
        if stop {
            return Some(values::DRAW);
        }
        if ply >= MAX_PLY {
            return Some(if in_check { values::DRAW } else { self.evaluate() });
        }
        self.shared.ended(&self.pos, ply, alpha, beta)
    }

    /// The table's move, if it is one that is read here.
    #[inline]
    fn forcing_move(&self, entry: Option<Entry>, in_check: bool) -> Move {
        let m = entry.map_or(Move::NONE, |e| e.best);
        let forcing = m.is_some()
            && self.pos.is_legal(m)
            && (in_check || self.pos.piece_at(m.to()).is_some());
        if forcing { m } else { Move::NONE }
    }

    /// A mate in one, as far from the main search as it is looked for.
    #[inline]
    fn mate_in_quiescence(&self, depth: i32) -> Option<Move> {
        if -depth < self.params.quiescence_mates { mate::mate_in_one(&self.pos) } else { None }
    }

    /// The value of declining to capture, and the evaluation it comes from; an error is the value
    /// of the node, which needs no move.
    #[inline]
    fn stand_pat(
        &mut self,
        ply: usize,
        beta: i32,
        depth: i32,
        key: u64,
        entry: Option<Entry>,
        pawns: u64,
    ) -> Result<(i32, i32), i32> {
        let was_pv = entry.is_some_and(|e| e.pv);
        let slots = self.correction_slots(ply, pawns);
        if entry.is_none() {
            if self.pos.can_declare(self.shared.terms.rules.declaration) {
                return Err(mate_in(ply + 1));
            }
            if let Some(m) = self.mate_in_quiescence(depth) {
                let value = mate_in(ply + 1);
                self.remember(ply, key, m, value, NONE, 0, Bound::Exact, was_pv);
                return Err(value);
            }
        }
        let raw_eval = match entry {
            Some(e) if e.eval != NONE => e.eval,
            _ => self.evaluate(),
        };
        let mut best_value = self.corrected(raw_eval, &slots);
        self.frame_mut(ply).eval = best_value;
        if let Some(e) = entry {
            let value = from_table(e.value, ply);
            let fits = if value > best_value { e.bound.is_lower() } else { e.bound.is_upper() };
            if value != NONE && !is_decided(value) && fits {
                best_value = value;
            }
        }
        if best_value >= beta {
            let value = self.towards_beta(best_value, beta);
            if entry.is_none() {
                let entry = Entry::eval_only(raw_eval, was_pv);
                let (value, bound) = (values::to_table(value, ply), Bound::Lower);
                self.shared.table.put(key, Entry { value, bound, ..entry }, &self.params);
            }
            return Err(value);
        }
        Ok((best_value, raw_eval))
    }

    /// Whether a move is not worth reading. The value it could have reached counts.
    #[inline]
    fn is_futile(&self, m: Move, tried: Tried, best_value: &mut i32) -> bool {
        let Tried { captured, gives_check, in_check, move_count, alpha, futility_base } = tried;
        let p = &self.params;
        let mut known_gain = i32::MIN;
        // 5. Captures that cannot bring the value up to alpha. Checks and recaptures are read.
        let recaptures = self.pos.last().is_some_and(|d| d.to == m.to());
        if !gives_check && !in_check && !recaptures && futility_base > -values::EVAL_BOUND {
            if move_count > p.quiescence_moves {
                return true;
            }
            let gain = PIECE_VALUES[captured.kind_index()]
                + if m.is_promotion() { p.quiescence_promotion } else { 0 };
            if futility_base + gain <= alpha {
                *best_value = (*best_value).max(futility_base + gain);
                return true;
            }
            if !self.pos.see_at_least(m, alpha - futility_base, &PIECE_VALUES) {
                *best_value = (*best_value).max(alpha.min(futility_base));
                return true;
            }
            known_gain = alpha - futility_base;
        }
        // 6. Once there is a way out of check, quiet ones need not be read.
        if in_check && captured.is_none() {
            return true;
        }
        // 7. Exchanges that lose material.
        known_gain < -p.quiescence_see
            && !self.pos.see_at_least(m, -p.quiescence_see, &PIECE_VALUES)
    }
}

/// What is known of a move before it is played.
#[derive(Clone, Copy)]
struct Tried {
    captured: Piece,
    gives_check: bool,
    in_check: bool,
    move_count: i32,
    alpha: i32,
    futility_base: i32,
}
