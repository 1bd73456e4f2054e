//! What one ply of the line being read knows.

use crate::history::{PLACES, SQUARES};
use crate::parts::PartKeys;
use crate::values;
use rules::{Move, MoveList};

/// How far back a node looks along its line.
pub(crate) const LOOK_BACK: usize = 6;

/// One ply.
#[derive(Clone)]
pub(crate) struct Frame {
    /// The move being read here; none at a null move.
    pub(crate) current: Move,
    /// Where the moved piece went, as a place of the continuation tables.
    pub(crate) place: usize,
    /// What is told apart of the move by attacked squares.
    pub(crate) heed: usize,
    /// A move left out, while asking whether it is the only good one.
    pub(crate) excluded: Move,
    pub(crate) killers: [Move; 2],
    /// Corrected static evaluation; `values::NONE` in check.
    pub(crate) eval: i32,
    /// The evaluation rises, or is above beta already.
    pub(crate) improving: bool,
    pub(crate) in_check: bool,
    /// On a principal variation, now or when the table was written.
    pub(crate) was_pv: bool,
    /// On the line of the last iteration, all the way from the root.
    pub(crate) on_line: bool,
    pub(crate) move_count: u32,
    /// How often the children of this ply failed high.
    pub(crate) cutoffs: u32,
    /// Extensions that doubled along this line.
    pub(crate) doubles: u32,
    /// Keys of the parts of the position.
    pub(crate) parts: PartKeys,
    /// Plies by which the move being read is read less deep.
    pub(crate) reduction: i32,
    /// The best line from here.
    pub(crate) pv: Vec<Move>,
}

impl Frame {
    pub(crate) fn new() -> Self {
        Self {
            current: Move::NONE,
            place: PLACES,
            heed: 0,
            excluded: Move::NONE,
            killers: [Move::NONE; 2],
            eval: values::NONE,
            improving: false,
            in_check: false,
            on_line: false,
            was_pv: false,
            move_count: 0,
            cutoffs: 0,
            doubles: 0,
            parts: PartKeys::default(),
            reduction: 0,
            pv: Vec::new(),
        }
    }
}

/// Scores of all drops of a node, by the number of the kind and by square: used while its moves are scored,
/// so one is enough for all nodes of a thread.
pub(crate) type DropScores = [[i32; SQUARES]; 8];

/// Room for the moves of one node and their scores, reused by every node of its level.
pub(crate) struct Buffer {
    pub(crate) moves: MoveList,
    pub(crate) scores: [i32; 600],
    /// Room for sorting them.
    pub(crate) keys: [u64; 600],
}

impl Buffer {
    pub(crate) fn new() -> Self {
        Self { moves: MoveList::new(), scores: [0; 600], keys: [0; 600] }
    }

    /// Swaps two moves with their scores.
    #[inline]
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        self.moves.as_mut_slice().swap(a, b);
        self.scores.swap(a, b);
    }
}
