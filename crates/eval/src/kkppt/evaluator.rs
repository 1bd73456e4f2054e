//! The evaluator: one pair of sums, updated by difference while both kings stay.

use super::kings::{KingView, king_view};
use super::{FV_SCALE, KkpptTables};
use crate::roster::{Change, Roster, add, subtract};
use crate::{Evaluator, MAX_VALUE};
use features::Numbering;
use rules::{Color, Delta, Game, Minishogi, Position};
use simd::{Gather, Isa};
use std::sync::Arc;

/// Changed pieces up to which a difference is less work than all 45 pairs.
const WORTH_A_DIFFERENCE: usize = 2;

/// Piece numbers on the board mirrored left to right.
static MIRRORED: [u16; KkpptTables::PIECES] = {
    let numbering = Numbering::of(Game::Minishogi);
    let mut table = [0; KkpptTables::PIECES];
    let mut n = 0;
    while n < table.len() {
        table[n] = numbering.mirrored(n) as u16;
        n += 1;
    }
    table
};

/// Board and tempo value in the kings' view.
type Sums = [i32; 2];

/// The evaluation of both kings and two pieces with tempo.
pub struct Kkppt {
    tables: Arc<KkpptTables>,
    gather: Gather,
    roster: Roster<Minishogi, Sums>,
}

impl Kkppt {
    /// The same evaluator with another instruction set.
    #[must_use]
    pub fn with_isa(mut self, isa: Isa) -> Self {
        self.gather = Gather::new(isa);
        self
    }

    fn view(kings: [u8; 2]) -> Option<KingView> {
        king_view(usize::from(kings[0]), usize::from(kings[1]))
    }

    #[inline]
    fn sum(&self, view: KingView, piece: u32, list: &[u32]) -> Sums {
        self.gather.pairs(self.tables.row(usize::from(view.place), piece as usize), list)
    }

    /// Everything from nothing.
    fn full(&self, view: KingView) -> Sums {
        let place = usize::from(view.place);
        let (mut list, len) = self.roster.others(usize::from(view.turned), &[]);
        let list = &mut list[..len];
        mirror(view, list);
        let mut sum = self.tables.kk[place];
        for (i, &piece) in list.iter().enumerate() {
            add(&mut sum, self.tables.kkp(place, piece as usize));
            add(&mut sum, self.sum(view, piece, &list[..i]));
        }
        sum
    }

    /// What changed pieces make different: by themselves, in relation to the pieces that did not
    /// change, and among themselves.
    fn difference(&self, view: KingView, changes: &[Change]) -> Sums {
        let (place, side) = (usize::from(view.place), usize::from(view.turned));
        let (mut others, len) = self.roster.others(side, changes);
        let others = &mut others[..len];
        mirror(view, others);
        let number = |n: u16| if view.mirrored { MIRRORED[usize::from(n)] } else { n };
        let mut sum = [0; 2];
        for (i, a) in changes.iter().enumerate() {
            let (new, old) = (number(a.new[side]), number(a.old[side]));
            add(&mut sum, self.tables.kkp(place, usize::from(new)));
            subtract(&mut sum, self.tables.kkp(place, usize::from(old)));
            add(&mut sum, self.sum(view, u32::from(new), others));
            subtract(&mut sum, self.sum(view, u32::from(old), others));
            for b in &changes[..i] {
                add(&mut sum, self.sum(view, u32::from(new), &[u32::from(number(b.new[side]))]));
                subtract(
                    &mut sum,
                    self.sum(view, u32::from(old), &[u32::from(number(b.old[side]))]),
                );
            }
        }
        sum
    }

    /// The sums of the current ply.
    fn sums(&mut self, view: KingView) -> Sums {
        let top = self.roster.top();
        if let Some(sums) = top.sums {
            return sums;
        }
        let sums = self.by_difference(top.kings, view).unwrap_or_else(|| self.full(view));
        self.roster.set_sums(sums);
        sums
    }

    fn by_difference(&self, kings: [u8; 2], view: KingView) -> Option<Sums> {
        let (base, mut sums, changes) = self.roster.since_sums()?;
        let changes = changes.as_slice();
        if base.kings != kings || changes.len() > WORTH_A_DIFFERENCE {
            return None;
        }
        add(&mut sums, self.difference(view, changes));
        Some(sums)
    }
}

/// Mirrors pieces where the view asks for it.
#[inline]
fn mirror(view: KingView, list: &mut [u32]) {
    if view.mirrored {
        list.iter_mut().for_each(|n| *n = u32::from(MIRRORED[*n as usize]));
    }
}

impl Evaluator<Minishogi> for Kkppt {
    type Weights = KkpptTables;

    fn new(tables: Arc<KkpptTables>) -> Self {
        Self { tables, gather: Gather::new(Isa::best()), roster: Roster::new() }
    }

    fn refresh(&mut self, pos: &Position<Minishogi>) {
        self.roster.refresh(pos);
    }

    fn push(&mut self, delta: &Delta) {
        self.roster.push(delta);
    }

    fn pop(&mut self) {
        self.roster.pop();
    }

    fn evaluate(&mut self, pos: &Position<Minishogi>) -> i32 {
        let (kings, material) = (self.roster.top().kings, self.roster.top().material);
        let (board, tempo) = match Self::view(kings) {
            Some(view) => {
                let sums = self.sums(view);
                debug_assert_eq!(sums, self.full(view), "{}", pos.sfen());
                (if view.turned { sums[0].wrapping_neg() } else { sums[0] }, sums[1])
            }
            // No position of the game: material is as good as anything.
            None => (0, 0),
        };
        let board = board.wrapping_add(material * FV_SCALE);
        let own = if pos.turn() == Color::Black { board } else { board.wrapping_neg() };
        (own.wrapping_add(tempo) / FV_SCALE).clamp(-MAX_VALUE, MAX_VALUE)
    }
}

impl std::fmt::Debug for Kkppt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Kkppt(ply {})", self.roster.ply())
    }
}
