//! One thread of a search: its position, its statistics, its line.

use crate::analysis::Reading;
use crate::beside::Beside;
use crate::counts::Counts;
use crate::heed::Attacked;
use crate::history::{CorrectionKeys, CorrectionSlots, History, PLACES, SQUARES, place};
use crate::node::Node;
use crate::params::Params;
use crate::parts::PartKeys;
use crate::picker::{Hints, Known};
use crate::root::RootMove;
use crate::shared::Shared;
use crate::stack::{Buffer, DropScores, Frame, LOOK_BACK};
use crate::table::{Bound, Entry};
use crate::values::{self, MAX_PLY};
use eval::Evaluator;
use rules::{Bits, Color, Kind, Move, Position, Variant};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use think::Timer;

/// How many nodes between two looks at clock and counters.
const POLL: u32 = 512;
/// The same where there are only milliseconds.
const HURRIED_POLL: u32 = 32;

/// One thread's worth of search.
pub(crate) struct Worker<V: Variant, E: Evaluator<V>> {
    pub(crate) id: usize,
    pub(crate) shared: Arc<Shared>,
    /// Those of the search, at hand: nodes read them in place.
    pub(crate) params: Params,
    pub(crate) pos: Position<V>,
    pub(crate) eval: E,
    pub(crate) history: History,
    frames: Vec<Frame>,
    buffers: Vec<Buffer>,
    /// What the other side attacks, by ply, as soon as somebody asks.
    attacked: Vec<Attacked<V>>,
    drop_scores: Box<DropScores>,
    /// Buffers in use.
    level: usize,
    pub(crate) nodes: u64,
    until_poll: u32,
    pub(crate) root_moves: Vec<RootMove>,
    /// The line of several being read, and what the last iteration thought of it.
    pub(crate) pv_index: usize,
    pub(crate) last_line: Vec<Move>,
    pub(crate) root_depth: i32,
    /// The deepest iteration read to its end.
    pub(crate) completed: i32,
    pub(crate) sel_depth: usize,
    /// Width of the window at the root.
    pub(crate) root_delta: i32,
    /// No null moves above this ply while one is verified.
    pub(crate) null_floor: usize,
    /// How often the best move changed in this iteration.
    pub(crate) changes: u32,
    pub(crate) counts: Counts,
    /// The first thread watches the clock for all.
    pub(crate) timer: Option<Timer>,
    /// What it does for mates, and at how many nodes it is next to be done.
    pub(crate) beside: Option<Box<Beside<V>>>,
    pub(crate) mates_due: u64,
    /// A mate at the root has been proven: the way back to the root, where it is told.
    pub(crate) unwinding: bool,
    pub(crate) told_proof: bool,
    /// In an analysis the first thread notes how far it has come.
    pub(crate) readings: Vec<Reading>,
    /// Whether its statistics are to be cleared before they are used again.
    pub(crate) forget: bool,
}

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    pub(crate) fn new(id: usize, eval: E, shared: Arc<Shared>) -> Self {
        Self {
            id,
            params: shared.params.clone(),
            pos: Position::startpos(),
            eval,
            history: History::new(Arc::clone(&shared.common)),
            shared,
            frames: (0..MAX_PLY + LOOK_BACK + 4).map(|_| Frame::new()).collect(),
            attacked: (0..MAX_PLY + 4).map(|_| Attacked::new()).collect(),
            buffers: (0..2 * MAX_PLY + 8).map(|_| Buffer::new()).collect(),
            drop_scores: Box::new([[0; SQUARES]; 8]),
            level: 0,
            nodes: 0,
            until_poll: POLL,
            root_moves: Vec::new(),
            pv_index: 0,
            last_line: Vec::new(),
            root_depth: 0,
            completed: 0,
            sel_depth: 0,
            root_delta: 1,
            null_floor: 0,
            changes: 0,
            counts: Counts::default(),
            timer: None,
            beside: None,
            mates_due: u64::MAX,
            unwinding: false,
            told_proof: false,
            readings: Vec::new(),
            // Memory is touched before it is needed.
            forget: true,
        }
    }

    /// Clears the statistics if somebody asked for it.
    pub(crate) fn clear_if_told(&mut self) {
        if std::mem::take(&mut self.forget) {
            self.history.clear();
        }
    }

    /// Prepares for a new search.
    pub(crate) fn begin(&mut self, shared: Arc<Shared>, pos: Position<V>, moves: Vec<RootMove>) {
        self.params.clone_from(&shared.params);
        self.history.join(&shared.common);
        self.history.begin(&self.params);
        self.shared = shared;
        self.pos = pos;
        self.eval.refresh(&self.pos);
        self.frames.iter_mut().for_each(|f| {
            let pv = std::mem::take(&mut f.pv);
            *f = Frame::new();
            f.pv = pv;
            f.pv.clear();
        });
        self.level = 0;
        self.nodes = 0;
        self.until_poll = 1;
        self.root_moves = moves;
        self.completed = 0;
        self.null_floor = 0;
        self.counts = Counts::default();
        self.readings.clear();
        self.beside = None;
        self.mates_due = u64::MAX;
        (self.unwinding, self.told_proof) = (false, false);
        self.frame_mut(0).parts = PartKeys::of(&self.pos);
        self.forget_attacked(0);
    }

    #[inline]
    pub(crate) fn frame(&self, ply: usize) -> &Frame {
        &self.frames[ply + LOOK_BACK]
    }

    #[inline]
    pub(crate) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + LOOK_BACK]
    }

    /// The frame `back` plies before `ply`; the first ones stand for what came before the root.
    #[inline]
    pub(crate) fn before(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + LOOK_BACK - back]
    }

    #[inline]
    pub(crate) fn before_mut(&mut self, ply: usize, back: usize) -> &mut Frame {
        &mut self.frames[ply + LOOK_BACK - back]
    }

    /// Claims a buffer; give it back with [`Worker::release`].
    #[inline]
    pub(crate) fn claim(&mut self) -> usize {
        self.level += 1;
        self.level - 1
    }

    #[inline]
    pub(crate) fn release(&mut self) {
        self.level -= 1;
    }

    /// The next move of a picker. The position, history and buffer it needs live here; where checks come
    /// from it must be told where it hands out quiet moves.
    #[inline]
    pub(crate) fn pick(
        &mut self,
        picker: &mut crate::picker::Picker,
        info: Option<&rules::CheckInfo<V>>,
        buffer: usize,
        ply: usize,
    ) -> Option<Move> {
        let attacked = &self.attacked[ply];
        let (pos, history, params) = (&self.pos, &self.history, &self.params);
        let known = Known { pos, history, params, info, attacked };
        picker.next(&known, &mut self.buffers[buffer], &mut self.drop_scores)
    }

    /// Counts a node, and looks at clock and counters now and then. Says whether to stop.
    #[inline]
    pub(crate) fn count_node(&mut self) -> bool {
        // On the way back to the root nothing more is read.
        if self.unwinding || self.shared.stop.load(Ordering::Relaxed) {
            return true;
        }
        self.nodes += 1;
        self.until_poll -= 1;
        if self.until_poll == 0 {
            self.until_poll = POLL;
            self.shared.nodes[self.id].store(self.nodes, Ordering::Relaxed);
            if let Some(timer) = &mut self.timer {
                let total = self.shared.total_nodes();
                if timer.must_stop(total, self.shared.may_answer()) {
                    self.shared.stop.store(true, Ordering::Relaxed);
                }
                self.shared.deadline.store(timer.deadline(), Ordering::Relaxed);
                // A limit of nodes is kept exactly where one thread counts alone.
                let poll = if timer.is_hurried() { HURRIED_POLL } else { POLL };
                let left = timer.nodes_left(total).clamp(1, u64::from(poll));
                self.until_poll = left as u32;
            } else {
                self.shared.keep_deadline();
            }
            let news = self.shared.is_proven() && !self.told_proof;
            if self.nodes >= self.mates_due || news {
                self.look_beside();
            }
        }
        self.is_halted()
    }

    /// Whether what is being read is given up.
    #[inline]
    pub(crate) fn is_halted(&self) -> bool {
        self.unwinding || self.shared.stopped()
    }

    /// Plays a move in position, evaluation and line, and asks for its table entry.
    #[inline]
    pub(crate) fn play(&mut self, ply: usize, m: Move) {
        self.shared.table.prefetch(self.pos.key_after(m));
        let to = place(self.pos.moved_piece(m), m.to());
        let capture = self.pos.piece_at(m.to()).is_some();
        let heed = if capture { 0 } else { self.heed(ply, m) };
        let frame = self.frame_mut(ply);
        frame.current = m;
        frame.place = to;
        frame.heed = heed;
        let delta = self.pos.play(m);
        self.eval.push(&delta);
        self.frame_mut(ply + 1).parts = self.frame(ply).parts.after(&delta);
    }

    #[inline]
    pub(crate) fn undo(&mut self) {
        self.eval.pop();
        self.pos.undo();
    }

    /// Passes. Nothing is pushed to the evaluation.
    #[inline]
    pub(crate) fn play_null(&mut self, ply: usize) {
        let frame = self.frame_mut(ply);
        frame.current = Move::NULL;
        frame.place = PLACES;
        self.frame_mut(ply + 1).parts = self.frame(ply).parts;
        self.pos.play_null();
        self.shared.table.prefetch(self.pos.key());
    }

    /// The static evaluation, inside its bounds.
    #[inline]
    pub(crate) fn evaluate(&mut self) -> i32 {
        self.eval.evaluate(&self.pos).clamp(-values::EVAL_BOUND + 1, values::EVAL_BOUND - 1)
    }

    /// The evaluation corrected by how far it was off in positions like this.
    #[inline]
    pub(crate) fn corrected(&self, raw: i32, slots: &CorrectionSlots) -> i32 {
        let by = self.history.correction(slots, &self.params);
        (raw + by).clamp(-values::EVAL_BOUND + 1, values::EVAL_BOUND - 1)
    }

    /// Where the corrections of this position are kept, which are on their way then. Nowhere in check and
    /// while a move is left out: nothing is evaluated there.
    #[inline]
    pub(crate) fn correction_slots(&self, ply: usize, pawns: u64) -> CorrectionSlots {
        let frame = self.frame(ply);
        if frame.in_check || frame.excluded != Move::NONE {
            return CorrectionSlots::default();
        }
        let keys = self.correction_keys(ply, pawns);
        let slots = History::correction_slots(self.pos.turn(), &keys);
        self.history.prefetch_corrections(&slots);
        slots
    }

    /// A node begins: what is attacked in it nobody knows yet.
    #[inline]
    pub(crate) fn forget_attacked(&mut self, ply: usize) {
        self.attacked[ply] = Attacked::new();
    }

    /// What is told apart of a quiet move by attacked squares.
    #[inline]
    pub(crate) fn heed(&self, ply: usize, m: Move) -> usize {
        self.attacked[ply].heed(&self.pos, m, self.params.heed_attacked)
    }

    /// What corrections are kept under.
    #[inline]
    fn correction_keys(&self, ply: usize, pawns: u64) -> CorrectionKeys {
        let PartKeys { minor, sides: [black, white] } = self.frame(ply).parts;
        let place = |back| self.before(ply, back).place as u64;
        let pair = |back| (place(1) * 4099 + place(back)).wrapping_mul(seed::GAMMA);
        [pawns, minor, black, white, pair(2), pair(4)]
    }

    /// A number for the pawn structure.
    #[inline]
    pub(crate) fn pawns(&self) -> u64 {
        let black = self.pos.pieces_of(Color::Black, Kind::Pawn).mix();
        let white = self.pos.pieces_of(Color::White, Kind::Pawn).mix();
        black.rotate_left(23) ^ white
    }

    /// What the picker is told.
    pub(crate) fn hints(&self, ply: usize, table_move: Move, pawns: u64) -> Hints {
        let last = self.before(ply, 1).place;
        let (killers, counter) = match self.params.refutations {
            0 => ([Move::NONE; 2], Move::NONE),
            _ => (self.frame(ply).killers, self.history.counter(last)),
        };
        Hints {
            table_move,
            killers,
            counter,
            earlier: [1, 2, 4, 6].map(|n| self.before(ply, n).place),
            pawns,
            threat: Move::NONE,
            ply,
            all_moves: self.shared.terms.all_moves,
        }
    }

    /// Writes to the table.
    #[expect(
        clippy::too_many_arguments,
        reason = "the fields of an entry, named where they are used"
    )]
    pub(crate) fn remember(
        &self,
        ply: usize,
        key: u64,
        best: Move,
        value: i32,
        eval: i32,
        depth: i32,
        bound: Bound,
        pv: bool,
    ) {
        let value = values::to_table(value, ply);
        let entry = Entry { best, value, eval, depth, bound, pv };
        self.shared.table.put(key, entry, &self.params);
    }

    /// Writes an evaluation to the table.
    pub(crate) fn remember_eval(&self, key: u64, raw_eval: i32, was_pv: bool) {
        self.shared.table.put(key, Entry::eval_only(raw_eval, was_pv), &self.params);
    }

    /// Takes plies off an entry that would have cut but for its bound.
    #[inline(never)]
    pub(crate) fn weaken(&self, key: u64, entry: Option<Entry>) {
        if let Some(e) = entry {
            let entry = Entry { depth: e.depth - self.params.table_blocked, ..e };
            self.shared.table.put(key, entry, &self.params);
        }
    }

    /// Whether this node is on the line of the last iteration, which its frame notes. Asked for by a number.
    #[inline]
    pub(crate) fn follow_line<N: Node>(&mut self, ply: usize) -> bool {
        if !N::PV || self.params.line_followed == 0 {
            return false;
        }
        let above = self.before(ply, 1);
        let on_line = N::ROOT
            || above.on_line && self.last_line.get(ply - 1).is_some_and(|&m| m == above.current);
        self.frame_mut(ply).on_line = on_line;
        on_line
    }

    /// The line of this ply becomes `m` and the line below it.
    pub(crate) fn extend_pv(&mut self, ply: usize, m: Move) {
        let (upper, lower) = self.frames.split_at_mut(ply + LOOK_BACK + 1);
        let (here, below) = (&mut upper[ply + LOOK_BACK].pv, &lower[0].pv);
        here.clear();
        here.push(m);
        here.extend_from_slice(below);
    }
}
