//! The null move: if passing is good enough where a cut is expected, some move is. Shogi has no zugzwang worth the name, so
//! only the verification of deep results guards it.

use crate::node::Cut;
use crate::values::is_decided;
use crate::worker::Worker;
use eval::Evaluator;
use rules::Variant;

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// The value of the node if passing is at least as good as beta; `eval` is what it is thought to be worth.
    #[inline]
    pub(crate) fn null_move(
        &mut self,
        ply: usize,
        beta: i32,
        depth: i32,
        eval: i32,
    ) -> Option<i32> {
        let reduction = self.params.null_reduction(depth, eval - beta);
        self.play_null(ply);
        let value = -self.search::<Cut>(ply + 1, -beta, -beta + 1, depth - reduction, false);
        self.pos.undo();
        if value < beta || is_decided(value) {
            return None;
        }
        if self.null_floor > 0 || depth < self.params.null_verify {
            return Some(value);
        }
        self.null_floor =
            ply + ((depth - reduction).max(0) * self.params.null_verify_plies / 100) as usize;
        let verified = self.search::<Cut>(ply, beta - 1, beta, depth - reduction, false);
        self.null_floor = 0;
        (verified >= beta).then_some(value)
    }
}
