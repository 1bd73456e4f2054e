//! How games end, in words the page translates.

use crate::words;
use play::{Ending, Outcome, Reason};
use rules::{AnyPosition, Color};
use serde::Serialize;
use serde_json::Value;

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Ending"))]
pub struct EndingView {
    /// Games here: `mate`, `repetition`, `perpetual_check`, `declaration`, `move_limit`, `time`,
    /// `resign`, `engine_failed`. Records also: `interrupted`, `impasse`, `draw`, `illegal_move`,
    /// `illegal_action`, `no_mate`, `taken_back`, `error`, `default_win`, `default_loss`, `sealed`,
    /// `abandoned`, `won`, `other`.
    pub reason: String,
    /// Nobody in a draw.
    pub winner: Option<words::Color>,
    /// The illegal move, or the word of a record nobody knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Why games at the board end, and the word in messages and in the data file.
const PLAYED: [(&str, Reason); 8] = [
    ("mate", Reason::Mate),
    ("repetition", Reason::Repetition),
    ("perpetual_check", Reason::PerpetualCheck),
    ("declaration", Reason::Declaration),
    ("move_limit", Reason::MaxMoves),
    ("time", Reason::TimeUp),
    ("resign", Reason::Resign),
    ("engine_failed", Reason::Crash),
];

/// The word of a reason.
pub fn word(reason: Reason) -> &'static str {
    PLAYED.iter().find(|(_, known)| *known == reason).map_or("other", |(word, _)| *word)
}

/// The end of a game at the board from its word and its winner.
pub fn of_words(word: &str, winner: Option<Color>) -> Option<Ending> {
    let (_, reason) = *PLAYED.iter().find(|(known, _)| *known == word)?;
    let outcome = match reason {
        Reason::Crash => Outcome::Unknown,
        _ => Outcome::of(winner),
    };
    Some(Ending { outcome, reason })
}

/// The opponent's program broke down: nobody has lost.
pub const ENGINE_FAILED: Ending = Ending::unknown(Reason::Crash);

/// As the page sees it.
pub fn view(ending: Ending) -> EndingView {
    EndingView {
        reason: word(ending.reason).to_owned(),
        winner: ending.winner().map(Into::into),
        text: None,
    }
}

/// As records have it, where `turn` is to move.
pub fn recorded(ending: Ending, turn: Color) -> kifu::Termination {
    let winner = ending.winner();
    match ending.reason {
        Reason::Mate => kifu::Termination::Mate,
        Reason::Repetition => match winner {
            Some(winner) => kifu::Termination::Won(winner),
            None => kifu::Termination::Repetition,
        },
        Reason::PerpetualCheck => {
            kifu::Termination::PerpetualCheck(winner.unwrap_or(turn).opponent())
        }
        Reason::Declaration => kifu::Termination::Declaration,
        Reason::MaxMoves => kifu::Termination::MaxMoves,
        Reason::TimeUp => kifu::Termination::TimeUp,
        Reason::Resign if winner == Some(turn) => kifu::Termination::Abandoned(Some(!turn)),
        Reason::Resign => kifu::Termination::Resign,
        _ => kifu::Termination::Interrupted,
    }
}

/// The end that the rules alone have brought about: mate, or the fourth occurrence.
pub fn by_rules(position: &AnyPosition) -> Option<Ending> {
    let rules = play::GameRules { max_moves: None, ..play::GameRules::default() };
    rules.end_of(position, 0)
}

/// Endings of records without data, and their words.
const RECORDED: [(&str, kifu::Termination); 16] = [
    ("resign", kifu::Termination::Resign),
    ("interrupted", kifu::Termination::Interrupted),
    ("repetition", kifu::Termination::Repetition),
    ("impasse", kifu::Termination::Impasse),
    ("draw", kifu::Termination::Draw),
    ("time", kifu::Termination::TimeUp),
    ("declaration", kifu::Termination::Declaration),
    ("move_limit", kifu::Termination::MaxMoves),
    ("mate", kifu::Termination::Mate),
    ("no_mate", kifu::Termination::NoMate),
    ("taken_back", kifu::Termination::TakenBack),
    ("error", kifu::Termination::Error),
    ("default_win", kifu::Termination::DefaultWin),
    ("default_loss", kifu::Termination::DefaultLoss),
    ("sealed", kifu::Termination::Sealed),
    ("illegal_move", kifu::Termination::IllegalMove(None)),
];

/// The ending of a record for the page, where `turn` was to move.
pub fn of_record(ending: &kifu::Termination, turn: Color) -> EndingView {
    let winner = match ending.outcome(turn) {
        Outcome::Won(winner) => Some(winner.into()),
        _ => None,
    };
    let known = RECORDED.iter().find(|(_, known)| known == ending).map(|(word, _)| *word);
    let (word, text) = match ending {
        kifu::Termination::PerpetualCheck(_) => ("perpetual_check", None),
        kifu::Termination::IllegalMove(text) => ("illegal_move", text.clone()),
        kifu::Termination::IllegalAction(_) => ("illegal_action", None),
        kifu::Termination::Abandoned(_) => ("abandoned", None),
        kifu::Termination::Won(_) => ("won", None),
        kifu::Termination::Other(text) => ("other", Some(text.clone())),
        _ => (known.unwrap_or("other"), None),
    };
    EndingView { reason: word.to_owned(), winner, text }
}

/// The ending of a record from the page's words; `None` if nobody knows them.
pub fn to_record(value: &Value) -> Option<kifu::Termination> {
    let word = value["reason"].as_str()?;
    let winner = value["winner"].as_str().and_then(words::Color::of_word).map(Color::from);
    let text = value["text"].as_str();
    Some(match word {
        "perpetual_check" => kifu::Termination::PerpetualCheck(winner?.opponent()),
        "illegal_action" => kifu::Termination::IllegalAction(winner?.opponent()),
        "abandoned" => kifu::Termination::Abandoned(winner.map(Color::opponent)),
        "won" => kifu::Termination::Won(winner?),
        "repetition" if winner.is_some() => kifu::Termination::Won(winner?),
        "engine_failed" => kifu::Termination::Interrupted,
        "illegal_move" => kifu::Termination::IllegalMove(text.map(one_line)),
        "other" => kifu::Termination::Other(one_line(text?)),
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
    use serde_json::json;

    #[test]
    fn endings_of_records_return_as_they_went() {
        let with_data = [
            kifu::Termination::PerpetualCheck(Color::White),
            kifu::Termination::IllegalMove(Some("1a1b".to_owned())),
            kifu::Termination::IllegalAction(Color::Black),
            kifu::Termination::Abandoned(Some(Color::Black)),
            kifu::Termination::Abandoned(None),
            kifu::Termination::Won(Color::White),
            kifu::Termination::Other("?".to_owned()),
        ];
        for ending in RECORDED.iter().map(|(_, e)| e.clone()).chain(with_data) {
            let view = json!(of_record(&ending, Color::Black));
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
        assert_eq!(json!(view(ending)), json!({ "reason": "mate", "winner": "black" }));
        let mut position = AnyPosition::startpos(rules::Game::Shogi);
        for _ in 0..3 {
            for text in ["2h3h", "8b7b", "3h2h", "7b8b"] {
                assert_eq!(by_rules(&position), None);
                position.play(position.parse_usi(text).unwrap());
            }
        }
        let ending = by_rules(&position).unwrap();
        assert_eq!(ending, Ending::draw(Reason::Repetition));
    }

    #[test]
    fn words_of_the_data_file_return_as_they_went() {
        for (word, reason) in PLAYED {
            for winner in [Some(Color::White), None] {
                let ending = of_words(word, winner).unwrap();
                assert_eq!((super::word(ending.reason), ending.reason), (word, reason));
                assert_eq!(ending.winner(), winner.filter(|_| reason != Reason::Crash));
            }
        }
        assert_eq!(of_words("boredom", None), None);
    }
}
