//! How games end, in words the page translates.

use crate::words;
use rules::{AnyPosition, Color, GameRepetition};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Why a game on this board ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No legal move.
    Mate,
    /// The fourth occurrence of a position.
    Repetition,
    /// The same, one side having given check all the time.
    PerpetualCheck,
    /// Declared by entering king.
    Declaration,
    /// The limit of moves.
    MoveLimit,
    /// Out of time.
    Time,
    /// Resigned.
    Resign,
    /// The opponent's program broke down.
    EngineFailed,
}

impl Reason {
    /// The word in messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Mate => "mate",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual_check",
            Self::Declaration => "declaration",
            Self::MoveLimit => "move_limit",
            Self::Time => "time",
            Self::Resign => "resign",
            Self::EngineFailed => "engine_failed",
        }
    }
}

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// Why.
    pub reason: Reason,
    /// Who won; nobody in a draw.
    pub winner: Option<Color>,
}

impl Ending {
    /// An end that has a winner.
    pub const fn won(reason: Reason, winner: Color) -> Self {
        Self { reason, winner: Some(winner) }
    }

    /// As the page sees it.
    pub fn view(&self) -> Value {
        json!({ "reason": self.reason.word(), "winner": self.winner.map(words::color) })
    }

    /// As records have it, where `turn` is to move.
    pub fn recorded(&self, turn: Color) -> kifu::Ending {
        match self.reason {
            Reason::Mate => kifu::Ending::Mate,
            Reason::Repetition => match self.winner {
                Some(winner) => kifu::Ending::Won(winner),
                None => kifu::Ending::Repetition,
            },
            Reason::PerpetualCheck => {
                kifu::Ending::PerpetualCheck(self.winner.unwrap_or(turn).opponent())
            }
            Reason::Declaration => kifu::Ending::Declaration,
            Reason::MoveLimit => kifu::Ending::MaxMoves,
            Reason::Time => kifu::Ending::TimeUp,
            Reason::Resign if self.winner == Some(turn) => kifu::Ending::Abandoned(Some(!turn)),
            Reason::Resign => kifu::Ending::Resign,
            Reason::EngineFailed => kifu::Ending::Interrupted,
        }
    }
}

/// The end that the rules alone have brought about: mate, or the fourth occurrence.
pub fn by_rules(position: &AnyPosition) -> Option<Ending> {
    if position.is_mated() {
        return Some(Ending::won(Reason::Mate, position.turn().opponent()));
    }
    match position.repetition()? {
        GameRepetition::Draw => Some(Ending { reason: Reason::Repetition, winner: None }),
        GameRepetition::Lost(loser) => {
            // On 5×5 any repetition is lost by Black; perpetual check is not what decides it.
            let plain = position.game() == rules::Game::Minishogi && loser == Color::Black;
            let reason = if plain { Reason::Repetition } else { Reason::PerpetualCheck };
            Some(Ending::won(reason, loser.opponent()))
        }
    }
}

/// Endings of records without data, and their words.
const RECORDED: [(&str, kifu::Ending); 16] = [
    ("resign", kifu::Ending::Resign),
    ("interrupted", kifu::Ending::Interrupted),
    ("repetition", kifu::Ending::Repetition),
    ("impasse", kifu::Ending::Impasse),
    ("draw", kifu::Ending::Draw),
    ("time", kifu::Ending::TimeUp),
    ("declaration", kifu::Ending::Declaration),
    ("move_limit", kifu::Ending::MaxMoves),
    ("mate", kifu::Ending::Mate),
    ("no_mate", kifu::Ending::NoMate),
    ("taken_back", kifu::Ending::TakenBack),
    ("error", kifu::Ending::Error),
    ("default_win", kifu::Ending::DefaultWin),
    ("default_loss", kifu::Ending::DefaultLoss),
    ("sealed", kifu::Ending::Sealed),
    ("illegal_move", kifu::Ending::IllegalMove(None)),
];

/// The ending of a record for the page, where `turn` was to move.
pub fn of_record(ending: &kifu::Ending, turn: Color) -> Value {
    let winner = match ending.outcome(turn) {
        kifu::Outcome::Won(winner) => Some(words::color(winner)),
        _ => None,
    };
    let known = RECORDED.iter().find(|(_, known)| known == ending).map(|(word, _)| *word);
    let (word, text) = match ending {
        kifu::Ending::PerpetualCheck(_) => ("perpetual_check", None),
        kifu::Ending::IllegalMove(text) => ("illegal_move", text.clone()),
        kifu::Ending::IllegalAction(_) => ("illegal_action", None),
        kifu::Ending::Abandoned(_) => ("abandoned", None),
        kifu::Ending::Won(_) => ("won", None),
        kifu::Ending::Other(text) => ("other", Some(text.clone())),
        _ => (known.unwrap_or("other"), None),
    };
    let mut value = json!({ "reason": word, "winner": winner });
    if let Some(text) = text {
        value["text"] = text.into();
    }
    value
}

/// The ending of a record from the page's words; `None` if nobody knows them.
pub fn to_record(value: &Value) -> Option<kifu::Ending> {
    let word = value["reason"].as_str()?;
    let winner = value["winner"].as_str().and_then(words::to_color);
    let text = value["text"].as_str();
    Some(match word {
        "perpetual_check" => kifu::Ending::PerpetualCheck(winner?.opponent()),
        "illegal_action" => kifu::Ending::IllegalAction(winner?.opponent()),
        "abandoned" => kifu::Ending::Abandoned(winner.map(Color::opponent)),
        "won" => kifu::Ending::Won(winner?),
        "repetition" if winner.is_some() => kifu::Ending::Won(winner?),
        "engine_failed" => kifu::Ending::Interrupted,
        "illegal_move" => kifu::Ending::IllegalMove(text.map(one_line)),
        "other" => kifu::Ending::Other(one_line(text?)),
        word => RECORDED.iter().find(|(known, _)| *known == word)?.1.clone(),
    })
}

/// A text that cannot break a line of a record.
pub fn one_line(text: &str) -> String {
    text.split(char::is_control).collect::<Vec<_>>().join(" ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_of_records_return_as_they_went() {
        let with_data = [
            kifu::Ending::PerpetualCheck(Color::White),
            kifu::Ending::IllegalMove(Some("1a1b".to_owned())),
            kifu::Ending::IllegalAction(Color::Black),
            kifu::Ending::Abandoned(Some(Color::Black)),
            kifu::Ending::Abandoned(None),
            kifu::Ending::Won(Color::White),
            kifu::Ending::Other("?".to_owned()),
        ];
        for ending in RECORDED.iter().map(|(_, e)| e.clone()).chain(with_data) {
            let view = of_record(&ending, Color::Black);
            assert_eq!(to_record(&view), Some(ending), "{view}");
        }
        assert_eq!(to_record(&json!({ "reason": "boredom" })), None);
        assert_eq!(to_record(&json!([])), None);
    }

    #[test]
    fn the_rules_end_games() {
        let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
        let position = AnyPosition::from_sfen(rules::Game::Shogi, mated).unwrap();
        let ending = by_rules(&position).unwrap();
        assert_eq!(ending.view(), json!({ "reason": "mate", "winner": "black" }));
        let mut position = AnyPosition::startpos(rules::Game::Shogi);
        for _ in 0..3 {
            for text in ["2h3h", "8b7b", "3h2h", "7b8b"] {
                assert_eq!(by_rules(&position), None);
                position.play(position.parse_usi(text).unwrap());
            }
        }
        let ending = by_rules(&position).unwrap();
        assert_eq!(ending, Ending { reason: Reason::Repetition, winner: None });
    }
}
