//! A game as a teacher: where it began, what was played, what was thought of it, how it ended.

use play::{Outcome, Reason};
use rules::{AnyPosition, Color, Move};

/// Scores at least this far from zero are mates: [`MATE`] less the number of plies.
pub const MATE_BOUND: i16 = 31_000;
/// Mate on the board, for the winner.
pub const MATE: i16 = 32_000;

/// A game with the scores of its moves, to learn from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// Where it began; what came before is not kept.
    pub start: AnyPosition,
    /// The moves with what was thought of the positions they were played in.
    pub plies: Vec<Ply>,
    /// The score of the position after the last move, for its side to move.
    pub last: Option<i16>,
    pub outcome: Outcome,
    /// Why it ended; files tell fewer reasons apart (see [`crate::as_stored`]).
    pub reason: Reason,
    /// The side played by some other program, whose moves are not those of the teacher.
    pub guest: Option<Color>,
    /// How often a tree search tried each move, by ply; usually nothing.
    pub candidates: Vec<Candidate>,
}

/// A move and the position it was played in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ply {
    pub mv: Move,
    /// The score of the position before the move, for the side to move; `None` if not known.
    pub score: Option<i16>,
    /// What a trainer should know about it.
    pub flags: Flags,
}

/// What a trainer should know about a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags {
    /// The move was played at random: it says nothing about the position.
    pub random: bool,
    /// Not to be trained on.
    pub skip: bool,
}

/// A move a tree search tried.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Candidate {
    /// Index of the ply in the game; candidates are sorted by it.
    pub ply: u32,
    pub mv: Move,
    pub visits: u16,
}

impl Game {
    /// A game without moves. Only the position itself is taken, not the history in it.
    pub fn new(start: AnyPosition) -> Self {
        let start = match start {
            AnyPosition::Shogi(p) => p.without_history().into(),
            AnyPosition::Minishogi(p) => p.without_history().into(),
        };
        Self {
            start,
            plies: Vec::new(),
            last: None,
            outcome: Outcome::Unknown,
            reason: Reason::Unknown,
            guest: None,
            candidates: Vec::new(),
        }
    }

    /// Positions somebody thought about or moved in: the plies, and the last one if it has a
    /// score.
    pub fn positions(&self) -> usize {
        self.plies.len() + usize::from(self.last.is_some())
    }

    /// A number equal games share: same start, same moves, whatever was thought of them.
    pub fn fingerprint(&self) -> u64 {
        // FNV-1a of the moves from the key of the start, with a last stir. Which part of split data a
        // game is in depends on it: it never changes.
        let begun = self.start.key() ^ seed::FNV1A_START;
        let moves = self.plies.iter().map(|ply| u64::from(ply.mv.bits()));
        let mut hash = moves.fold(begun, seed::fnv1a_step);
        hash ^= hash >> 32;
        hash = hash.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        hash ^ hash >> 32
    }
}
