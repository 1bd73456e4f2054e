//! How a game ended: who won, and why.
//!
//! The one definition for the whole house. Formats and protocols have words of their own; they
//! map them to these values and never decide anything themselves.

use rules::Color;
use std::fmt;

/// Who won.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Outcome {
    /// Nobody knows: the game was not finished, or the record does not say.
    #[default]
    Unknown,
    Won(Color),
    Draw,
}

impl Outcome {
    /// Won by that colour; a draw if by nobody.
    pub const fn of(winner: Option<Color>) -> Self {
        match winner {
            Some(color) => Self::Won(color),
            None => Self::Draw,
        }
    }

    /// Who won, if anybody is known to have.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Won(color) => Some(color),
            Self::Draw | Self::Unknown => None,
        }
    }

    /// For that side: 1 won, −1 lost, 0 drawn; `None` if not known.
    pub fn for_side(self, side: Color) -> Option<i8> {
        match self {
            Self::Unknown => None,
            Self::Draw => Some(0),
            Self::Won(winner) => Some(if winner == side { 1 } else { -1 }),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "result unknown",
            Self::Won(Color::Black) => "Black wins",
            Self::Won(Color::White) => "White wins",
            Self::Draw => "draw",
        })
    }
}

/// Why a game ended, the commonest reasons first. Who won by it is [`Ending::outcome`]: the same
/// reason can mean a draw in one game and a loss in another, as repetition does in minishogi.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum Reason {
    /// Nobody wrote it down.
    #[default]
    Unknown,
    /// The loser resigned (投了).
    Resign,
    /// The loser is mated or has no legal move (詰み).
    Mate,
    /// The same position for the fourth time (千日手).
    Repetition,
    /// The same with one side giving check all the way, which loses (連続王手の千日手).
    PerpetualCheck,
    /// A win declared with the king entered (入玉宣言).
    Declaration,
    /// The limit on the number of moves (最大手数). Who is mated by the last move may have lost.
    MaxMoves,
    /// Decided from outside because the players' scores left no doubt.
    Adjudicated,
    /// The loser ran out of time (切れ負け).
    TimeUp,
    /// The loser made an illegal move, or declared a win without right (反則手).
    IllegalMove,
    /// Both kings entered and points decide nothing (持将棋).
    Impasse,
    /// Stopped, perhaps to be continued (中断).
    Interrupted,
    /// A draw by agreement, or for a reason nobody named (引き分け).
    Agreed,
    /// The king reached its goal (トライルール).
    Try,
    /// The loser broke a rule otherwise (反則行為).
    IllegalAction,
    /// A player left and did not come back.
    Abandoned,
    /// The loser's program ended, or closed its output.
    Crash,
    /// The loser's program gave no answer, long past its time.
    Stall,
    /// The loser's program sent something that is not the protocol.
    Protocol,
    /// Won or lost without playing (不戦勝, 不戦敗).
    Default,
    /// The next move was sealed (封じ手).
    Sealed,
    /// A move was taken back (待った).
    TakenBack,
    /// There is no mate (不詰), at the end of a problem's line.
    NoMate,
    /// The record breaks down here (エラー).
    Error,
    /// Some other reason, told in words by whoever keeps it.
    Other,
}

impl Reason {
    pub const ALL: [Self; 25] = [
        Self::Unknown,
        Self::Resign,
        Self::Mate,
        Self::Repetition,
        Self::PerpetualCheck,
        Self::Declaration,
        Self::MaxMoves,
        Self::Adjudicated,
        Self::TimeUp,
        Self::IllegalMove,
        Self::Impasse,
        Self::Interrupted,
        Self::Agreed,
        Self::Try,
        Self::IllegalAction,
        Self::Abandoned,
        Self::Crash,
        Self::Stall,
        Self::Protocol,
        Self::Default,
        Self::Sealed,
        Self::TakenBack,
        Self::NoMate,
        Self::Error,
        Self::Other,
    ];

    /// The name, for people.
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
            Self::IllegalMove => "illegal",
            Self::Impasse => "impasse",
            Self::Interrupted => "interrupted",
            Self::Agreed => "agreed",
            Self::Try => "try",
            Self::IllegalAction => "illegal action",
            Self::Abandoned => "abandoned",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Protocol => "protocol",
            Self::Default => "default",
            Self::Sealed => "sealed",
            Self::TakenBack => "taken back",
            Self::NoMate => "no mate",
            Self::Error => "error",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ending {
    pub outcome: Outcome,
    pub reason: Reason,
}

impl Ending {
    /// Won by that colour.
    pub const fn won(winner: Color, reason: Reason) -> Self {
        Self { outcome: Outcome::Won(winner), reason }
    }

    /// Lost by that colour.
    pub const fn lost(loser: Color, reason: Reason) -> Self {
        Self::won(loser.opponent(), reason)
    }

    /// Won by nobody.
    pub const fn draw(reason: Reason) -> Self {
        Self { outcome: Outcome::Draw, reason }
    }

    /// Ended without a result.
    pub const fn unknown(reason: Reason) -> Self {
        Self { outcome: Outcome::Unknown, reason }
    }

    /// Who won, if anybody is known to have.
    pub const fn winner(self) -> Option<Color> {
        self.outcome.winner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_reason_is_listed_once_and_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = Reason::ALL.iter().map(|r| r.name()).collect();
        assert_eq!(names.len(), Reason::ALL.len());
        assert!(Reason::ALL.is_sorted());
        // The list is complete: the last variant has the last number.
        assert_eq!(Reason::Other as usize + 1, Reason::ALL.len());
    }

    #[test]
    fn outcomes_by_side() {
        use Color::{Black, White};
        for (outcome, black, winner) in [
            (Outcome::Won(Black), Some(1), Some(Black)),
            (Outcome::Won(White), Some(-1), Some(White)),
            (Outcome::Draw, Some(0), None),
            (Outcome::Unknown, None, None),
        ] {
            assert_eq!(outcome.for_side(Black), black);
            assert_eq!(outcome.for_side(White), black.map(|n| -n));
            assert_eq!(outcome.winner(), winner);
        }
        assert_eq!(Ending::lost(Black, Reason::Mate), Ending::won(White, Reason::Mate));
        assert_eq!(Ending::default(), Ending::unknown(Reason::Unknown));
        assert_eq!(Outcome::of(None), Ending::draw(Reason::Repetition).outcome);
    }
}
