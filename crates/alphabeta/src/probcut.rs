//! Probcut: a capture far above beta to a shallow depth stands for the full one.

use crate::node::Cut;
use crate::picker::Picker;
use crate::table::Bound;
use crate::values::is_decided;
use crate::worker::Worker;
use eval::{Evaluator, PIECE_VALUES};
use rules::{Move, Variant};

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// Whether a capture shows, by a shallow search, that the node is above `probcut_beta`.
    /// `raw_eval` is the evaluation as the table keeps it: corrections come on top when it is read.
    pub(crate) fn probcut(
        &mut self,
        ply: usize,
        (beta, probcut_beta): (i32, i32),
        depth: i32,
        cut_node: bool,
        table_move: Move,
        raw_eval: i32,
    ) -> Option<i32> {
        let improving = i32::from(self.frame(ply).improving);
        let reduction =
            self.params.probcut_reduction + self.params.probcut_reduction_improving * improving;
        let threshold = probcut_beta - self.frame(ply).eval;
        let table_move = if table_move.is_some()
            && self.pos.piece_at(table_move.to()).is_some()
            && self.pos.see_at_least(table_move, threshold, &PIECE_VALUES)
        {
            table_move
        } else {
            Move::NONE
        };
        let hints = self.hints(ply, table_move, 0);
        let mut picker = Picker::probcut(hints, threshold);
        let buffer = self.claim();
        let mut found = None;
        while let Some(m) = self.pick(&mut picker, None, buffer, ply) {
            self.play(ply, m);
            let mut value = -self.quiesce::<Cut>(ply + 1, -probcut_beta, -probcut_beta + 1, 0);
            if value >= probcut_beta {
                value = -self.search::<Cut>(
                    ply + 1,
                    -probcut_beta,
                    -probcut_beta + 1,
                    depth - reduction,
                    !cut_node,
                );
            }
            self.undo();
            if self.is_halted() {
                break;
            }
            if value >= probcut_beta {
                let (key, was_pv) = (self.pos.key(), self.frame(ply).was_pv);
                let depth = depth - self.params.probcut_table;
                self.remember(ply, key, m, value, raw_eval, depth, Bound::Lower, was_pv);
                // A mate is one with any margin.
                let margin = if is_decided(value) { 0 } else { probcut_beta - beta };
                found = Some(value - self.params.probcut_return * margin / 100);
                break;
            }
        }
        self.release();
        found
    }
}
