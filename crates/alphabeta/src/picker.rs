//! The order in which a node tries its moves: the likeliest to cut first, each kind generated
//! only when the kinds before it did not cut.

use crate::heed::Attacked;
use crate::history::{History, place};
use crate::params::Params;
use crate::quiets::{bring_above, order, order_rest, score};
use crate::stack::{Buffer, DropScores};
use eval::PIECE_VALUES;
use rules::{CheckInfo, Gen, Kind, Move, Position, Variant};

/// What is being picked next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    TableMove,
    MakeCaptures,
    GoodCaptures,
    Refutations,
    MakeQuiets,
    Quiets,
    BadCaptures,
    LastQuiets,
    MakeEvasions,
    Evasions,
    MakeQuiescence,
    Quiescence,
    MakeProbcut,
    Probcut,
    Done,
}

/// What a node brings to order its moves.
pub(crate) struct Hints {
    pub(crate) table_move: Move,
    pub(crate) killers: [Move; 2],
    pub(crate) counter: Move,
    /// Places one, two, four and six plies ago.
    pub(crate) earlier: [usize; 4],
    pub(crate) pawns: u64,
    /// A move with which the other side would mate after a pass.
    pub(crate) threat: Move,
    /// How far from the root.
    pub(crate) ply: usize,
    /// Include moves that are pointless (`GenerateAllLegalMoves`).
    pub(crate) all_moves: bool,
}

/// What moves are ordered by, besides what the node brings.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a, V: Variant> {
    pub(crate) pos: &'a Position<V>,
    pub(crate) history: &'a History,
    pub(crate) params: &'a Params,
    /// Where checks come from; needed for quiet moves.
    pub(crate) info: Option<&'a CheckInfo<V>>,
    /// What the other side attacks, as soon as somebody asks.
    pub(crate) attacked: &'a Attacked<V>,
}

/// Hands out the moves of one node.
pub(crate) struct Picker {
    stage: Stage,
    /// The stage that follows the table move.
    generated: Stage,
    hints: Hints,
    depth: i32,
    /// Exchanges must gain this much (probcut), or tells quiescence nothing.
    threshold: i32,
    /// What the exchange of the move handed out last is known to gain, as far as it was looked at.
    known_gain: i32,
    next: usize,
    end: usize,
    /// Quiet moves from `end` to here come after the captures that lose.
    last: usize,
    /// Captures that lose material wait at the front of the buffer.
    bad: usize,
    bad_next: usize,
    refutations: [Move; 3],
    skip_quiets: bool,
    /// Whether quiet moves that stay unsorted are left out.
    ends_early: bool,
    /// Quiet moves before the first are in order, those before the second are still to be put so.
    ordered: usize,
    to_order: usize,
}

impl Picker {
    /// The table move first, if there is one, then what is generated.
    fn start(generated: Stage, hints: Hints, depth: i32, threshold: i32) -> Self {
        let refutations = [hints.killers[0], hints.killers[1], hints.counter];
        let stage = if hints.table_move.is_some() { Stage::TableMove } else { generated };
        Self {
            stage,
            generated,
            hints,
            depth,
            threshold,
            known_gain: i32::MIN,
            next: 0,
            end: 0,
            last: 0,
            bad: 0,
            bad_next: 0,
            refutations,
            skip_quiets: false,
            ends_early: false,
            ordered: 0,
            to_order: 0,
        }
    }

    /// For an ordinary node. The table move must be pseudo-legal or none.
    pub(crate) fn main(hints: Hints, depth: i32, in_check: bool) -> Self {
        let generated = if in_check { Stage::MakeEvasions } else { Stage::MakeCaptures };
        Self::start(generated, hints, depth, 0)
    }

    /// Leaves out quiet moves that are not worth sorting.
    #[inline]
    pub(crate) fn end_early(&mut self) {
        self.ends_early = true;
    }

    /// For quiescence: evasions in check, else captures.
    pub(crate) fn quiescence(hints: Hints, in_check: bool) -> Self {
        let generated = if in_check { Stage::MakeEvasions } else { Stage::MakeQuiescence };
        Self::start(generated, hints, 0, 0)
    }

    /// For probcut: captures that gain at least `threshold`.
    pub(crate) fn probcut(hints: Hints, threshold: i32) -> Self {
        Self::start(Stage::MakeProbcut, hints, 0, threshold)
    }

    /// No more quiet moves from here on.
    #[inline]
    pub(crate) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// What the exchange of the move handed out last gains at least; the least number where nobody has
    /// looked.
    #[inline]
    pub(crate) fn known_gain(&self) -> i32 {
        self.known_gain
    }

    /// The next move; `None` when there is none left. All are legal but the table move, which is
    /// pseudo-legal.
    pub(crate) fn next<V: Variant>(
        &mut self,
        known: &Known<'_, V>,
        buffer: &mut Buffer,
        drops: &mut DropScores,
    ) -> Option<Move> {
        let &Known { pos, history, params, info, .. } = known;
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = self.generated;
                    return Some(self.hints.table_move);
                }
                Stage::MakeCaptures => {
                    self.make_captures(pos, history, params, buffer);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => {
                    if let Some(m) = self.next_good_capture(pos, params, buffer) {
                        return Some(m);
                    }
                    self.stage = Stage::Refutations;
                    self.known_gain = i32::MIN;
                    self.next = 0;
                }
                Stage::Refutations => {
                    if let Some(m) = self.next_refutation(pos) {
                        return Some(m);
                    }
                    self.stage = Stage::MakeQuiets;
                }
                Stage::MakeQuiets => {
                    if let (false, Some(info)) = (self.skip_quiets, info) {
                        self.make_quiets(known, info, buffer, drops);
                    } else {
                        self.end = self.next;
                        self.last = self.next;
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if let Some(m) = self.next_quiet(buffer, self.end) {
                        return Some(m);
                    }
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if self.bad_next < self.bad {
                        self.bad_next += 1;
                        return Some(buffer.moves[self.bad_next - 1]);
                    }
                    self.next = self.end;
                    self.stage = Stage::LastQuiets;
                }
                Stage::LastQuiets => {
                    if let Some(m) = self.next_quiet(buffer, self.last) {
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::MakeEvasions => {
                    self.make_evasions(known, buffer);
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => return self.best(buffer),
                Stage::MakeQuiescence => {
                    self.make_captures(pos, history, params, buffer);
                    self.stage = Stage::Quiescence;
                }
                Stage::Quiescence => {
                    if let Some(m) = self.best(buffer) {
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::MakeProbcut => {
                    self.make_captures(pos, history, params, buffer);
                    self.stage = Stage::Probcut;
                }
                Stage::Probcut => {
                    while let Some(m) = self.best(buffer) {
                        if pos.see_at_least(m, self.threshold, &PIECE_VALUES) {
                            return Some(m);
                        }
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// The next capture that does not lose material; those that do are put aside.
    #[inline]
    fn next_good_capture<V: Variant>(
        &mut self,
        pos: &Position<V>,
        params: &Params,
        buffer: &mut Buffer,
    ) -> Option<Move> {
        while let Some(m) = self.best(buffer) {
            let least = -buffer.scores[self.next - 1] / params.capture_see;
            if pos.see_at_least(m, least.min(0), &PIECE_VALUES) {
                self.known_gain = least.min(0);
                return Some(m);
            }
            buffer.moves.as_mut_slice()[self.bad] = m;
            self.bad += 1;
        }
        None
    }

    /// The next killer or counter move that can be played.
    #[inline]
    fn next_refutation<V: Variant>(&mut self, pos: &Position<V>) -> Option<Move> {
        while self.next < 3 {
            let m = self.refutations[self.next];
            self.next += 1;
            let again = self.refutations[..self.next - 1].contains(&m);
            if !again && self.fits_as_refutation(pos, m) {
                return Some(m);
            }
        }
        None
    }

    /// The next quiet move before `end`; those not yet in order are put so when it is their turn.
    #[inline]
    fn next_quiet(&mut self, buffer: &mut Buffer, end: usize) -> Option<Move> {
        while !self.skip_quiets && self.next < end {
            if self.next == self.ordered && self.ordered < self.to_order {
                order_rest(buffer, self.bad, self.ordered, self.to_order);
                self.ordered = self.to_order;
            }
            let m = buffer.moves[self.next];
            self.next += 1;
            if m != self.hints.table_move && !self.refutations.contains(&m) {
                return Some(m);
            }
        }
        None
    }

    fn generate<V: Variant>(&self, pos: &Position<V>, what: Gen, buffer: &mut Buffer) {
        if self.hints.all_moves {
            pos.generate(what, &mut buffer.moves);
        } else {
            pos.generate_useful(what, &mut buffer.moves);
        }
    }

    /// Takes the best of the remaining moves, the table move left out.
    #[inline]
    fn best(&mut self, buffer: &mut Buffer) -> Option<Move> {
        while self.next < self.end {
            let mut best = self.next;
            for i in self.next + 1..self.end {
                if buffer.scores[i] > buffer.scores[best] {
                    best = i;
                }
            }
            buffer.swap(self.next, best);
            let m = buffer.moves[self.next];
            self.next += 1;
            if m != self.hints.table_move {
                return Some(m);
            }
        }
        None
    }

    fn make_captures<V: Variant>(
        &mut self,
        pos: &Position<V>,
        history: &History,
        params: &Params,
        buffer: &mut Buffer,
    ) {
        buffer.moves.clear();
        self.generate(pos, Gen::Tactical, buffer);
        (self.next, self.end) = (0, buffer.moves.len());
        for i in 0..self.end {
            let m = buffer.moves[i];
            let captured = pos.piece_at(m.to());
            let mover = pos.moved_piece(m);
            let promotion = if m.is_promotion() {
                PIECE_VALUES[mover.kind_index()] - PIECE_VALUES[pos.piece_at(m.from()).kind_index()]
            } else {
                0
            };
            buffer.scores[i] = params.order_captured * PIECE_VALUES[captured.kind_index()]
                + params.order_promotion * promotion
                + history.capture(place(mover, m.to()), captured);
        }
    }

    fn make_quiets<V: Variant>(
        &mut self,
        known: &Known<'_, V>,
        info: &CheckInfo<V>,
        buffer: &mut Buffer,
        drops: &mut DropScores,
    ) {
        let &Known { pos, params, .. } = known;
        // Captures that lose material stay at the front.
        let start = self.bad;
        buffer.moves.truncate(start);
        self.generate(pos, Gen::Positional, buffer);
        (self.next, self.end, self.last) = (start, buffer.moves.len(), buffer.moves.len());
        score(known, info, &self.hints, buffer, start, drops);
        if params.quiets_last > 0 {
            self.end = bring_above(buffer, start, self.last, -params.quiets_last);
        }
        let above = bring_above(buffer, start, self.end, -params.quiet_sorted * self.depth);
        self.to_order = above;
        if self.ends_early {
            // One stays: a node without any move would be a mate.
            let end = above.max(start + 1).min(self.last);
            (self.end, self.last) = (end, end);
        }
        // Of moves without hope so many are tried at most; the rest is put in order when it is needed.
        let first = params.late(self.depth) as usize;
        self.ordered = order(buffer, start, self.to_order, first);
    }

    fn make_evasions<V: Variant>(&mut self, known: &Known<'_, V>, buffer: &mut Buffer) {
        let &Known { pos, history, params, attacked, .. } = known;
        buffer.moves.clear();
        self.generate(pos, Gen::Evasions, buffer);
        (self.next, self.end) = (0, buffer.moves.len());
        let us = pos.turn();
        let row = history.continuation_row(self.hints.earlier[0]);
        for i in 0..self.end {
            let m = buffer.moves[i];
            let captured = pos.piece_at(m.to());
            let mover = pos.moved_piece(m);
            buffer.scores[i] = if captured.is_some() {
                (1 << 28) + params.order_evasion * PIECE_VALUES[captured.kind_index()]
                    - PIECE_VALUES[mover.kind_index()]
            } else {
                let heed = attacked.heed(pos, m, params.heed_attacked);
                i32::from(history.butterfly(us, m, heed)) + i32::from(row[place(mover, m.to())])
            };
        }
    }

    /// A killer or counter move that can be played here and is not tried elsewhere.
    fn fits_as_refutation<V: Variant>(&self, pos: &Position<V>, m: Move) -> bool {
        m.is_some()
            && m != self.hints.table_move
            && pos.piece_at(m.to()).is_none()
            && pos.is_legal(m)
            // Pawn promotions were among the captures.
            && !(m.is_promotion() && pos.piece_at(m.from()).kind() == Some(Kind::Pawn))
    }
}

#[cfg(test)]
mod tests;
