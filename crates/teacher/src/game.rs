//! A game as a teacher: where it began, what was played, what was thought of it, how it ended.

use rules::{AnyPosition, Color, Move};
use std::fmt;

/// Scores at least this far from zero are mates: [`MATE`] less the number of plies.
pub const MATE_BOUND: i16 = 31_000;
/// Mate on the board, for the winner.
pub const MATE: i16 = 32_000;

/// One game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Game {
    /// Where it began; what came before is not kept.
    pub start: AnyPosition,
    /// The moves with what was thought of the positions they were played in.
    pub plies: Vec<Ply>,
    /// The score of the position after the last move, for its side to move.
    pub last: Option<i16>,
    /// Who won.
    pub outcome: Outcome,
    /// How it ended.
    pub ending: Ending,
    /// The side played by some other program, whose moves are not those of the teacher.
    pub guest: Option<Color>,
    /// How often a tree search tried each move, by ply; usually nothing.
    pub candidates: Vec<Candidate>,
}

/// A move and the position it was played in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ply {
    /// The move; legal.
    pub mv: Move,
    /// The score of the position before the move, for the side to move; `None` if not known.
    pub score: Option<i16>,
    /// What a trainer should know about it.
    pub flags: Flags,
}

/// What a trainer should know about a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags {
    /// The move was drawn by lot: it says nothing about the position.
    pub random: bool,
    /// Not to be trained on.
    pub skip: bool,
}

/// A move a tree search tried.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Candidate {
    /// Index of the ply in the game; candidates are sorted by it.
    pub ply: u32,
    /// The move; legal there.
    pub mv: Move,
    /// How often it was tried.
    pub visits: u16,
}

/// Who won.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Outcome {
    /// Nobody knows: the game was broken off.
    #[default]
    Unknown,
    /// That colour.
    Won(Color),
    /// Nobody.
    Draw,
}

impl Outcome {
    /// For the side to move: 1 won, −1 lost, 0 drawn; `None` if not known.
    pub fn for_side(self, turn: Color) -> Option<i8> {
        match self {
            Self::Unknown => None,
            Self::Draw => Some(0),
            Self::Won(winner) => Some(if winner == turn { 1 } else { -1 }),
        }
    }

    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::Won(Color::Black) => 1,
            Self::Won(Color::White) => 2,
            Self::Draw => 3,
        }
    }

    pub(crate) const fn from_code(code: u8) -> Self {
        match code & 3 {
            0 => Self::Unknown,
            1 => Self::Won(Color::Black),
            2 => Self::Won(Color::White),
            _ => Self::Draw,
        }
    }
}

/// How a game ended. The numbers are those of the file format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
#[repr(u8)]
pub enum Ending {
    /// Nobody wrote it down.
    #[default]
    Unknown = 0,
    /// The loser resigned.
    Resign = 1,
    /// Mate, or no legal move.
    Mate = 2,
    /// Fourfold repetition.
    Repetition = 3,
    /// Perpetual check, which loses.
    PerpetualCheck = 4,
    /// A win declared with the king entered.
    Declaration = 5,
    /// The limit on the number of moves.
    MaxMoves = 6,
    /// Called off because the scores left no doubt.
    Adjudicated = 7,
    /// The loser ran out of time.
    TimeUp = 8,
    /// The loser broke a rule.
    Illegal = 9,
    /// Both kings entered, and points decide nothing.
    Impasse = 10,
    /// Broken off.
    Interrupted = 11,
    /// A draw for any other reason.
    Agreed = 12,
}

impl Ending {
    /// Every ending, by number.
    pub const ALL: [Self; 13] = [
        Self::Unknown,
        Self::Resign,
        Self::Mate,
        Self::Repetition,
        Self::PerpetualCheck,
        Self::Declaration,
        Self::MaxMoves,
        Self::Adjudicated,
        Self::TimeUp,
        Self::Illegal,
        Self::Impasse,
        Self::Interrupted,
        Self::Agreed,
    ];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Resign => "resign",
            Self::Mate => "mate",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual check",
            Self::Declaration => "declaration",
            Self::MaxMoves => "max moves",
            Self::Adjudicated => "adjudicated",
            Self::TimeUp => "time up",
            Self::Illegal => "illegal",
            Self::Impasse => "impasse",
            Self::Interrupted => "interrupted",
            Self::Agreed => "agreed",
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
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
            ending: Ending::Unknown,
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
        // FNV-1a with a last stir: a few hundred bytes a game, and stable for ever.
        let mut hash = self.start.key() ^ 0xCBF2_9CE4_8422_2325;
        for ply in &self.plies {
            hash = (hash ^ u64::from(ply.mv.bits())).wrapping_mul(0x0000_0100_0000_01B3);
        }
        hash ^= hash >> 32;
        hash = hash.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        hash ^ hash >> 32
    }
}
