//! What an engine thought of a move.
//!
//! Always from Black's point of view, as every record format has it.

use rules::{Color, Move};

/// An engine's judgement attached to a move (or to the start position).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Evaluation {
    /// The score, where one was given.
    pub score: Option<BlackScore>,
    /// The line the engine expected after this move; every move is legal.
    pub pv: Vec<Move>,
    /// What followed the line and could not be read as moves (`%TORYO`, `+PASS`, …).
    pub tail: String,
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
}

/// A score from Black's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlackScore {
    Cp(i32),
    Mate {
        winner: Color,
        /// In how many plies, where it is known.
        plies: Option<u32>,
    },
}

impl Evaluation {
    /// Whether nothing is known at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
