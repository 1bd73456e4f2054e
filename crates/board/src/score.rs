//! Scores as the page sees them: always Black's, with the chance to win beside.

use crate::words;
use rules::Color;
use serde_json::{Value, json};
use think::{Info, Score};

/// Hundredths of a pawn at which a side wins e times as often as it loses.
const SCALE: f64 = 600.0;

/// A score from Black's point of view.
pub fn view(score: Score, turn: Color) -> Value {
    let sign = if turn == Color::Black { 1 } else { -1 };
    let mate = |winner: Color, plies: Option<u32>| {
        let side = if winner == Color::Black { 1 } else { -1 };
        json!({ "mate": plies.map(|n| i64::from(n) * side), "winner": words::color(winner) })
    };
    match score {
        Score::Cp(cp) => json!({ "cp": i64::from(cp) * sign }),
        Score::Mate(plies) => mate(turn, plies),
        Score::Mated(plies) => mate(turn.opponent(), plies),
    }
}

/// Black's chance to win, between 0 and 1.
pub fn black_wins(score: Score, turn: Color) -> f64 {
    let mover = wins(score);
    if turn == Color::Black { mover } else { 1.0 - mover }
}

/// The chance of the side to move.
pub fn wins(score: Score) -> f64 {
    match score {
        Score::Cp(cp) => 1.0 / (1.0 + (-f64::from(cp) / SCALE).exp()),
        Score::Mate(_) => 1.0,
        Score::Mated(_) => 0.0,
    }
}

/// Adds score and win rate to a message, where they are known.
pub fn put(value: &mut Value, info: &Info, turn: Color) {
    if let Some((known, _)) = info.score {
        value["score"] = view(known, turn);
        value["winrate"] = rounded(black_wins(known, turn)).into();
    }
}

/// A chance with as many digits as anybody reads.
pub fn rounded(chance: f64) -> f64 {
    (chance * 10_000.0).round() / 10_000.0
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
pub fn from_view(value: &Value) -> Option<kifu::Score> {
    if let Some(cp) = value["cp"].as_i64() {
        return Some(kifu::Score::Cp(i32::try_from(cp).ok()?));
    }
    let winner = value["winner"].as_str().and_then(words::to_color);
    match value.get("mate")? {
        Value::Null => Some(kifu::Score::Mate { winner: winner?, plies: None }),
        plies => {
            let plies = plies.as_i64()?;
            let side = if plies < 0 { Color::White } else { Color::Black };
            let plies = u32::try_from(plies.unsigned_abs()).ok()?;
            Some(kifu::Score::Mate { winner: winner.unwrap_or(side), plies: Some(plies) })
        }
    }
}

/// A score of a record for the page.
pub fn of_record(score: kifu::Score) -> (Value, f64) {
    let score = match score {
        kifu::Score::Cp(cp) => Score::Cp(cp),
        kifu::Score::Mate { winner: Color::Black, plies } => Score::Mate(plies),
        kifu::Score::Mate { winner: Color::White, plies } => Score::Mated(plies),
    };
    (view(score, Color::Black), rounded(black_wins(score, Color::Black)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_sees_it() {
        use Color::{Black, White};
        for (score, turn, want, chance) in [
            (Score::Cp(600), Black, json!({ "cp": 600 }), 0.7311),
            (Score::Cp(600), White, json!({ "cp": -600 }), 0.2689),
            (Score::Mate(Some(3)), White, json!({ "mate": -3, "winner": "white" }), 0.0),
            (Score::Mated(Some(4)), White, json!({ "mate": 4, "winner": "black" }), 1.0),
            (Score::Mated(None), Black, json!({ "mate": null, "winner": "white" }), 0.0),
        ] {
            assert_eq!(view(score, turn), want);
            assert_eq!(rounded(black_wins(score, turn)), chance);
        }
    }

    #[test]
    fn scores_return_as_they_went() {
        for score in [
            kifu::Score::Cp(-77),
            kifu::Score::Mate { winner: Color::White, plies: Some(8) },
            kifu::Score::Mate { winner: Color::Black, plies: None },
            kifu::Score::Mate { winner: Color::White, plies: Some(0) },
        ] {
            assert_eq!(from_view(&of_record(score).0), Some(score));
        }
        assert_eq!(from_view(&json!({ "mate": "x" })), None);
        assert_eq!(from_view(&json!(7)), None);
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
