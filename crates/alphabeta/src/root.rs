//! The moves of the root and how they fared.

use crate::values::{INFINITE, NONE};
use rules::Move;

/// One move of the root.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    /// Value in this iteration; minus infinite while not read.
    pub(crate) score: i32,
    /// Value in the iteration before.
    pub(crate) previous: i32,
    /// Running mean of its values, where the next window is centred.
    pub(crate) average: i32,
    /// Value shown to the user, and whether it is only a bound.
    pub(crate) shown: i32,
    pub(crate) lower: bool,
    pub(crate) upper: bool,
    pub(crate) sel_depth: usize,
    /// Nodes spent on it in this search.
    pub(crate) effort: u64,
    /// The move and what follows.
    pub(crate) pv: Vec<Move>,
}

impl RootMove {
    pub(crate) fn new(m: Move) -> Self {
        Self {
            score: -INFINITE,
            previous: -INFINITE,
            average: NONE,
            shown: -INFINITE,
            lower: false,
            upper: false,
            sel_depth: 0,
            effort: 0,
            pv: vec![m],
        }
    }

    /// The move.
    pub(crate) fn mv(&self) -> Move {
        self.pv[0]
    }
}

/// Best first; moves not read in this iteration keep the order of the last.
pub(crate) fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|m| (std::cmp::Reverse(m.score), std::cmp::Reverse(m.previous)));
}
