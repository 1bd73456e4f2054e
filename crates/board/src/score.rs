//! Scores as the page sees them: always Black's, with the win rate beside.

use crate::words::Color;
use play::win_rate;
use serde::{Deserialize, Deserializer, Serialize};
use think::{Info, Score};

pub use play::USUAL_SCALE;

/// A score from Black's point of view: `cp`, or `mate` with `winner`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Score"))]
pub struct ScoreView {
    /// Hundredths of a pawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cp: Option<i64>,
    /// Plies to the mate, positive where Black mates; null where the length is not known.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "null_or_plies")]
    #[cfg_attr(test, schemars(extend("x-nullable" = true)))]
    pub mate: Option<Option<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Color>,
}

/// A field that is there, be it null.
fn null_or_plies<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Option<i64>>, D::Error> {
    Option::deserialize(field).map(Some)
}

/// A score from Black's point of view.
pub fn view(score: Score, turn: rules::Color) -> ScoreView {
    let sign = |color: rules::Color| if color == rules::Color::Black { 1 } else { -1 };
    let mate = |winner: rules::Color, plies: Option<u32>| ScoreView {
        cp: None,
        mate: Some(plies.map(|n| i64::from(n) * sign(winner))),
        winner: Some(winner.into()),
    };
    match score {
        Score::Cp(cp) => {
            ScoreView { cp: Some(i64::from(cp) * sign(turn)), mate: None, winner: None }
        }
        Score::Mate(plies) => mate(turn, plies),
        Score::Mated(plies) => mate(turn.opponent(), plies),
    }
}

/// Black's win rate.
pub fn black_wins(score: Score, turn: rules::Color, scale: f64) -> f64 {
    let mover = wins(score, scale);
    if turn == rules::Color::Black { mover } else { 1.0 - mover }
}

/// The win rate of the side to move.
pub fn wins(score: Score, scale: f64) -> f64 {
    match score {
        Score::Cp(cp) => win_rate(f64::from(cp), scale),
        Score::Mate(_) => 1.0,
        Score::Mated(_) => 0.0,
    }
}

/// Score and win rate of a line, both Black's, where they are known.
pub fn of_line(info: &Info, turn: rules::Color, scale: f64) -> (Option<ScoreView>, Option<f64>) {
    let known = info.score.map(|(score, _)| score);
    (known.map(|s| view(s, turn)), known.map(|s| rounded(black_wins(s, turn, scale))))
}

/// A win rate with as many digits as anybody reads.
pub fn rounded(rate: f64) -> f64 {
    (rate * 10_000.0).round() / 10_000.0
}

/// A score in hundredths of a pawn, with mates beyond everything else, nearer ones farther.
pub fn cp(score: Score) -> i32 {
    const MATE: i32 = 100_000;
    let near = |plies: Option<u32>| plies.map_or(1000, |n| n.min(1000)) as i32;
    match score {
        Score::Cp(cp) => cp.clamp(-90_000, 90_000),
        Score::Mate(plies) => MATE - near(plies),
        Score::Mated(plies) => near(plies) - MATE,
    }
}

/// A score of the page turned back: Black's, as records have it.
pub fn from_view(view: &ScoreView) -> Option<kifu::BlackScore> {
    if let Some(cp) = view.cp {
        return Some(kifu::BlackScore::Cp(i32::try_from(cp).ok()?));
    }
    let winner = view.winner.map(rules::Color::from);
    match view.mate? {
        None => Some(kifu::BlackScore::Mate { winner: winner?, plies: None }),
        Some(plies) => {
            let side = if plies < 0 { rules::Color::White } else { rules::Color::Black };
            let plies = u32::try_from(plies.unsigned_abs()).ok()?;
            Some(kifu::BlackScore::Mate { winner: winner.unwrap_or(side), plies: Some(plies) })
        }
    }
}

/// A score of a record for the page, with the win rate.
pub fn of_record(score: kifu::BlackScore, scale: f64) -> (ScoreView, f64) {
    let score = match score {
        kifu::BlackScore::Cp(cp) => Score::Cp(cp),
        kifu::BlackScore::Mate { winner: rules::Color::Black, plies } => Score::Mate(plies),
        kifu::BlackScore::Mate { winner: rules::Color::White, plies } => Score::Mated(plies),
    };
    let black = rules::Color::Black;
    (view(score, black), rounded(black_wins(score, black, scale)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn black_sees_it() {
        use rules::Color::{Black, White};
        for (score, turn, want, rate) in [
            (Score::Cp(600), Black, json!({ "cp": 600 }), 0.7311),
            (Score::Cp(600), White, json!({ "cp": -600 }), 0.2689),
            (Score::Mate(Some(3)), White, json!({ "mate": -3, "winner": "white" }), 0.0),
            (Score::Mated(Some(4)), White, json!({ "mate": 4, "winner": "black" }), 1.0),
            (Score::Mated(None), Black, json!({ "mate": null, "winner": "white" }), 0.0),
        ] {
            assert_eq!(json!(view(score, turn)), want);
            assert_eq!(rounded(black_wins(score, turn, 600.0)), rate);
        }
        assert_eq!(rounded(black_wins(Score::Cp(1340), Black, 1340.0)), 0.7311, "by its scale");
    }

    #[test]
    fn scores_return_as_they_went() {
        for score in [
            kifu::BlackScore::Cp(-77),
            kifu::BlackScore::Mate { winner: rules::Color::White, plies: Some(8) },
            kifu::BlackScore::Mate { winner: rules::Color::Black, plies: None },
            kifu::BlackScore::Mate { winner: rules::Color::White, plies: Some(0) },
        ] {
            let sent = json!(of_record(score, USUAL_SCALE).0);
            let received: ScoreView = serde_json::from_value(sent.clone()).unwrap();
            assert_eq!(from_view(&received), Some(score), "{sent}");
        }
        for nothing in [json!({}), json!({ "mate": null }), json!({ "cp": i64::MAX })] {
            let received: ScoreView = serde_json::from_value(nothing.clone()).unwrap();
            assert_eq!(from_view(&received), None, "{nothing}");
        }
        for wrong in [json!({ "mate": "x" }), json!(7)] {
            assert!(serde_json::from_value::<ScoreView>(wrong).is_err());
        }
    }

    #[test]
    fn nearer_mates_count_more() {
        let rising = [
            Score::Mated(Some(1)),
            Score::Mated(Some(9)),
            Score::Mated(None),
            Score::Cp(i32::MIN),
            Score::Cp(0),
            Score::Cp(i32::MAX),
            Score::Mate(None),
            Score::Mate(Some(9)),
            Score::Mate(Some(1)),
        ];
        assert!(rising.windows(2).all(|pair| cp(pair[0]) < cp(pair[1])));
    }
}
