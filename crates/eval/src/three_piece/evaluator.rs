//! The evaluator: sums updated by difference when a value is asked for.

use super::{FV_SCALE, Tables};
use crate::roster::{Change, Roster, add, subtract};
use crate::{Evaluator, MAX_VALUE};
use rules::{Color, Delta, Position, Variant};
use simd::{Gather, Isa};
use std::sync::Arc;

/// Sums of king-piece-piece for Black and White, and of both kings with everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Sums([[i32; 2]; 3]);

/// A three-piece evaluation (see [`crate::Kppt`] and [`crate::KppKkpt`]).
pub struct ThreePiece<V: Variant, const TEMPO: bool> {
    tables: Arc<Tables<V, TEMPO>>,
    gather: Gather,
    roster: Roster<V, Sums>,
}

impl<V: Variant, const TEMPO: bool> ThreePiece<V, TEMPO> {
    /// The same evaluator with another instruction set.
    #[must_use]
    pub fn with_isa(mut self, isa: Isa) -> Self {
        self.gather = Gather::new(isa);
        self
    }

    #[inline]
    fn sum(&self, king: usize, piece: u32, list: &[u32]) -> [i32; 2] {
        let row = self.tables.row(king, piece as usize);
        if TEMPO {
            self.gather.pairs(&row[..row.len() - 1], list)
        } else {
            [self.gather.singles(row, list), 0]
        }
    }

    /// King of a side as its own table wants it.
    fn own_king(kings: [u8; 2], side: usize) -> usize {
        if side == 0 { usize::from(kings[0]) } else { V::SQUARES - 1 - usize::from(kings[1]) }
    }

    /// King-piece-piece of one side from nothing.
    fn full_kpp(&self, kings: [u8; 2], side: usize) -> [i32; 2] {
        let king = Self::own_king(kings, side);
        let list = self.roster.list(side);
        let mut sum = [0; 2];
        for (i, &piece) in list.iter().enumerate().skip(1) {
            add(&mut sum, self.sum(king, piece, &list[..i]));
        }
        sum
    }

    /// Both kings and everything from nothing.
    fn full_kkp(&self, kings: [u8; 2]) -> [i32; 2] {
        let (black, white) = (usize::from(kings[0]), usize::from(kings[1]));
        let mut sum = self.tables.kk(black, white);
        for &piece in self.roster.list(0) {
            add(&mut sum, self.tables.kkp(black, white, piece as usize));
        }
        sum
    }

    fn full(&self, kings: [u8; 2]) -> Sums {
        Sums([self.full_kpp(kings, 0), self.full_kpp(kings, 1), self.full_kkp(kings)])
    }

    /// What changed pieces make different in one side's king-piece-piece: their relations to
    /// the pieces that did not change, and among themselves.
    fn kpp_difference(&self, kings: [u8; 2], side: usize, changes: &[Change]) -> [i32; 2] {
        let king = Self::own_king(kings, side);
        let (others, len) = self.roster.others(side, changes);
        let others = &others[..len];
        let mut sum = [0; 2];
        for (i, a) in changes.iter().enumerate() {
            let (new, old) = (u32::from(a.new[side]), u32::from(a.old[side]));
            add(&mut sum, self.sum(king, new, others));
            subtract(&mut sum, self.sum(king, old, others));
            for b in &changes[..i] {
                let kpp = |x: u32, y: u16| self.tables.kpp(king, x as usize, usize::from(y));
                add(&mut sum, kpp(new, b.new[side]));
                subtract(&mut sum, kpp(old, b.old[side]));
            }
        }
        sum
    }

    fn kkp_difference(&self, kings: [u8; 2], changes: &[Change]) -> [i32; 2] {
        let (black, white) = (usize::from(kings[0]), usize::from(kings[1]));
        let mut sum = [0; 2];
        for change in changes {
            add(&mut sum, self.tables.kkp(black, white, usize::from(change.new[0])));
            subtract(&mut sum, self.tables.kkp(black, white, usize::from(change.old[0])));
        }
        sum
    }

    /// The sums of the current ply.
    fn sums(&mut self) -> Sums {
        let top = self.roster.top();
        if let Some(sums) = top.sums {
            return sums;
        }
        let kings = top.kings;
        let sums = self.by_difference(kings).unwrap_or_else(|| self.full(kings));
        self.roster.set_sums(sums);
        sums
    }

    /// The sums by difference from the last ply that has any, if few pieces changed since.
    fn by_difference(&self, kings: [u8; 2]) -> Option<Sums> {
        let (base, mut sums, changes) = self.roster.since_sums()?;
        let (before, changes) = (base.kings, changes.as_slice());
        for side in 0..2 {
            if before[side] == kings[side] {
                add(&mut sums.0[side], self.kpp_difference(kings, side, changes));
            } else {
                sums.0[side] = self.full_kpp(kings, side);
            }
        }
        if before == kings {
            add(&mut sums.0[2], self.kkp_difference(kings, changes));
        } else {
            sums.0[2] = self.full_kkp(kings);
        }
        Some(sums)
    }
}

impl<V: Variant, const TEMPO: bool> Evaluator<V> for ThreePiece<V, TEMPO> {
    type Weights = Tables<V, TEMPO>;

    fn new(tables: Arc<Tables<V, TEMPO>>) -> Self {
        Self { tables, gather: Gather::new(Isa::best()), roster: Roster::new() }
    }

    fn refresh(&mut self, pos: &Position<V>) {
        self.roster.refresh(pos);
    }

    fn push(&mut self, delta: &Delta) {
        self.roster.push(delta);
    }

    fn pop(&mut self) {
        self.roster.pop();
    }

    fn evaluate(&mut self, pos: &Position<V>) -> i32 {
        let Sums([black, white, both]) = self.sums();
        let frame = self.roster.top();
        debug_assert_eq!(Sums([black, white, both]), self.full(frame.kings), "{}", pos.sfen());
        let board = black[0]
            .wrapping_sub(white[0])
            .wrapping_add(both[0])
            .wrapping_add(frame.material * FV_SCALE);
        let tempo = black[1].wrapping_add(white[1]).wrapping_add(both[1]);
        let own = if pos.turn() == Color::Black { board } else { board.wrapping_neg() };
        (own.wrapping_add(tempo) / FV_SCALE).clamp(-MAX_VALUE, MAX_VALUE)
    }
}

impl<V: Variant, const TEMPO: bool> std::fmt::Debug for ThreePiece<V, TEMPO> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ThreePiece(ply {})", self.roster.ply())
    }
}
