//! One node of the main search.
//!
//! The node function is long and meant to be read from top to bottom: the steps are numbered.

use crate::alarm::Alarm;
use crate::history::place;
use crate::learn::{Tried, stat_bonus};
use crate::node::{Cut, Node, Pv};
use crate::picker::{Hints, Picker};
use crate::prune::Doubtful;
use crate::reduce::Circumstances;
use crate::singular::{Candidate, Singular};
use crate::table::Bound;
use crate::values::{self, INFINITE, MAX_PLY, NONE, from_table, is_decided, mate_in, mated_in};
use crate::worker::Worker;
use eval::{Evaluator, PIECE_VALUES};
use rules::{Move, Variant};

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// The value of the position to `depth` plies, as far as it lies between `alpha` and `beta`.
    pub(crate) fn search<N: Node>(
        &mut self,
        ply: usize,
        mut alpha: i32,
        mut beta: i32,
        mut depth: i32,
        cut_node: bool,
    ) -> i32 {
        if depth <= 0 {
            return self.quiesce::<N>(ply, alpha, beta, 0);
        }
        debug_assert!(alpha < beta && (N::PV || alpha == beta - 1));

        // 1. Set up.
        let in_check = self.pos.in_check();
        let stop = self.count_node();
        {
            let frame = self.frame_mut(ply);
            frame.in_check = in_check;
            frame.move_count = 0;
            if N::PV {
                frame.pv.clear();
            }
        }
        if N::PV {
            self.sel_depth = self.sel_depth.max(ply + 1);
        }

        if !N::ROOT {
            // 2. Stop, ends of the game, repetition.
            if stop {
                return values::DRAW;
            }
            if ply >= MAX_PLY {
                return if in_check { values::DRAW } else { self.evaluate() };
            }
            self.forget_attacked(ply);
            if let Some(value) = self.shared.ended(&self.pos, ply, alpha, beta) {
                return value;
            }
            // 3. A mate already found is not beaten by a longer one.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        let read_less =
            if N::ROOT { 0 } else { std::mem::take(&mut self.before_mut(ply, 1).reduction) };

        // 4. What the table knows.
        let excluded = self.frame(ply).excluded;
        let key = self.pos.key();
        let entry = self.shared.table.get(key);
        let table_value = entry.map_or(NONE, |e| from_table(e.value, ply));
        let table_depth = entry.map_or(-100, |e| e.depth);
        let table_bound = entry.map_or(Bound::None, |e| e.bound);
        let table_move = if N::ROOT {
            self.root_moves[self.pv_index].mv()
        } else {
            entry.map_or(Move::NONE, |e| e.best)
        };
        if excluded == Move::NONE {
            self.frame_mut(ply).was_pv = N::PV || entry.is_some_and(|e| e.pv);
        }
        let was_pv = self.frame(ply).was_pv;
        let would_cut = !N::PV
            && excluded == Move::NONE
            && table_value != NONE
            // A mate in one is as certain at any depth.
            && (table_depth > depth - i32::from(table_value <= beta)
                || table_value >= mate_in(ply + 1));
        let table_cuts = would_cut
            && (if table_value >= beta { table_bound.is_lower() } else { table_bound.is_upper() });
        if would_cut && !table_cuts && self.params.table_blocked > 0 {
            self.weaken(key, entry);
        }
        if table_cuts && table_value < beta {
            return table_value;
        }
        // Another position's move may hide behind the same key bits.
        let table_move = if table_move.is_some() && self.pos.is_legal(table_move) {
            table_move
        } else {
            Move::NONE
        };
        let table_capture = table_move.is_some() && self.pos.piece_at(table_move.to()).is_some();
        if table_cuts {
            if table_move.is_some() && !table_capture {
                self.reward_quiet(ply, table_move, stat_bonus(&self.params, depth));
            }
            return table_value;
        }

        let pawns = self.pawns();
        let slots = self.correction_slots(ply, pawns);
        // 5. Wins that need no search: declaration, mate in one. Whoever wrote an entry has looked.
        if !N::ROOT && excluded == Move::NONE && entry.is_none() {
            if self.pos.can_declare(self.shared.terms.rules.declaration) {
                return mate_in(ply + 1);
            }
            if !in_check && let Some(m) = mate::mate_in_one(&self.pos) {
                let value = mate_in(ply + 1);
                // Certain at any depth, but found again quickly: it need not outlive what was read.
                let depth = (depth + self.params.mate_entry).min(MAX_PLY as i32 - 1);
                self.remember(ply, key, m, value, NONE, depth, Bound::Exact, was_pv);
                if N::PV {
                    self.frame_mut(ply + 1).pv.clear();
                    self.extend_pv(ply, m);
                }
                return value;
            }
        }

        // 6. Static evaluation.
        let mut eval = NONE;
        let mut raw_eval = NONE;
        let mut improving = false;
        let mut lost = 0;
        let theirs = self.before(ply, 1).eval;
        if in_check {
            self.frame_mut(ply).eval = NONE;
        } else {
            if excluded != Move::NONE {
                // The node above this question has already evaluated it.
                eval = self.frame(ply).eval;
                raw_eval = eval;
            } else {
                raw_eval = match entry {
                    Some(e) if e.eval != NONE => e.eval,
                    _ => self.evaluate(),
                };
                eval = self.corrected(raw_eval, &slots);
                self.frame_mut(ply).eval = eval;
                if entry.is_none() {
                    self.remember_eval(key, raw_eval, was_pv);
                }
                // A searched value is a better guess where its bound allows.
                if table_value != NONE
                    && !is_decided(table_value)
                    && (if table_value > eval {
                        table_bound.is_lower()
                    } else {
                        table_bound.is_upper()
                    })
                {
                    eval = table_value;
                }
            }
            if !N::ROOT && excluded == Move::NONE {
                self.learn_from_swing(ply, pawns, entry.is_none());
            }
            let [two, four] = [2, 4].map(|back| self.before(ply, back).eval);
            let past = if two != NONE { two } else { four };
            improving = past == NONE || self.frame(ply).eval > past;
            lost = if two == NONE { 0 } else { two - self.frame(ply).eval };
            // In hindsight: was it right to read this less deep?
            let own = self.frame(ply).eval;
            if !N::ROOT && excluded == Move::NONE && theirs != NONE {
                if read_less >= self.params.hindsight_deeper && own <= -theirs {
                    depth += 1;
                }
                if read_less >= self.params.hindsight_less
                    && depth >= 2
                    && own + theirs > self.params.hindsight_sum
                {
                    depth -= 1;
                }
            }
        }

        let on_line = self.follow_line::<N>(ply);
        let mut alarm = Alarm::NONE;
        if !in_check && (excluded == Move::NONE || self.params.excluded_pruned != 0) {
            alarm = self.alarm(depth);
            // 7. Razoring: hopeless, unless captures say otherwise.
            let hopeless = self.params.razor_base + self.params.razor_depth * depth * depth;
            if !N::PV && eval < alpha - hopeless - alarm.margin {
                let value = self.quiesce::<Cut>(ply, alpha - 1, alpha, 0);
                if value < alpha {
                    // Not given up before a short mate has been looked for.
                    let mates =
                        self.params.razor_mate != 0 && mate::mate_in_three(&mut self.pos).is_some();
                    return if mates { mate_in(ply + 3) } else { value };
                }
            }

            // 8. Reverse futility: so good that a quiet position stays above beta.
            let opponent_worsened = theirs != NONE && self.frame(ply).eval > -theirs;
            let margin = self.params.rfp(depth, improving, lost) + alarm.margin
                - self.params.rfp_opponent * i32::from(opponent_worsened)
                - self.params.rfp_unknown * depth * i32::from(entry.is_none());
            if !was_pv
                && depth <= self.params.rfp_depth
                && eval - margin >= beta
                && !is_decided(beta)
                && !is_decided(eval)
                && (table_move == Move::NONE || table_capture)
            {
                return beta + (eval - beta) / self.params.rfp_return;
            }
        }
        if !in_check && excluded == Move::NONE {
            // 9. Null move: if passing is good enough where a cut is expected, some move is.
            let enough = beta + self.params.null_offset + alarm.margin
                - self.params.null_margin * depth
                - self.params.null_improving * i32::from(improving);
            if cut_node
                && self.before(ply, 1).current != Move::NULL
                && self.frame(ply).eval >= enough
                && ply >= self.null_floor
                && !is_decided(beta)
                && let Some(value) = self.null_move(ply, beta, depth, eval)
            {
                return value;
            }

            // What is above beta already is not getting worse.
            improving |= eval >= beta;
            self.frame_mut(ply).improving = improving;

            // 10. Nothing known about a node worth knowing: read it less deep now, better next
            // time.
            let unread = self.params.line_followed & 1 == 0 || !on_line;
            if N::PV && table_move == Move::NONE && unread {
                depth -= self.params.iir_pv;
            }
            if cut_node
                && depth >= self.params.iir_cut_depth
                && (self.params.iir_reduced == 0 || read_less <= self.params.iir_reduced)
                && (table_move == Move::NONE || table_bound == Bound::Upper)
            {
                depth -= 1 + self.params.iir_unknown * i32::from(table_move == Move::NONE);
            }
            if depth <= 0 {
                return self.quiesce::<N>(ply, alpha, beta, 0);
            }
        }
        if !in_check && excluded == Move::NONE {
            // 11. Probcut: a capture that is far above beta to a shallow depth will be above
            // beta to the full one.
            let probcut_beta = beta + self.params.probcut_margin
                - self.params.probcut_improving * i32::from(improving);
            if !N::PV
                && depth > self.params.probcut_depth
                && !is_decided(beta)
                && (table_value == NONE
                    || table_depth < depth - self.params.probcut_table
                    || table_value >= probcut_beta)
                && let Some(value) =
                    self.probcut(ply, (beta, probcut_beta), depth, cut_node, table_move, raw_eval)
            {
                return value;
            }
        }

        // The same by the table alone, also in check.
        let small_beta = beta + self.params.small_probcut_margin;
        if !N::ROOT
            && excluded == Move::NONE
            && table_bound.is_lower()
            && table_depth >= depth - self.params.small_probcut_table
            && table_value >= small_beta
            && !is_decided(beta)
            && table_value != NONE
            && !is_decided(table_value)
        {
            return small_beta;
        }

        // 12. The moves.
        let info = self.pos.check_info();
        let hints = Hints { threat: alarm.threat, ..self.hints(ply, table_move, pawns) };
        let mut picker = Picker::main(hints, depth, in_check);
        if !N::PV && depth <= self.params.quiets_end {
            picker.end_early();
        }
        let buffer = self.claim();
        let mut best_value = -INFINITE;
        let mut best_move = Move::NONE;
        let mut tried_quiets = Tried::new();
        let mut tried_captures = Tried::new();
        let mut move_count = 0u32;
        let mut skip_quiets = false;
        self.frame_mut(ply + self.params.killers_kept as usize).killers = [Move::NONE; 2];
        self.frame_mut(ply + 2).cutoffs = 0;
        let us = self.pos.turn();
        let previous_place = self.before(ply, 1).place;
        let doubles = if N::ROOT { 0 } else { self.before(ply, 1).doubles };
        let mut reduction_base = self.reduction_base(beta - alpha);
        let circumstances = Circumstances {
            pv: N::PV,
            was_pv,
            cut_node,
            table_known: table_move.is_some(),
            table_capture,
            correction: if in_check { 0 } else { (self.frame(ply).eval - raw_eval).abs() },
            alarm: alarm.reduction,
        };
        let mut others_less = 0;
        let prunes_quiets = self.params.line_followed & 2 == 0 || !on_line;

        while let Some(m) = self.pick(&mut picker, Some(&info), buffer, ply) {
            if m == excluded {
                continue;
            }
            if N::ROOT && !self.root_moves[self.pv_index..].iter().any(|r| r.mv() == m) {
                continue;
            }
            move_count += 1;
            self.frame_mut(ply).move_count = move_count;
            let capture = self.pos.piece_at(m.to()).is_some();
            let mover = self.pos.moved_piece(m);
            let gives_check = self.pos.gives_check_as(m, mover, &info);
            let to = place(mover, m.to());
            let heed = if capture { 0 } else { self.heed(ply, m) };
            let captured = self.pos.piece_at(m.to());
            let new_depth = depth - 1;
            let mut reduction = self.reduction(improving, depth, move_count, reduction_base);

            // 13. Moves not worth trying at low depth.
            if !N::ROOT && best_value > -values::MATE_BOUND {
                let late = self.params.late(depth) / (2 - i32::from(improving));
                if !skip_quiets && move_count as i32 >= late && prunes_quiets {
                    skip_quiets = true;
                    picker.skip_quiets();
                }
                let asked = Doubtful {
                    m,
                    mover,
                    gives_check,
                    heed,
                    depth,
                    lmr_depth: new_depth - reduction / 1024,
                    alpha,
                    pawns,
                    found: best_move != Move::NONE,
                    known_gain: picker.known_gain(),
                };
                let prunes = capture || gives_check || prunes_quiets;
                if prunes && let Some(value) = self.pruned(ply, &asked) {
                    best_value = best_value.max(value);
                    continue;
                }
            }

            // 14. Extensions: a table move that is better than all others by far is read deeper.
            let mut extension = 0;
            if ply < (self.root_depth * self.params.extension_reach) as usize {
                if !N::ROOT
                    && m == table_move
                    && excluded == Move::NONE
                    && depth >= self.params.singular_depth + i32::from(was_pv)
                    && table_value != NONE
                    && !is_decided(table_value)
                    && table_bound.is_lower()
                    && table_depth >= depth - self.params.singular_table
                {
                    let number = move_count;
                    let asked =
                        Candidate { m, number, table_value, beta, depth, cut_node, doubles };
                    match self.singular::<N>(ply, asked) {
                        Singular::Cut(value) => {
                            self.release();
                            return value;
                        }
                        Singular::Plies { extension: plies, others } => {
                            (extension, others_less) = (plies, others);
                        }
                    }
                    depth += i32::from(extension > 0 && depth < self.params.singular_deeper);
                } else if gives_check
                    && depth > self.params.check_extension_depth
                    && self.pos.see_at_least(m, 0, &PIECE_VALUES)
                {
                    extension = 1;
                }
            }
            let new_depth = new_depth + extension;
            self.frame_mut(ply).doubles = doubles + u32::from(extension >= 2);

            // 15. Play it.
            let nodes_before = self.nodes;
            self.play(ply, m);

            // 16. Late moves are read less deep first.
            let above = table_value != NONE && table_value > alpha;
            reduction += self.reduction_at(circumstances, above) + others_less
                - self.params.lmr_number * move_count as i32;
            if gives_check {
                reduction -= self.params.lmr_check;
            }
            if self.frame(ply + 1).cutoffs > self.params.lmr_cutoffs_from as u32 {
                reduction += self.params.lmr_cutoffs;
            } else if m == table_move {
                reduction -= self.params.lmr_table_move;
            }
            let stat = if capture {
                self.params.lmr_captures * self.history.capture(to, captured)
                    + self.params.lmr_capture_value * PIECE_VALUES[captured.kind_index()]
                    - self.params.lmr_capture_offset
            } else {
                self.params.lmr_butterfly * self.own_stat(us, m, heed)
                    + self.continuation_stat(ply, to)
                    - self.params.lmr_quiet_offset
            };
            reduction -= stat * 1024 / self.params.lmr_history;
            if !N::PV && !cut_node {
                reduction = self.reduction_of_all(reduction, depth);
            }

            let mut value = -INFINITE;
            if self.params.reduces(depth, move_count, N::ROOT) {
                let reduced =
                    (new_depth - reduction / 1024).clamp(1, new_depth + self.params.lmr_deepest);
                self.frame_mut(ply).reduction = new_depth - reduced;
                self.counts.count(|c| &mut c.reduced);
                value = -self.search::<Cut>(ply + 1, -alpha - 1, -alpha, reduced, true);
                self.frame_mut(ply).reduction = 0;
                if value > alpha && reduced < new_depth {
                    // Better than thought: deeper than planned if much, shallower if little.
                    let deeper = value
                        > best_value
                            + self.params.deeper_base
                            + self.params.deeper_depth * new_depth;
                    let shallower = value < best_value + self.params.shallower;
                    let again = new_depth + i32::from(deeper) - i32::from(shallower);
                    if again > reduced {
                        self.counts.count(|c| &mut c.again);
                        value = -self.search::<Cut>(ply + 1, -alpha - 1, -alpha, again, !cut_node);
                    }
                    if !capture {
                        let bonus = if value <= alpha {
                            -stat_bonus(&self.params, again)
                        } else if value >= beta {
                            stat_bonus(&self.params, again)
                        } else {
                            0
                        };
                        self.update_continuations(ply, to, bonus);
                    }
                }
            } else if !N::PV || move_count > 1 {
                // 17. The full depth with a closed window; less where nothing is known.
                let unknown = table_move == Move::NONE && cut_node;
                let less = i32::from(unknown && reduction > self.params.lmr_less)
                    + i32::from(self.params.is_hopeless(reduction));
                value =
                    -self.search::<Cut>(ply + 1, -alpha - 1, -alpha, new_depth - less, !cut_node);
            }
            if N::PV && (move_count == 1 || value > alpha) {
                self.frame_mut(ply + 1).pv.clear();
                value = -self.search::<Pv>(ply + 1, -beta, -alpha, new_depth, false);
            }

            // 18. Take it back.
            self.undo();
            if self.is_halted() {
                self.release();
                return values::DRAW;
            }

            // 19. A new best move?
            if N::ROOT {
                let effort = self.nodes - nodes_before;
                self.note_root_move(m, value, alpha, beta, move_count, effort);
            }
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = m;
                    if N::PV && !N::ROOT {
                        self.extend_pv(ply, m);
                    }
                    if value >= beta {
                        self.counts.cut(move_count == 1);
                        self.count_cut(ply, table_move == Move::NONE);
                        break;
                    }
                    if self.params.is_raised(depth) && !is_decided(value) {
                        depth -= self.params.raised_reduction;
                    }
                    alpha = value;
                    reduction_base = self.reduction_base(beta - alpha);
                }
            }
            if m != best_move {
                if capture { &mut tried_captures } else { &mut tried_quiets }.push(m);
            }
        }
        self.release();

        // 20. No move: mated (or stalemated, which loses too); the excluded one aside.
        if move_count == 0 {
            return if excluded != Move::NONE { alpha } else { mated_in(ply) };
        }
        if best_value <= -INFINITE {
            // Every move was pruned.
            best_value = alpha;
        }

        // A value above beta is believed in part, the more the deeper it was read.
        if best_value >= beta && !is_decided(best_value) && !is_decided(alpha) && depth > 0 {
            best_value = self.params.tempered(best_value, beta, depth);
        }

        // 21. Learn from it.
        if best_move != Move::NONE {
            let mut bonus = stat_bonus(
                &self.params,
                depth + i32::from(best_value > beta + self.params.stat_margin),
            );
            bonus += self.params.stat_table * i32::from(best_move == table_move);
            if !N::PV {
                let tried = tried_quiets.as_slice().len() + tried_captures.as_slice().len();
                bonus += bonus * tried as i32 * self.params.stat_tried / 1024;
            }
            self.learn(ply, best_move, bonus, pawns, &tried_quiets, &tried_captures, depth);
        } else if previous_place != crate::history::PLACES
            && !N::ROOT
            && let Some(last) = self.pos.last()
        {
            // The move that led here refuted everything.
            if last.captured.is_none() {
                let bonus = self.surprise(ply, best_value, stat_bonus(&self.params, depth));
                self.reward_previous(ply, bonus);
            } else {
                let bonus = self.params.stat_failed_capture;
                self.history.update_capture(previous_place, last.captured, bonus, &self.params);
            }
        }
        if best_value <= alpha && !N::PV {
            let parent = ply > 0 && self.before(ply, 1).was_pv;
            let counts = parent && depth > self.params.was_pv_depth;
            self.frame_mut(ply).was_pv |= counts;
        }
        let was_pv = self.frame(ply).was_pv;

        // 22. Remember it.
        if excluded == Move::NONE && !(N::ROOT && self.pv_index > 0) {
            let bound = if best_value >= beta {
                Bound::Lower
            } else if N::PV && best_move != Move::NONE {
                Bound::Exact
            } else {
                Bound::Upper
            };
            self.remember(ply, key, best_move, best_value, raw_eval, depth, bound, was_pv);
            // Where the evaluation was wrong, it will be corrected next time.
            let quiet = best_move == Move::NONE || self.pos.piece_at(best_move.to()).is_none();
            let eval = self.frame(ply).eval;
            let found = best_move != Move::NONE;
            if !in_check && quiet && !is_decided(best_value) && (best_value > eval) == found {
                let (error, p) = (best_value - eval, &self.params);
                self.history.update_correction(&slots, error, depth, found, p);
            }
        }
        debug_assert!(best_value > -INFINITE && best_value < INFINITE);
        best_value
    }
}
