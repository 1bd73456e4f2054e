//! The last step of a line of moves: how it ended, as records say it.
//!
//! Why games end and who wins by it is known to `play`; [`Termination::decided`] and
//! [`Termination::of`] lead there and back, for every writer of records. What is here is what
//! records add: "the side to move", the illegal move as text, words nobody knows. Formats have
//! different words. Where a format lacks one it writes the nearest it has and adds the name from
//! here as a comment (`終局：…`), so that nothing is lost on the way back.

use play::{Outcome, Reason};
use rules::Color;

/// How a game, or a variation, ended, in the words of records. "The side to move" is the side to
/// move after the last move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Termination {
    /// The side to move resigned (投了).
    Resign,
    /// The game was broken off (中断).
    Interrupted,
    /// Fourfold repetition (千日手): no winner.
    Repetition,
    /// Perpetual check: that colour gave it and loses.
    PerpetualCheck(Color),
    /// Both kings entered and points decide nothing (持将棋).
    Impasse,
    /// A draw by agreement or declaration (引き分け).
    Draw,
    /// The side to move ran out of time (切れ負け).
    TimeUp,
    /// The side to move made an illegal move and loses; the move as text where it is known.
    IllegalMove(Option<String>),
    /// That colour broke a rule otherwise and loses (反則行為).
    IllegalAction(Color),
    /// The side to move declared a win with its king entered (入玉勝ち).
    Declaration,
    /// The limit on the number of moves was reached: no winner.
    MaxMoves,
    /// The side to move is mated (詰み).
    Mate,
    /// There is no mate (不詰).
    NoMate,
    /// A move was taken back (待った).
    TakenBack,
    /// The record broke down (エラー).
    Error,
    /// The side to move won without playing (不戦勝).
    DefaultWin,
    /// The side to move lost without playing (不戦敗).
    DefaultLoss,
    /// The next move was sealed (封じ手).
    Sealed,
    /// The game stopped because a player left; that colour lost by it where this is known.
    Abandoned(Option<Color>),
    /// That colour won, no reason given.
    Won(Color),
    /// A word nobody knows, kept.
    Other(String),
}

/// Endings without data, by their Japanese name.
static NAMES: [(&str, Termination); 16] = [
    ("投了", Termination::Resign),
    ("中断", Termination::Interrupted),
    ("千日手", Termination::Repetition),
    ("持将棋", Termination::Impasse),
    ("引き分け", Termination::Draw),
    ("切れ負け", Termination::TimeUp),
    ("反則手", Termination::IllegalMove(None)),
    ("入玉勝ち", Termination::Declaration),
    ("最大手数", Termination::MaxMoves),
    ("詰み", Termination::Mate),
    ("不詰", Termination::NoMate),
    ("待った", Termination::TakenBack),
    ("エラー", Termination::Error),
    ("不戦勝", Termination::DefaultWin),
    ("不戦敗", Termination::DefaultLoss),
    ("封じ手", Termination::Sealed),
];

/// How the comment that names an ending begins.
const MARK: &str = "終局：";

impl Termination {
    /// A word nobody knows, on one line without spaces around.
    pub(crate) fn other(word: &str) -> Self {
        Self::Other(crate::headers::one_line(word))
    }

    /// An illegal move of the side to move, kept as text.
    pub(crate) fn illegal(text: &str) -> Self {
        let text = crate::headers::one_line(text);
        Self::IllegalMove((!text.is_empty()).then_some(text))
    }

    /// Why it ended.
    pub const fn reason(&self) -> Reason {
        match self {
            Self::Resign => Reason::Resign,
            Self::Interrupted => Reason::Interrupted,
            Self::Repetition => Reason::Repetition,
            Self::PerpetualCheck(_) => Reason::PerpetualCheck,
            Self::Impasse => Reason::Impasse,
            Self::Draw => Reason::Agreed,
            Self::TimeUp => Reason::TimeUp,
            Self::IllegalMove(_) => Reason::IllegalMove,
            Self::IllegalAction(_) => Reason::IllegalAction,
            Self::Declaration => Reason::Declaration,
            Self::MaxMoves => Reason::MaxMoves,
            Self::Mate => Reason::Mate,
            Self::NoMate => Reason::NoMate,
            Self::TakenBack => Reason::TakenBack,
            Self::Error => Reason::Error,
            Self::DefaultWin | Self::DefaultLoss => Reason::Default,
            Self::Sealed => Reason::Sealed,
            Self::Abandoned(_) => Reason::Abandoned,
            Self::Won(_) => Reason::Unknown,
            Self::Other(_) => Reason::Other,
        }
    }

    /// Who won, if `turn` is the side to move where the line ended.
    pub const fn outcome(&self, turn: Color) -> Outcome {
        match self {
            Self::Resign | Self::TimeUp | Self::IllegalMove(_) | Self::Mate | Self::DefaultLoss => {
                Outcome::Won(turn.opponent())
            }
            Self::Declaration | Self::DefaultWin => Outcome::Won(turn),
            Self::PerpetualCheck(loser)
            | Self::IllegalAction(loser)
            | Self::Abandoned(Some(loser)) => Outcome::Won(loser.opponent()),
            Self::Won(winner) => Outcome::Won(*winner),
            Self::Repetition | Self::Impasse | Self::Draw | Self::MaxMoves => Outcome::Draw,
            _ => Outcome::Unknown,
        }
    }

    /// Who won and why, if `turn` is the side to move where the line ended.
    pub const fn decided(&self, turn: Color) -> play::Ending {
        play::Ending { outcome: self.outcome(turn), reason: self.reason() }
    }

    /// The words for an ending, if `turn` is the side to move: those of its reason where they name
    /// the same winner, otherwise just who won. `None` if nothing can be said.
    pub fn of(ending: play::Ending, turn: Color) -> Option<Self> {
        let loser = ending.winner().map(Color::opponent);
        let told = match ending.reason {
            Reason::Resign => Some(Self::Resign),
            Reason::Mate => Some(Self::Mate),
            Reason::Repetition => Some(Self::Repetition),
            Reason::PerpetualCheck => Some(loser.map_or(Self::Repetition, Self::PerpetualCheck)),
            Reason::Declaration => Some(Self::Declaration),
            Reason::MaxMoves => Some(Self::MaxMoves),
            Reason::TimeUp => Some(Self::TimeUp),
            Reason::IllegalMove if loser == Some(turn) => Some(Self::IllegalMove(None)),
            Reason::IllegalMove | Reason::IllegalAction | Reason::Protocol => {
                loser.map(Self::IllegalAction)
            }
            Reason::Impasse => Some(Self::Impasse),
            Reason::Interrupted => Some(Self::Interrupted),
            Reason::Agreed => Some(Self::Draw),
            Reason::Abandoned => Some(Self::Abandoned(loser)),
            // A program that failed without anybody having lost only stopped the game.
            Reason::Crash | Reason::Stall => {
                Some(loser.map_or(Self::Interrupted, |loser| Self::Abandoned(Some(loser))))
            }
            Reason::Default if loser == Some(turn) => Some(Self::DefaultLoss),
            Reason::Default => Some(Self::DefaultWin),
            Reason::Sealed => Some(Self::Sealed),
            Reason::TakenBack => Some(Self::TakenBack),
            Reason::NoMate => Some(Self::NoMate),
            Reason::Error => Some(Self::Error),
            Reason::Unknown | Reason::Adjudicated | Reason::Try | Reason::Other => None,
        };
        told.filter(|told| told.outcome(turn) == ending.outcome).or(match ending.outcome {
            Outcome::Won(winner) => Some(Self::Won(winner)),
            Outcome::Draw => Some(Self::Draw),
            Outcome::Unknown => None,
        })
    }

    /// The Japanese name; [`Termination::from_name`] reads it back.
    pub fn name(&self) -> String {
        let side = |c: Color| if c == Color::Black { "先手" } else { "後手" };
        match self {
            Self::PerpetualCheck(c) => format!("{}の連続王手の千日手", side(*c)),
            Self::IllegalMove(Some(text)) => format!("反則手 {text}"),
            Self::IllegalAction(c) => format!("{}の反則行為", side(*c)),
            Self::Abandoned(None) => "接続切れ".to_owned(),
            Self::Abandoned(Some(c)) => format!("{}の接続切れ", side(*c)),
            Self::Won(c) => format!("{}の勝ち", side(*c)),
            Self::Other(word) => format!("その他 {word}"),
            plain => NAMES
                .iter()
                .find(|(_, e)| e == plain)
                .map_or_else(String::new, |(n, _)| (*n).to_owned()),
        }
    }

    /// Reads a name.
    pub fn from_name(name: &str) -> Option<Self> {
        if let Some((_, ending)) = NAMES.iter().find(|(n, _)| *n == name) {
            return Some(ending.clone());
        }
        if let Some(text) = name.strip_prefix("反則手 ") {
            return Some(Self::IllegalMove(Some(text.to_owned())));
        }
        if let Some(word) = name.strip_prefix("その他 ") {
            return Some(Self::Other(word.to_owned()));
        }
        let (color, rest) = match name.strip_prefix("先手の") {
            Some(rest) => (Some(Color::Black), rest),
            None => match name.strip_prefix("後手の") {
                Some(rest) => (Some(Color::White), rest),
                None => (None, name),
            },
        };
        Some(match (rest, color) {
            ("連続王手の千日手", Some(c)) => Self::PerpetualCheck(c),
            ("反則行為", Some(c)) => Self::IllegalAction(c),
            ("接続切れ", c) => Self::Abandoned(c),
            ("勝ち", Some(c)) => Self::Won(c),
            _ => return None,
        })
    }

    /// The comment that names this ending.
    pub(crate) fn to_comment(&self) -> String {
        format!("{MARK}{}", self.name())
    }

    /// The ending a comment names.
    pub(crate) fn from_comment(comment: &str) -> Option<Self> {
        comment.strip_prefix(MARK).and_then(Self::from_name)
    }

    /// One of each, for tests of the formats.
    #[cfg(test)]
    pub(crate) fn samples() -> Vec<Self> {
        let mut all: Vec<Self> = NAMES.iter().map(|(_, e)| e.clone()).collect();
        for c in Color::BOTH {
            all.extend([
                Self::PerpetualCheck(c),
                Self::IllegalAction(c),
                Self::Abandoned(Some(c)),
                Self::Won(c),
            ]);
        }
        all.extend([
            Self::Abandoned(None),
            Self::IllegalMove(Some("+7775FU".to_owned())),
            Self::Other("休憩".to_owned()),
            Self::Other("two words".to_owned()),
        ]);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for ending in Termination::samples() {
            assert_eq!(Termination::from_name(&ending.name()), Some(ending.clone()));
            assert_eq!(Termination::from_comment(&ending.to_comment()), Some(ending));
        }
        assert_eq!(Termination::from_name("先手の"), None);
    }

    #[test]
    fn what_was_decided_leads_back_to_the_same_words() {
        for turn in Color::BOTH {
            for ending in Termination::samples() {
                let back = Termination::of(ending.decided(turn), turn);
                let same = match &ending {
                    // Who broke the rule is known; that it was its turn is all a word could add.
                    Termination::IllegalMove(_) => Some(Termination::IllegalMove(None)),
                    Termination::Other(_) => None,
                    other => Some(other.clone()),
                };
                assert_eq!(back, same, "{turn}");
            }
        }
    }

    #[test]
    fn reasons_without_words_say_who_won() {
        use Color::{Black, White};
        let of = |ending| Termination::of(ending, Black);
        for (reason, winner) in [
            (Reason::Try, Black),
            (Reason::Adjudicated, White),
            (Reason::Repetition, White),
            (Reason::MaxMoves, Black),
            (Reason::Resign, Black),
        ] {
            let won = Some(Termination::Won(winner));
            assert_eq!(of(play::Ending::won(winner, reason)), won, "{reason}");
        }
        assert_eq!(of(play::Ending::draw(Reason::Adjudicated)), Some(Termination::Draw));
        assert_eq!(
            of(play::Ending::lost(White, Reason::Stall)),
            Some(Termination::Abandoned(Some(White)))
        );
        assert_eq!(of(play::Ending::unknown(Reason::Crash)), Some(Termination::Interrupted));
        assert_eq!(of(play::Ending::draw(Reason::PerpetualCheck)), Some(Termination::Repetition));
        assert_eq!(of(play::Ending::default()), None);
    }

    #[test]
    fn who_won() {
        use Color::{Black, White};
        for (ending, turn, want) in [
            (Termination::Resign, Black, Outcome::Won(White)),
            (Termination::Declaration, Black, Outcome::Won(Black)),
            (Termination::PerpetualCheck(Black), Black, Outcome::Won(White)),
            (Termination::PerpetualCheck(Black), White, Outcome::Won(White)),
            (Termination::IllegalAction(White), White, Outcome::Won(Black)),
            (Termination::Repetition, White, Outcome::Draw),
            (Termination::MaxMoves, White, Outcome::Draw),
            (Termination::Interrupted, White, Outcome::Unknown),
            (Termination::Abandoned(None), White, Outcome::Unknown),
        ] {
            assert_eq!(ending.outcome(turn), want, "{ending:?} {turn}");
        }
    }
}
