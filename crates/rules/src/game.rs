//! Which of the two games, as a run-time value.

use std::fmt;
use std::str::FromStr;

/// The game being played, for code that is not generic over [`crate::Variant`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum Game {
    #[default]
    Shogi,
    /// Minishogi (5五将棋) on 5×5.
    Minishogi,
}

impl Game {
    pub const ALL: [Self; 2] = [Self::Shogi, Self::Minishogi];

    /// The name used on the command line and for `USI_Variant`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shogi => "shogi",
            Self::Minishogi => "minishogi",
        }
    }

    /// Files (equal to ranks) of the board.
    #[inline]
    pub const fn size(self) -> usize {
        match self {
            Self::Shogi => 9,
            Self::Minishogi => 5,
        }
    }

    /// Squares of the board.
    #[inline]
    pub const fn squares(self) -> usize {
        self.size() * self.size()
    }
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A game name nobody knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownGame(pub String);

impl fmt::Display for UnknownGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown game {:?}: expected \"shogi\" or \"minishogi\"", self.0)
    }
}

impl std::error::Error for UnknownGame {}

impl FromStr for Game {
    type Err = UnknownGame;

    fn from_str(s: &str) -> Result<Self, UnknownGame> {
        match s.to_ascii_lowercase().as_str() {
            "shogi" => Ok(Self::Shogi),
            "minishogi" => Ok(Self::Minishogi),
            _ => Err(UnknownGame(s.to_owned())),
        }
    }
}
