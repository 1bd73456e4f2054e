//! Singular moves: a table move that is better than all others by far is read deeper.

use crate::node::{Cut, Node};
use crate::params::Params;
use crate::values::is_decided;
use crate::worker::Worker;
use eval::Evaluator;
use rules::{Move, Variant};

/// What the table knows of a node, and what is asked of it.
#[derive(Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) m: Move,
    pub(crate) number: u32,
    pub(crate) table_value: i32,
    pub(crate) beta: i32,
    pub(crate) depth: i32,
    pub(crate) cut_node: bool,
    /// Extensions that doubled along the line so far.
    pub(crate) doubles: u32,
}

/// What came of the question whether there is another move as good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Singular {
    /// There is, and it cuts like the first: the value of the node.
    Cut(i32),
    /// So many plies more for the move; so much more reduction for the others.
    Plies { extension: i32, others: i32 },
}

impl Params {
    /// Plies more for a move that is better than the others by more than asked for, `by` so much.
    #[inline]
    fn extension(&self, by: i32, pv: bool, quiet: bool, doubles: u32) -> i32 {
        if doubles > self.double_most as u32 {
            return 1;
        }
        if pv {
            return 1 + i32::from(self.double_pv > 0 && by > self.double_pv);
        }
        let by = by + self.double_quiet * i32::from(quiet);
        let triple = self.triple_margin > 0 && by > self.triple_margin;
        1 + i32::from(by > self.double_margin) + i32::from(by > self.double_margin && triple)
    }
}

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// Reads the other moves to a part of the depth.
    #[inline]
    pub(crate) fn singular<N: Node>(&mut self, ply: usize, c: Candidate) -> Singular {
        let was_pv = self.frame(ply).was_pv;
        let p = &self.params;
        let margin = p.singular_margin + p.singular_was_pv * i32::from(was_pv && !N::PV);
        let singular_beta = c.table_value - margin * c.depth / 64;
        let part = (c.depth - 1) / p.singular_fraction;
        self.frame_mut(ply).excluded = c.m;
        let value = self.search::<Cut>(ply, singular_beta - 1, singular_beta, part, c.cut_node);
        self.frame_mut(ply).excluded = Move::NONE;
        self.frame_mut(ply).move_count = c.number;
        let p = &self.params;
        let far = c.table_value - value > p.lmr_singular_margin;
        let others = if far { p.lmr_singular } else { 0 };
        if value < singular_beta {
            let quiet = self.pos.piece_at(c.m.to()).is_none();
            let extension = p.extension(singular_beta - value, N::PV, quiet, c.doubles);
            return Singular::Plies { extension, others };
        }
        if value >= c.beta && !is_decided(value) {
            // Two moves fail high: the node will too.
            return Singular::Cut(value);
        }
        let extension = if c.table_value >= c.beta {
            -p.singular_less - i32::from(!N::PV)
        } else if c.cut_node {
            -p.singular_less
        } else {
            0
        };
        Singular::Plies { extension, others }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_singular_the_deeper() {
        let mut p = Params::SHOGI;
        let by =
            |p: &Params, pv| [1, p.double_margin + 1, 500].map(|by| p.extension(by, pv, false, 0));
        assert_eq!(by(&p, false), [1, 2, 2]);
        assert_eq!(by(&p, true), [1, 1, 1]);
        (p.triple_margin, p.double_pv) = (90, 200);
        assert_eq!(by(&p, false), [1, 2, 3]);
        assert_eq!(by(&p, true), [1, 1, 2]);
        assert_eq!(p.extension(500, false, true, p.double_most as u32 + 1), 1);
        p.double_quiet = p.double_margin + 1;
        assert_eq!([false, true].map(|quiet| p.extension(0, false, quiet, 0)), [1, 2]);
        assert_eq!(p.extension(0, true, true, 0), 1);
    }
}
