//! How games end, in words the page translates.

use crate::words;
use kifu::Termination;
use play::{Ending, Outcome, Reason};
use rules::{AnyPosition, Color};
use serde::{Deserialize, Serialize};

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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

/// The word of a reason, in messages and in the data file. A walkover has two: who won by it is
/// said by the word.
const WORDS: [(&str, Reason); 20] = [
    ("mate", Reason::Mate),
    ("repetition", Reason::Repetition),
    ("perpetual_check", Reason::PerpetualCheck),
    ("declaration", Reason::Declaration),
    ("move_limit", Reason::MaxMoves),
    ("time", Reason::TimeUp),
    ("resign", Reason::Resign),
    ("engine_failed", Reason::Crash),
    ("interrupted", Reason::Interrupted),
    ("impasse", Reason::Impasse),
    ("draw", Reason::Agreed),
    ("illegal_move", Reason::IllegalMove),
    ("illegal_action", Reason::IllegalAction),
    ("no_mate", Reason::NoMate),
    ("taken_back", Reason::TakenBack),
    ("error", Reason::Error),
    ("sealed", Reason::Sealed),
    ("abandoned", Reason::Abandoned),
    ("won", Reason::Unknown),
    ("other", Reason::Other),
];

/// The word of a reason.
pub fn word(reason: Reason) -> &'static str {
    WORDS.iter().find(|(_, known)| *known == reason).map_or("other", |(word, _)| *word)
}

/// The end of a game at the board from its word and its winner.
pub fn of_words(word: &str, winner: Option<Color>) -> Option<Ending> {
    let (_, reason) = *WORDS.iter().find(|(known, _)| *known == word)?;
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
pub fn recorded(ending: Ending, turn: Color) -> Termination {
    Termination::of(ending, turn).unwrap_or(Termination::Interrupted)
}

/// The end that the rules alone have brought about: mate, or the fourth occurrence.
pub fn by_rules(position: &AnyPosition) -> Option<Ending> {
    let rules = play::GameRules { max_moves: None, ..play::GameRules::default() };
    rules.end_of(position, 0)
}

/// Terminations that are all said by their word.
const PLAIN: [Termination; 16] = [
    Termination::Resign,
    Termination::Interrupted,
    Termination::Repetition,
    Termination::Impasse,
    Termination::Draw,
    Termination::TimeUp,
    Termination::Declaration,
    Termination::MaxMoves,
    Termination::Mate,
    Termination::NoMate,
    Termination::TakenBack,
    Termination::Error,
    Termination::DefaultWin,
    Termination::DefaultLoss,
    Termination::Sealed,
    Termination::IllegalMove(None),
];

fn word_of_record(termination: &Termination) -> &'static str {
    match termination {
        Termination::DefaultWin => "default_win",
        Termination::DefaultLoss => "default_loss",
        other => word(other.reason()),
    }
}

/// The ending of a record for the page, where `turn` was to move.
pub fn of_record(termination: &Termination, turn: Color) -> EndingView {
    let text = match termination {
        Termination::IllegalMove(text) => text.clone(),
        Termination::Other(text) => Some(text.clone()),
        _ => None,
    };
    EndingView {
        reason: word_of_record(termination).to_owned(),
        winner: termination.outcome(turn).winner().map(Into::into),
        text,
    }
}

/// The ending of a record from the page's words; `None` if nobody knows them.
pub fn to_record(view: &EndingView) -> Option<Termination> {
    let winner = view.winner.map(Color::from);
    let text = view.text.as_deref();
    Some(match view.reason.as_str() {
        "perpetual_check" => Termination::PerpetualCheck(winner?.opponent()),
        "illegal_action" => Termination::IllegalAction(winner?.opponent()),
        "abandoned" => Termination::Abandoned(winner.map(Color::opponent)),
        "won" => Termination::Won(winner?),
        "repetition" if winner.is_some() => Termination::Won(winner?),
        "engine_failed" => Termination::Interrupted,
        "illegal_move" => Termination::IllegalMove(text.map(one_line)),
        "other" => Termination::Other(one_line(text?)),
        word => PLAIN.into_iter().find(|plain| word_of_record(plain) == word)?,
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
            Termination::PerpetualCheck(Color::White),
            Termination::IllegalMove(Some("1a1b".to_owned())),
            Termination::IllegalAction(Color::Black),
            Termination::Abandoned(Some(Color::Black)),
            Termination::Abandoned(None),
            Termination::Won(Color::White),
            Termination::Other("?".to_owned()),
        ];
        for ending in PLAIN.into_iter().chain(with_data) {
            let sent = json!(of_record(&ending, Color::Black));
            let received: EndingView = serde_json::from_value(sent.clone()).unwrap();
            assert_eq!(to_record(&received), Some(ending), "{sent}");
        }
        let unknown = serde_json::from_value(json!({ "reason": "boredom" })).unwrap();
        assert_eq!(to_record(&unknown), None);
        for wrong in [json!([]), json!({}), json!({ "reason": "resign", "winner": "green" })] {
            assert!(serde_json::from_value::<EndingView>(wrong).is_err());
        }
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
        for (word, reason) in WORDS {
            for winner in [Some(Color::White), None] {
                let ending = of_words(word, winner).unwrap();
                assert_eq!((super::word(ending.reason), ending.reason), (word, reason));
                assert_eq!(ending.winner(), winner.filter(|_| reason != Reason::Crash));
            }
        }
        assert_eq!(of_words("boredom", None), None);
    }
}
