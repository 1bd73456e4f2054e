//! What worked before: statistics that order moves and correct the evaluation. Those of moves are each
//! thread's own; those of parts of a position, which hold whatever line led to it, are common to all.

use crate::lanes::{SharedCells, SharedRows, lane, lanes};
use crate::memory::Numbers;
use crate::params::Params;
use rules::{Color, Kind, Move, Piece, Square};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Squares of the larger board: tables are the same for both games.
pub(crate) const SQUARES: usize = 81;
const PIECES: usize = Piece::COUNT;
/// A place on the board for a piece: the unit of the continuation tables.
pub(crate) const PLACES: usize = PIECES * SQUARES;
/// What is told apart of the quiet moves of a side: whether they leave an attacked square, and enter one.
pub(crate) const HEEDS: usize = 4;

/// Pawn structures there is room for; `pawn_bits` says how many are told apart.
const PAWN_SLOTS: usize = 1 << 12;
/// Plies next to the root with statistics of their own.
pub(crate) const NEAR: usize = 5;
/// Numbers of a piece in one pawn structure, and of all pieces: whole words.
const PAWN_PIECE: usize = SQUARES.next_multiple_of(4);
const PAWN_ROW: usize = PIECES * PAWN_PIECE;
/// Corrections: how many keys each has, and how many positions each key tells apart.
const CORRECTIONS: usize = 6;
const CORRECTION_SLOTS: usize = 65_536;

/// What corrections are kept under: pawns, minor pieces, the pieces of Black and of White, the last
/// move with that two and that four plies back.
pub(crate) type CorrectionKeys = [u64; CORRECTIONS];
/// Where the corrections of a position are kept.
pub(crate) type CorrectionSlots = [usize; CORRECTIONS];

/// A number that moves towards the bonus it gets, the slower the nearer it is to its bound, which is a
/// power of two.
#[inline]
fn nudge(cell: &mut i16, bonus: i32, bits: i32) {
    let limit = 1 << bits;
    let bonus = bonus.max(-limit).min(limit);
    let now = i32::from(*cell);
    // Divided by the bound and rounded towards zero, as `/` would, which takes several times as long.
    let product = now * bonus.abs();
    let taken_off = (product + (product >> 31 & (limit - 1))) >> bits;
    *cell = (now + bonus - taken_off) as i16;
}

/// Where a piece goes.
#[inline]
pub(crate) fn place(piece: Piece, to: Square) -> usize {
    piece.index() * SQUARES + to.index()
}

/// What all threads of a search learn together.
pub(crate) struct Common {
    /// By pawn structure and place.
    pawn: SharedRows,
    /// By key, side to move and what the key tells apart.
    correction: SharedCells,
    /// Which rows of `pawn` were written since they were cleared.
    written: Box<[AtomicBool]>,
    /// Whether all of it is to be forgotten before it is used again.
    forget: AtomicBool,
}

impl Common {
    pub(crate) fn new() -> Self {
        Self {
            pawn: SharedRows::zeroed(PAWN_SLOTS * PAWN_ROW),
            correction: SharedCells::zeroed(CORRECTIONS * 2 * CORRECTION_SLOTS),
            written: (0..PAWN_SLOTS).map(|_| AtomicBool::new(false)).collect(),
            // Memory is touched before it is needed.
            forget: AtomicBool::new(true),
        }
    }

    /// Asks for it to be cleared, which takes a moment, before the next search.
    pub(crate) fn forget(&self) {
        self.forget.store(true, Ordering::Relaxed);
    }

    /// Clears it if somebody asked for it. No search may run.
    pub(crate) fn clear_if_told(&self) {
        if self.forget.swap(false, Ordering::Relaxed) {
            self.clear();
        }
    }

    fn clear(&self) {
        for (row, written) in self.written.iter().enumerate() {
            if written.swap(false, Ordering::Relaxed) {
                self.pawn.clear(row * PAWN_ROW, PAWN_ROW);
            }
        }
        self.correction.clear();
    }
}

/// What is known of moves in one pawn structure.
#[derive(Clone, Copy)]
pub(crate) struct PawnRow<'a>(&'a [AtomicU64; PAWN_ROW / 4]);

/// Where a place is in the row of a pawn structure.
#[inline]
const fn in_pawn_row(place: usize) -> usize {
    place + place / SQUARES * (PAWN_PIECE - SQUARES)
}

impl PawnRow<'_> {
    /// What it says of a piece on a square.
    #[inline]
    pub(crate) fn of(&self, piece: Piece, to: Square) -> i16 {
        let at = piece.index() * PAWN_PIECE + to.index();
        lane(self.0[at / 4].load(Ordering::Relaxed), at)
    }

    /// The same by its place.
    #[cfg(test)]
    pub(crate) fn get(&self, place: usize) -> i16 {
        let at = in_pawn_row(place);
        lanes(&self.0[at / 4])[at % 4]
    }

    /// What it says of a piece on every square, so many times.
    #[inline]
    pub(crate) fn of_piece(&self, piece: Piece, times: i32, scores: &mut [i32; SQUARES]) {
        let words = &self.0[piece.index() * PAWN_PIECE / 4..];
        let words: &[_; PAWN_PIECE / 4] = words.first_chunk().expect("a row has every piece");
        let (whole, rest) = scores.as_chunks_mut::<4>();
        for (four, word) in whole.iter_mut().zip(words) {
            *four = lanes(word).map(|number| times * i32::from(number));
        }
        let last = words.last().map_or([0; 4], lanes);
        for (score, number) in rest.iter_mut().zip(last) {
            *score = times * i32::from(number);
        }
    }
}

/// All statistics of one thread.
pub(crate) struct History {
    /// Those of all threads.
    common: Arc<Common>,
    /// By colour and move (without its promotion).
    butterfly: Box<[i16]>,
    /// The same by ply next to the root, in this search.
    near: Box<[i16]>,
    /// By place and captured kind.
    capture: Box<[i16]>,
    /// By an earlier place and a place.
    continuation: Numbers,
    /// The reply that refuted the move to a place.
    counter: Box<[Move]>,
    /// Which rows of `continuation` were written since they were cleared: after a game of small searches
    /// few of its 13 MB.
    written: Box<[bool]>,
    /// What is left of a number for a pawn structure.
    pawn_mask: u64,
}

/// Clears the rows that were written.
fn clear_rows(table: &mut [i16], written: &mut [bool]) {
    for (row, written) in table.chunks_exact_mut(PLACES).zip(written) {
        if std::mem::take(written) {
            row.fill(0);
        }
    }
}

/// One row of a table of places: its length is known, so that one look at a place is enough for all rows.
#[inline]
fn row(table: &[i16], number: usize) -> &[i16; PLACES] {
    table[number * PLACES..].first_chunk().expect("a table has whole rows")
}

/// What a row says of a piece on every square.
#[inline]
pub(crate) fn of_piece(row: &[i16; PLACES], piece: Piece) -> &[i16; SQUARES] {
    row[piece.index() * SQUARES..].first_chunk().expect("a row has all squares of every piece")
}

fn pawn_mask(p: &Params) -> u64 {
    (1 << p.pawn_bits.min(PAWN_SLOTS.ilog2() as i32)) - 1
}

fn zeros(n: usize) -> Box<[i16]> {
    vec![0; n].into_boxed_slice()
}

impl History {
    pub(crate) fn new(common: Arc<Common>) -> Self {
        Self {
            common,
            butterfly: zeros(HEEDS * (2 << 15)),
            near: zeros(NEAR * (2 << 15)),
            capture: zeros(PLACES * 16),
            // The last row is for "no earlier move".
            continuation: Numbers::zeroed((PLACES + 1) * PLACES),
            counter: vec![Move::NONE; PLACES + 1].into_boxed_slice(),
            written: vec![false; PLACES + 1].into_boxed_slice(),
            pawn_mask: pawn_mask(&Params::SHOGI),
        }
    }

    /// Learns from now on together with those who have the same.
    pub(crate) fn join(&mut self, common: &Arc<Common>) {
        self.common = Arc::clone(common);
    }

    /// Forgets what is its own.
    pub(crate) fn clear(&mut self) {
        self.butterfly.fill(0);
        self.capture.fill(0);
        clear_rows(&mut self.continuation, &mut self.written);
        self.counter.fill(Move::NONE);
    }

    /// A search begins: of what is known of moves by themselves so much is kept, of those near the root nothing.
    pub(crate) fn begin(&mut self, p: &Params) {
        self.pawn_mask = pawn_mask(p);
        if p.history_kept < 100 {
            let kept = |number: i16| (i32::from(number) * p.history_kept / 100) as i16;
            self.butterfly.iter_mut().for_each(|number| *number = kept(*number));
        }
        if p.order_near != 0 {
            self.near.fill(0);
        }
    }

    /// How a quiet move has fared at a ply next to the root.
    #[inline]
    pub(crate) fn near(&self, ply: usize, color: Color, m: Move) -> i16 {
        self.near[ply * (2 << 15) + Self::butterfly_index(color, m)]
    }

    /// A quiet move was good, or bad, so far from the root.
    #[inline]
    pub(crate) fn update_near(
        &mut self,
        ply: usize,
        color: Color,
        m: Move,
        bonus: i32,
        p: &Params,
    ) {
        if p.order_near != 0 && ply < NEAR {
            let at = ply * (2 << 15) + Self::butterfly_index(color, m);
            nudge(&mut self.near[at], bonus, p.history_bits);
        }
    }

    #[inline]
    fn butterfly_index(color: Color, m: Move) -> usize {
        color.index() << 15 | usize::from(m.bits() & 0x7fff)
    }

    #[inline]
    pub(crate) fn butterfly(&self, color: Color, m: Move, heed: usize) -> i16 {
        self.butterfly[heed << 16 | Self::butterfly_index(color, m)]
    }

    /// The same for drops of one kind, by their squares.
    #[inline]
    pub(crate) fn butterfly_drops(&self, color: Color, kind: Kind, heed: usize) -> &[i16; SQUARES] {
        let first = heed << 16 | Self::butterfly_index(color, Move::drop(kind, Square::new(0)));
        self.butterfly[first..].first_chunk().expect("a move has bits for every square")
    }

    pub(crate) fn update_butterfly(
        &mut self,
        color: Color,
        m: Move,
        heed: usize,
        bonus: i32,
        p: &Params,
    ) {
        let at = heed << 16 | Self::butterfly_index(color, m);
        nudge(&mut self.butterfly[at], bonus, p.history_bits);
    }

    /// The row of one pawn structure.
    #[inline]
    pub(crate) fn pawn_row(&self, pawns: u64) -> PawnRow<'_> {
        PawnRow(self.common.pawn.words((pawns & self.pawn_mask) as usize * PAWN_ROW))
    }

    pub(crate) fn update_pawn(&mut self, pawns: u64, place: usize, bonus: i32, p: &Params) {
        let row = (pawns & self.pawn_mask) as usize;
        let written = &self.common.written[row];
        // A line that all threads read must not be written each time.
        if !written.load(Ordering::Relaxed) {
            written.store(true, Ordering::Relaxed);
        }
        let at = row * PAWN_ROW + in_pawn_row(place);
        self.common.pawn.change(at, |cell| nudge(cell, bonus, p.history_bits));
    }

    #[inline]
    pub(crate) fn capture(&self, place: usize, captured: Piece) -> i32 {
        i32::from(self.capture[place * 16 + captured.kind_index()])
    }

    pub(crate) fn update_capture(&mut self, place: usize, captured: Piece, bonus: i32, p: &Params) {
        nudge(&mut self.capture[place * 16 + captured.kind_index()], bonus, p.history_bits);
    }

    /// What followed a move to an earlier place ([`PLACES`] for none).
    #[inline]
    pub(crate) fn continuation_row(&self, earlier: usize) -> &[i16; PLACES] {
        row(&self.continuation, earlier)
    }

    pub(crate) fn update_continuation(
        &mut self,
        earlier: usize,
        place: usize,
        bonus: i32,
        p: &Params,
    ) {
        if earlier < PLACES {
            self.written[earlier] = true;
            nudge(&mut self.continuation[earlier * PLACES + place], bonus, p.continuation_bits);
        }
    }

    #[inline]
    pub(crate) fn counter(&self, earlier: usize) -> Move {
        self.counter[earlier]
    }

    pub(crate) fn set_counter(&mut self, earlier: usize, m: Move) {
        self.counter[earlier] = m;
    }

    /// Where each correction of a position is kept.
    #[inline]
    pub(crate) fn correction_slots(color: Color, keys: &CorrectionKeys) -> CorrectionSlots {
        let mut table = color.index();
        keys.map(|key| {
            let slot = table * CORRECTION_SLOTS + (key >> 40) as usize % CORRECTION_SLOTS;
            table += 2;
            slot
        })
    }

    /// Asks for the corrections of a position ahead of their use.
    #[inline]
    pub(crate) fn prefetch_corrections(&self, slots: &CorrectionSlots) {
        slots.iter().for_each(|&slot| self.common.correction.prefetch(slot));
    }

    /// How far the evaluation has been off in positions like this one.
    #[inline]
    pub(crate) fn correction(&self, slots: &CorrectionSlots, p: &Params) -> i32 {
        let [pawns, minor, black, white, reply, plan] =
            slots.map(|slot| i32::from(self.common.correction.get(slot)));
        let sum = p.correction_pawns * pawns
            + p.correction_minor * minor
            + p.correction_sides * (black + white)
            + p.correction_moves * (reply + plan);
        sum / 1024
    }

    /// The search found a value that differs from the evaluation by `error`; `found` says whether
    /// with a move that reached it.
    pub(crate) fn update_correction(
        &mut self,
        slots: &CorrectionSlots,
        error: i32,
        depth: i32,
        found: bool,
        p: &Params,
    ) {
        let rate = if found { p.correction_rate } else { p.correction_rate_open };
        let bonus = (error * depth * rate / 128).max(-p.correction_most).min(p.correction_most);
        let rates = [
            128,
            p.correction_minor_rate,
            p.correction_sides_rate,
            p.correction_sides_rate,
            p.correction_reply_rate,
            p.correction_plan_rate,
        ];
        for (slot, rate) in slots.iter().zip(rates) {
            let bonus = bonus * rate / 128;
            self.common.correction.change(*slot, |cell| nudge(cell, bonus, p.correction_bits));
        }
    }
}

#[cfg(test)]
mod tests;
