//! Tournaments: who plays whom, and who stands where.
//!
//! | file | holds |
//! |---|---|
//! | [`standings`] | points and every tie-break of the championship |
//! | [`pairing`] | Swiss rounds, colours, rounds by rating |
//! | [`stage`] | a stage with its format, results and withdrawals |
//! | [`championship`] | how many go through which stage |

pub mod championship;
pub mod pairing;
pub mod stage;
pub mod standings;

pub use championship::Plan;
pub use stage::{Entrant, Format, Stage};
pub use standings::{Row, standings};

use rules::Color;

/// An entrant of a stage, by seed: 0 is the highest.
pub type Seed = usize;

/// Two who are to play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pair {
    /// Plays Black.
    pub black: Seed,
    /// Plays White.
    pub white: Seed,
}

impl Pair {
    /// Whether somebody is one of the two.
    pub const fn has(&self, who: Seed) -> bool {
        self.black == who || self.white == who
    }
}

/// A game of a stage that is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Game {
    /// Counted from 0.
    pub round: usize,
    pub pair: Pair,
    /// Who won; nobody in a draw.
    pub winner: Option<Color>,
}

impl Game {
    /// The opponent of somebody and what it won: 2 for a win, 1 for a draw; `None` if it did not
    /// play.
    pub fn seen_by(&self, who: Seed) -> Option<(Seed, u32)> {
        let (opponent, color) = if self.pair.black == who {
            (self.pair.white, Color::Black)
        } else if self.pair.white == who {
            (self.pair.black, Color::White)
        } else {
            return None;
        };
        Some((opponent, self.winner.map_or(1, |winner| if winner == color { 2 } else { 0 })))
    }
}
