//! The lines with `#` that end a game: why, and what it means to the one who reads it.

use std::fmt;

/// The protocol's word for why a game ended; what it means is a [`play::Reason`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReasonWord {
    /// `%TORYO`.
    Resign,
    /// Fourfold repetition.
    Sennichite,
    /// Fourfold repetition by perpetual check.
    OuteSennichite,
    /// An illegal or unreadable move, or a declaration that was wrong.
    IllegalMove,
    /// Something said while the opponent was to move, or another breach of the protocol.
    IllegalAction,
    /// The time was over.
    TimeUp,
    /// A declared win.
    Jishogi,
    /// The limit on the number of moves.
    MaxMoves,
}

impl ReasonWord {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Resign,
        Self::Sennichite,
        Self::OuteSennichite,
        Self::IllegalMove,
        Self::IllegalAction,
        Self::TimeUp,
        Self::Jishogi,
        Self::MaxMoves,
    ];

    /// The word after `#`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Resign => "RESIGN",
            Self::Sennichite => "SENNICHITE",
            Self::OuteSennichite => "OUTE_SENNICHITE",
            Self::IllegalMove => "ILLEGAL_MOVE",
            Self::IllegalAction => "ILLEGAL_ACTION",
            Self::TimeUp => "TIME_UP",
            Self::Jishogi => "JISHOGI",
            Self::MaxMoves => "MAX_MOVES",
        }
    }

    /// The protocol's reason for one of the house; what it has no word for is an illegal action.
    pub const fn of(reason: play::Reason) -> Self {
        match reason {
            play::Reason::Resign => Self::Resign,
            play::Reason::Repetition => Self::Sennichite,
            play::Reason::PerpetualCheck => Self::OuteSennichite,
            play::Reason::IllegalMove => Self::IllegalMove,
            play::Reason::TimeUp => Self::TimeUp,
            play::Reason::Declaration | play::Reason::Try => Self::Jishogi,
            play::Reason::MaxMoves => Self::MaxMoves,
            _ => Self::IllegalAction,
        }
    }

    /// The reason of the house.
    pub const fn meaning(self) -> play::Reason {
        match self {
            Self::Resign => play::Reason::Resign,
            Self::Sennichite => play::Reason::Repetition,
            Self::OuteSennichite => play::Reason::PerpetualCheck,
            Self::IllegalMove => play::Reason::IllegalMove,
            Self::IllegalAction => play::Reason::IllegalAction,
            Self::TimeUp => play::Reason::TimeUp,
            Self::Jishogi => play::Reason::Declaration,
            Self::MaxMoves => play::Reason::MaxMoves,
        }
    }

    /// The reason of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.word() == word)
    }
}

impl fmt::Display for ReasonWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.word())
    }
}

/// What the end means to the one who reads it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Verdict {
    /// Won.
    Win,
    /// Lost.
    Lose,
    /// Nobody won.
    Draw,
    /// Broken off at the limit of moves; what it counts is settled elsewhere.
    Censored,
    /// Interrupted, to be taken up again.
    Chudan,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Win, Self::Lose, Self::Draw, Self::Censored, Self::Chudan];

    /// The word after `#`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Win => "WIN",
            Self::Lose => "LOSE",
            Self::Draw => "DRAW",
            Self::Censored => "CENSORED",
            Self::Chudan => "CHUDAN",
        }
    }

    /// The verdict of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for reason in ReasonWord::ALL {
            assert_eq!(ReasonWord::from_word(reason.word()), Some(reason));
            assert_eq!(ReasonWord::of(reason.meaning()), reason);
            assert_eq!(Verdict::from_word(reason.word()), None);
        }
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::from_word(verdict.word()), Some(verdict));
            assert_eq!(ReasonWord::from_word(verdict.word()), None);
        }
        assert_eq!(ReasonWord::from_word("resign"), None);
    }
}
