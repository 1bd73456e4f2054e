//! The two players.

use std::fmt;
use std::ops::Not;

/// A player. Black (sente, 先手) moves up the board and moves first in an even game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Color {
    /// Sente, 先手; in handicap games the receiver (shitate, 下手).
    Black = 0,
    /// Gote, 後手; in handicap games the giver (uwate, 上手), who moves first.
    White = 1,
}

impl Color {
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// 0 for Black, 1 for White.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other player.
    #[inline]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// The letter of SFEN: `b` or `w`.
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'b',
            Self::White => 'w',
        }
    }
}

impl Not for Color {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        self.opponent()
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Black => "Black",
            Self::White => "White",
        })
    }
}
