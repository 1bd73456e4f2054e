//! A position as the page sees it: the board, every legal move, whether it is over.

use crate::ending;
use crate::error::{ApiError, ErrorCode};
use crate::words;
use rules::{AnyPosition, Color, Declaration, Kind, Kings, Move};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Longest line of moves that is accepted.
pub const LONGEST: usize = 2000;

/// A position as it is asked about: a start and moves from there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
pub struct Asked {
    /// `shogi` where nothing is said.
    #[serde(default)]
    pub variant: Option<String>,
    /// The even start where nothing is said.
    #[serde(default)]
    pub sfen: Option<String>,
    /// Moves from there.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// The game of that name.
pub fn variant(name: Option<&str>) -> Result<rules::Game, ApiError> {
    name.unwrap_or("shogi").parse().map_err(|e: rules::UnknownGame| ApiError::bad(e.to_string()))
}

/// Reads a start position; `kings` says whether some may be missing.
pub fn start(game: rules::Game, sfen: Option<&str>, kings: Kings) -> Result<AnyPosition, ApiError> {
    match sfen {
        None | Some("" | "startpos") => Ok(AnyPosition::startpos(game)),
        Some(sfen) => {
            let sfen = sfen.trim().trim_start_matches("sfen ").trim();
            AnyPosition::from_sfen_with(game, sfen, kings)
                .map_err(|e| ApiError::new(ErrorCode::BadPosition, e.to_string()))
        }
    }
}

/// Plays moves given as text; says which of them cannot be played.
pub fn play(position: &mut AnyPosition, moves: &[String]) -> Result<(), ApiError> {
    if moves.len() > LONGEST {
        let message = format!("{} moves are more than {LONGEST}", moves.len());
        return Err(ApiError::new(ErrorCode::TooLarge, message));
    }
    for (number, text) in moves.iter().enumerate() {
        let m = position.parse_usi(text).map_err(|e| {
            ApiError::new(ErrorCode::IllegalMove, format!("move {}: {e}", number + 1))
        })?;
        position.play(m);
    }
    Ok(())
}

impl Asked {
    /// The position, with its history.
    pub fn resolve(&self, kings: Kings) -> Result<AnyPosition, ApiError> {
        let game = variant(self.variant.as_deref())?;
        let mut position = start(game, self.sfen.as_deref(), kings)?;
        play(&mut position, &self.moves)?;
        Ok(position)
    }
}

/// The last move played in the history of a position.
pub fn last(position: &AnyPosition) -> Option<Move> {
    position.moves_played().last().copied()
}

/// A position with every legal move.
pub fn view(position: &AnyPosition, rule: Declaration) -> Value {
    let mut value = bare(position, rule);
    let legal = position.legal_moves();
    put_moves(&mut value, position.game(), &legal);
    value
}

/// A position in which it is not the reader's turn: without moves.
pub fn closed(position: &AnyPosition, rule: Declaration) -> Value {
    let mut value = bare(position, rule);
    put_moves(&mut value, position.game(), &[]);
    value
}

fn bare(position: &AnyPosition, rule: Declaration) -> Value {
    let game = position.game();
    let turn = position.turn();
    json!({
        "variant": game.name(),
        "sfen": position.sfen(),
        "turn": words::color(turn),
        "ply": position.ply(),
        "last": last(position).map(|m| m.usi(game)),
        "check": position.in_check(),
        "king": position.king(turn).map(|sq| sq.usi(game)),
        "hands": { "black": hand(position, Color::Black), "white": hand(position, Color::White) },
        "over": ending::by_rules(position).map(|e| e.view()),
        "occurrences": position.occurrences(),
        "declaration": declaration(position, rule),
    })
}

fn hand(position: &AnyPosition, color: Color) -> Value {
    let hand = position.hand(color);
    let held = Kind::HAND.into_iter().filter(|&kind| hand.has(kind));
    let map: Map<String, Value> =
        held.map(|kind| (kind.letter().to_string(), hand.count(kind).into())).collect();
    Value::Object(map)
}

fn declaration(position: &AnyPosition, rule: Declaration) -> Option<Value> {
    let AnyPosition::Shogi(shogi) = position else { return None };
    if rule == Declaration::Try {
        return Some(json!({ "can": shogi.can_declare(rule), "entered": null, "pieces": null,
            "points": null, "needed": null }));
    }
    let count = shogi.declaration_count(position.turn(), rule)?;
    Some(json!({ "can": shogi.can_declare(rule), "entered": count.king_entered,
        "pieces": count.pieces, "points": count.points, "needed": count.needed }))
}

fn put_moves(value: &mut Value, game: rules::Game, legal: &[Move]) {
    let mut destinations: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut drops: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut promoting: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    for &m in legal {
        let to = m.to().usi(game);
        match m.dropped() {
            Some(kind) => drops.entry(kind.letter().to_string()).or_default().push(to),
            None => {
                let from = m.from().usi(game);
                let pair = promoting.entry(format!("{from}{to}")).or_default();
                let known = pair.0 || pair.1;
                if m.is_promotion() {
                    pair.0 = true;
                } else {
                    pair.1 = true;
                }
                if !known {
                    destinations.entry(from).or_default().push(to);
                }
            }
        }
    }
    let named = |wanted: (bool, bool)| -> Vec<&String> {
        promoting.iter().filter(|(_, pair)| **pair == wanted).map(|(name, _)| name).collect()
    };
    value["legal"] = legal.iter().map(|m| m.usi(game)).collect();
    value["promotions"] = json!({ "may": named((true, true)), "must": named((true, false)) });
    value["destinations"] = json!(destinations);
    value["drops"] = json!(drops);
}

/// Answers the board editor: the position if it is one, else everything that is wrong with it.
pub fn check(game: rules::Game, sfen: &str, problem: bool) -> Value {
    let kings = if problem { Kings::Any } else { Kings::Both };
    match AnyPosition::from_sfen_with(game, sfen.trim(), kings) {
        Ok(position) => json!({ "ok": true, "sfen": position.sfen(),
            "position": view(&position.without_history(), Declaration::default()) }),
        Err(error) => json!({ "ok": false, "reasons": error.reasons }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asked(game: &str, sfen: &str, moves: &[&str]) -> Asked {
        Asked {
            variant: Some(game.to_owned()),
            sfen: Some(sfen.to_owned()),
            moves: moves.iter().map(|&m| m.to_owned()).collect(),
        }
    }

    #[test]
    fn the_start_has_thirty_moves() {
        let position = Asked::default().resolve(Kings::Both).unwrap();
        let view = view(&position, Declaration::default());
        assert_eq!(view["legal"].as_array().unwrap().len(), 30);
        assert_eq!(view["destinations"]["7g"], json!(["7f"]));
        assert_eq!(
            (&view["turn"], &view["ply"], &view["king"]),
            (&json!("black"), &json!(1), &json!("5i"))
        );
        assert_eq!(
            (&view["over"], &view["last"], &view["check"]),
            (&json!(null), &json!(null), &json!(false))
        );
    }

    #[test]
    fn promotions_are_told_apart() {
        let sfen = "4k4/9/P8/9/9/9/9/9/4K4 b P 1";
        let mut position = asked("shogi", sfen, &[]).resolve(Kings::Both).unwrap();
        let told = view(&position, Declaration::default());
        assert_eq!(told["promotions"], json!({ "may": ["9c9b"], "must": [] }));
        assert_eq!(told["destinations"]["9c"], json!(["9b"]), "once, not twice");
        assert_eq!(told["hands"], json!({ "black": { "P": 1 }, "white": {} }));
        assert!(told["drops"]["P"].as_array().unwrap().len() > 40);
        position =
            asked("shogi", "4k4/P8/9/9/9/9/9/9/4K4 b - 1", &[]).resolve(Kings::Both).unwrap();
        let told = view(&position, Declaration::default());
        assert_eq!(told["promotions"], json!({ "may": [], "must": ["9b9a"] }));
    }

    #[test]
    fn what_cannot_be_is_said() {
        for (wrong, code) in [
            (asked("go", "", &[]), ErrorCode::BadRequest),
            (asked("shogi", "9/9", &[]), ErrorCode::BadPosition),
            (asked("shogi", "", &["7g7e"]), ErrorCode::IllegalMove),
            (asked("minishogi", "", &["7g7f"]), ErrorCode::IllegalMove),
            (asked("shogi", "", &["7g7f"; LONGEST + 1]), ErrorCode::TooLarge),
        ] {
            assert_eq!(wrong.resolve(Kings::Both).unwrap_err().code, code, "{wrong:?}");
        }
    }

    #[test]
    fn the_editor_hears_every_reason() {
        let told = check(rules::Game::Shogi, "9/9/9/9/4P4/4P4/9/9/9 b - 1", false);
        assert_eq!(told["ok"], false);
        assert!(told["reasons"].as_array().unwrap().len() >= 2, "{told}");
        assert_eq!(check(rules::Game::Shogi, "4k4/9/4P4/9/9/9/9/9/9 b G 1", false)["ok"], false);
        assert_eq!(check(rules::Game::Shogi, "4k4/9/4P4/9/9/9/9/9/9 b G 1", true)["ok"], true);
        assert_eq!(check(rules::Game::Minishogi, "rbsgk/4p/5/P4/KGSBR b - 1", false)["ok"], true);
    }

    #[test]
    fn declarations_are_counted() {
        let start = AnyPosition::startpos(rules::Game::Shogi);
        let told = view(&start, Declaration::Points27);
        assert_eq!(told["declaration"]["can"], false);
        assert_eq!(told["declaration"]["needed"], 28);
        assert_eq!(view(&start, Declaration::None)["declaration"], Value::Null);
        assert_eq!(view(&start, Declaration::Try)["declaration"]["can"], false);
        let mini = AnyPosition::startpos(rules::Game::Minishogi);
        assert_eq!(view(&mini, Declaration::Points27)["declaration"], Value::Null);
    }

    proptest! {
        #[test]
        fn no_text_panics(sfen in ".{0,80}", moves in prop::collection::vec(".{0,6}", 0..4)) {
            let asked = Asked { variant: None, sfen: Some(sfen.clone()), moves };
            let _ = asked.resolve(Kings::Any);
            let _ = check(rules::Game::Minishogi, &sfen, true);
        }
    }
}
