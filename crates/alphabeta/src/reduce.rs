//! How much less deep late moves are read first, in 1024ths of a ply.

use crate::worker::Worker;
use eval::Evaluator;
use rules::Variant;

/// What all moves of a node have in common that makes them be read deeper or less deep.
#[derive(Clone, Copy)]
pub(crate) struct Circumstances {
    pub(crate) pv: bool,
    pub(crate) was_pv: bool,
    pub(crate) cut_node: bool,
    /// The table has a move, and it is a capture.
    pub(crate) table_known: bool,
    pub(crate) table_capture: bool,
    /// What the evaluation was corrected by, without its sign.
    pub(crate) correction: i32,
    /// Taken off because of what threatens a king.
    pub(crate) alarm: i32,
}

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// By depth and number of the move. `base` is [`Worker::reduction_base`].
    #[inline]
    pub(crate) fn reduction(&self, improving: bool, depth: i32, number: u32, base: i32) -> i32 {
        let p = &self.params;
        let product = self.shared.reductions.product(depth, number);
        let mut reduction = product + base;
        if !improving {
            reduction += product * p.lmr_worsening_share / 100;
            reduction += if product > p.lmr_worsening_from { p.lmr_worsening } else { 0 };
        }
        reduction
    }

    /// What all moves of a node with this window have in common of it.
    #[inline]
    pub(crate) fn reduction_base(&self, window: i32) -> i32 {
        self.params.lmr_base - window * self.params.lmr_delta / self.root_delta.max(1)
    }

    /// What is added at such a node; `above` says that the table's value is above alpha.
    #[inline]
    pub(crate) fn reduction_at(&self, node: Circumstances, above: bool) -> i32 {
        let p = &self.params;
        let mut reduction = -node.alarm - p.lmr_correction * node.correction;
        if node.was_pv {
            reduction -= p.lmr_was_pv + p.lmr_was_pv_above * i32::from(above);
        }
        if node.cut_node {
            reduction += p.lmr_cut - p.lmr_cut_was_pv * i32::from(node.was_pv)
                + p.lmr_cut_unknown * i32::from(!node.table_known);
        }
        if node.table_capture {
            reduction += p.lmr_table_capture;
        }
        if node.pv {
            reduction -= p.lmr_pv;
        }
        reduction
    }

    /// The whole of it where no cut is expected and the line does not go through.
    #[inline]
    pub(crate) fn reduction_of_all(&self, reduction: i32, depth: i32) -> i32 {
        if self.params.lmr_all == 0 {
            return reduction;
        }
        reduction + reduction * self.params.lmr_all / (256 * depth + 260)
    }
}
