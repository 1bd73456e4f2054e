//! What worked before: statistics that order moves and correct the evaluation. One set for each
//! thread.

use crate::memory::Numbers;
use crate::params::Params;
use rules::{Color, Move, Piece, Square};

/// Squares of the larger board: tables are the same for both games.
const SQUARES: usize = 81;
const PIECES: usize = Piece::COUNT;
/// A place on the board for a piece: the unit of the continuation tables.
pub(crate) const PLACES: usize = PIECES * SQUARES;

/// Bound of every ordering statistic.
const LIMIT: i32 = 16_384;
const PAWN_SLOTS: usize = 512;
const CORRECTION_SLOTS: usize = 16_384;
/// Bound of a correction, and its unit: this many to one evaluation unit.
const CORRECTION_LIMIT: i32 = 8_192;
const CORRECTION_GRAIN: i32 = 64;

/// A number that moves towards the bonus it gets, the slower the nearer it is to its bound.
#[inline]
fn nudge(cell: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let now = i32::from(*cell);
    *cell = (now + bonus - now * bonus.abs() / limit) as i16;
}

/// Where a piece goes.
#[inline]
pub(crate) fn place(piece: Piece, to: Square) -> usize {
    piece.index() * SQUARES + to.index()
}

/// All statistics of one thread.
pub(crate) struct History {
    /// By colour and move (without its promotion).
    butterfly: Box<[i16]>,
    /// By pawn structure and place.
    pawn: Numbers,
    /// By place and captured kind.
    capture: Box<[i16]>,
    /// By an earlier place and a place.
    continuation: Numbers,
    /// The reply that refuted the move to a place.
    counter: Box<[Move]>,
    /// By side to move and pawn structure.
    pawn_correction: Box<[i16]>,
    /// By side to move and the last two places.
    move_correction: Box<[i16]>,
}

fn zeros(n: usize) -> Box<[i16]> {
    vec![0; n].into_boxed_slice()
}

impl History {
    pub(crate) fn new() -> Self {
        Self {
            butterfly: zeros(2 << 15),
            pawn: Numbers::zeroed(PAWN_SLOTS * PLACES),
            capture: zeros(PLACES * 16),
            // The last row is for "no earlier move".
            continuation: Numbers::zeroed((PLACES + 1) * PLACES),
            counter: vec![Move::NONE; PLACES + 1].into_boxed_slice(),
            pawn_correction: zeros(2 * CORRECTION_SLOTS),
            move_correction: zeros(2 * CORRECTION_SLOTS),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.butterfly.fill(0);
        self.pawn.fill(0);
        self.capture.fill(0);
        self.continuation.fill(0);
        self.counter.fill(Move::NONE);
        self.pawn_correction.fill(0);
        self.move_correction.fill(0);
    }

    #[inline]
    fn butterfly_index(color: Color, m: Move) -> usize {
        color.index() << 15 | usize::from(m.bits() & 0x7fff)
    }

    #[inline]
    pub(crate) fn butterfly(&self, color: Color, m: Move) -> i32 {
        i32::from(self.butterfly[Self::butterfly_index(color, m)])
    }

    pub(crate) fn update_butterfly(&mut self, color: Color, m: Move, bonus: i32) {
        nudge(&mut self.butterfly[Self::butterfly_index(color, m)], bonus, LIMIT / 2);
    }

    /// The rows of one pawn structure.
    #[inline]
    pub(crate) fn pawn_row(&self, pawns: u64) -> &[i16] {
        let slot = pawns as usize % PAWN_SLOTS * PLACES;
        &self.pawn[slot..slot + PLACES]
    }

    pub(crate) fn update_pawn(&mut self, pawns: u64, place: usize, bonus: i32) {
        nudge(&mut self.pawn[pawns as usize % PAWN_SLOTS * PLACES + place], bonus, LIMIT / 2);
    }

    #[inline]
    pub(crate) fn capture(&self, place: usize, captured: Piece) -> i32 {
        i32::from(self.capture[place * 16 + captured.kind_index()])
    }

    pub(crate) fn update_capture(&mut self, place: usize, captured: Piece, bonus: i32) {
        nudge(&mut self.capture[place * 16 + captured.kind_index()], bonus, LIMIT / 2);
    }

    /// What followed a move to an earlier place ([`PLACES`] for none).
    #[inline]
    pub(crate) fn continuation_row(&self, earlier: usize) -> &[i16] {
        &self.continuation[earlier * PLACES..(earlier + 1) * PLACES]
    }

    pub(crate) fn update_continuation(&mut self, earlier: usize, place: usize, bonus: i32) {
        if earlier < PLACES {
            nudge(&mut self.continuation[earlier * PLACES + place], bonus, LIMIT);
        }
    }

    #[inline]
    pub(crate) fn counter(&self, earlier: usize) -> Move {
        self.counter[earlier]
    }

    pub(crate) fn set_counter(&mut self, earlier: usize, m: Move) {
        self.counter[earlier] = m;
    }

    fn correction_slots(color: Color, pawns: u64, places: u64) -> (usize, usize) {
        let base = color.index() * CORRECTION_SLOTS;
        let slot = |h: u64| base + (h >> 20) as usize % CORRECTION_SLOTS;
        (slot(pawns), slot(places))
    }

    /// How far the evaluation has been off in positions like this one.
    #[inline]
    pub(crate) fn correction(&self, color: Color, pawns: u64, places: u64, weight: i32) -> i32 {
        let (p, m) = Self::correction_slots(color, pawns, places);
        let sum = i32::from(self.pawn_correction[p]) + i32::from(self.move_correction[m]);
        sum * weight / (256 * CORRECTION_GRAIN)
    }

    /// The search found a value that differs from the evaluation by `error`.
    pub(crate) fn update_correction(
        &mut self,
        color: Color,
        pawns: u64,
        places: u64,
        error: i32,
        depth: i32,
        params: &Params,
    ) {
        let (p, m) = Self::correction_slots(color, pawns, places);
        let most = CORRECTION_LIMIT / 4;
        let bonus = (error * depth / 8 * params.correction_rate).clamp(-most, most);
        nudge(&mut self.pawn_correction[p], bonus, CORRECTION_LIMIT);
        nudge(&mut self.move_correction[m], bonus, CORRECTION_LIMIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nudges_stay_inside_their_bound() {
        let mut cell = 0;
        for _ in 0..1000 {
            nudge(&mut cell, 100_000, LIMIT);
            assert!(i32::from(cell) <= LIMIT);
        }
        assert!(i32::from(cell) > LIMIT * 9 / 10);
        for _ in 0..1000 {
            nudge(&mut cell, -3000, LIMIT);
            assert!(i32::from(cell) >= -LIMIT);
        }
        assert!(i32::from(cell) < -LIMIT * 9 / 10);
    }

    #[test]
    fn corrections_follow_the_error() {
        let mut h = History::new();
        for _ in 0..200 {
            h.update_correction(Color::Black, 5 << 20, 9 << 20, 60, 10, &Params::SHOGI);
        }
        let c = h.correction(Color::Black, 5 << 20, 9 << 20, 128);
        assert!(c > 20, "{c}");
        assert_eq!(h.correction(Color::White, 5 << 20, 9 << 20, 128), 0);
        h.clear();
        assert_eq!(h.correction(Color::Black, 5 << 20, 9 << 20, 128), 0);
    }
}
