//! A position as the page sees it: the board, every legal move, whether it is over.

use crate::ending;
use crate::ending::EndingView;
use crate::error::{ApiError, ErrorCode};
use crate::words::{Color, Variant};
use rules::{AnyPosition, Declaration, Kind, Kings, Move};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longest line of moves that is accepted.
pub const LONGEST: usize = 2000;

/// A position as it is asked about: a start and moves from there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Place"))]
pub struct PositionRequest {
    /// `shogi` where nothing is said.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<Variant>"))]
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

impl PositionRequest {
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Position"))]
pub struct PositionView {
    pub variant: Variant,
    pub sfen: String,
    pub turn: Color,
    /// Of the move to come: 1 at the start of a game.
    pub ply: u32,
    pub last: Option<String>,
    pub check: bool,
    /// Square of the king of the side to move; null in problems without it.
    pub king: Option<String>,
    /// Every legal move.
    pub legal: Vec<String>,
    /// The same by origin.
    pub destinations: BTreeMap<String, Vec<String>>,
    /// The same by piece in hand.
    pub drops: BTreeMap<String, Vec<String>>,
    pub promotions: Promotions,
    pub hands: Hands,
    /// How the game has ended by the rules alone.
    pub over: Option<EndingView>,
    /// How often the position has stood on the board.
    pub occurrences: u32,
    /// Null where the game or rule has none.
    pub declaration: Option<DeclarationView>,
}

/// Moves that may or must promote, without their `+`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Promotions {
    /// The player chooses.
    pub may: Vec<String>,
    /// Only the move with `+` is legal.
    pub must: Vec<String>,
}

/// Pieces in hand, by USI letter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hands {
    pub black: BTreeMap<String, u32>,
    pub white: BTreeMap<String, u32>,
}

/// How near the side to move is to declaring a win; counts are null under the try rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Declaration"))]
pub struct DeclarationView {
    pub can: bool,
    pub entered: Option<bool>,
    pub pieces: Option<u32>,
    pub points: Option<u32>,
    pub needed: Option<u32>,
}

/// A position with every legal move.
pub fn view(position: &AnyPosition, rule: Declaration) -> PositionView {
    with_moves(position, rule, &position.legal_moves())
}

/// A position in which it is not the reader's turn: without moves.
pub fn closed(position: &AnyPosition, rule: Declaration) -> PositionView {
    with_moves(position, rule, &[])
}

fn with_moves(position: &AnyPosition, rule: Declaration, legal: &[Move]) -> PositionView {
    let game = position.game();
    let turn = position.turn();
    let (destinations, promotions) = destinations(game, legal);
    let mut drops: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for m in legal {
        if let Some(kind) = m.dropped() {
            drops.entry(kind.letter().to_string()).or_default().push(m.to().usi(game));
        }
    }
    PositionView {
        variant: game.into(),
        sfen: position.sfen(),
        turn: turn.into(),
        ply: position.ply(),
        last: last(position).map(|m| m.usi(game)),
        check: position.in_check(),
        king: position.king(turn).map(|sq| sq.usi(game)),
        legal: legal.iter().map(|m| m.usi(game)).collect(),
        destinations,
        drops,
        promotions,
        hands: Hands {
            black: hand(position, rules::Color::Black),
            white: hand(position, rules::Color::White),
        },
        over: ending::by_rules(position).map(ending::view),
        occurrences: position.occurrences() as u32,
        declaration: declaration(position, rule),
    }
}

fn hand(position: &AnyPosition, color: rules::Color) -> BTreeMap<String, u32> {
    let hand = position.hand(color);
    let held = Kind::HAND.into_iter().filter(|&kind| hand.has(kind));
    held.map(|kind| (kind.letter().to_string(), hand.count(kind) as u32)).collect()
}

fn declaration(position: &AnyPosition, rule: Declaration) -> Option<DeclarationView> {
    let AnyPosition::Shogi(shogi) = position else { return None };
    let can = shogi.can_declare(rule);
    if rule == Declaration::Try {
        let (entered, pieces, points, needed) = (None, None, None, None);
        return Some(DeclarationView { can, entered, pieces, points, needed });
    }
    let count = shogi.declaration_count(position.turn(), rule)?;
    Some(DeclarationView {
        can,
        entered: Some(count.king_entered),
        pieces: Some(count.pieces),
        points: Some(count.points),
        needed: Some(count.needed),
    })
}

/// Moves on the board by their origin, and which of them may or must promote.
fn destinations(game: rules::Game, legal: &[Move]) -> (BTreeMap<String, Vec<String>>, Promotions) {
    let mut destinations: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut promoting: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    for &m in legal.iter().filter(|m| m.dropped().is_none()) {
        let (from, to) = (m.from().usi(game), m.to().usi(game));
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
    let named = |wanted: (bool, bool)| -> Vec<String> {
        let of = promoting.iter().filter(|(_, pair)| **pair == wanted);
        of.map(|(name, _)| name.clone()).collect()
    };
    let promotions = Promotions { may: named((true, true)), must: named((true, false)) };
    (destinations, promotions)
}

/// The board editor's question.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckRequest {
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<Variant>"))]
    pub variant: Option<String>,
    pub sfen: String,
    /// `mate` allows kings to be missing.
    #[serde(default)]
    pub purpose: Purpose,
}

impl CheckRequest {
    /// Answers the board editor.
    pub fn answer(&self) -> Result<CheckAnswer, ApiError> {
        Ok(check(variant(self.variant.as_deref())?, &self.sfen, self.purpose))
    }
}

/// What a position is set up for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    #[default]
    Game,
    Mate,
}

/// The position if it is one, else everything that is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckAnswer {
    pub ok: bool,
    /// Normalised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sfen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<PositionView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Vec<String>>,
}

/// Answers the board editor.
pub fn check(game: rules::Game, sfen: &str, purpose: Purpose) -> CheckAnswer {
    let kings = if purpose == Purpose::Mate { Kings::Any } else { Kings::Both };
    match AnyPosition::from_sfen_with(game, sfen.trim(), kings) {
        Ok(position) => CheckAnswer {
            ok: true,
            sfen: Some(position.sfen()),
            position: Some(view(&position.without_history(), Declaration::default())),
            reasons: None,
        },
        Err(error) => {
            CheckAnswer { ok: false, sfen: None, position: None, reasons: Some(error.reasons) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn view(position: &AnyPosition, rule: Declaration) -> Value {
        json!(super::view(position, rule))
    }

    fn check(game: rules::Game, sfen: &str, problem: bool) -> Value {
        let purpose = if problem { Purpose::Mate } else { Purpose::Game };
        json!(super::check(game, sfen, purpose))
    }

    fn asked(game: &str, sfen: &str, moves: &[&str]) -> PositionRequest {
        PositionRequest {
            variant: Some(game.to_owned()),
            sfen: Some(sfen.to_owned()),
            moves: moves.iter().map(|&m| m.to_owned()).collect(),
        }
    }

    #[test]
    fn the_start_has_thirty_moves() {
        let position = PositionRequest::default().resolve(Kings::Both).unwrap();
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
            let asked = PositionRequest { variant: None, sfen: Some(sfen.clone()), moves };
            let _ = asked.resolve(Kings::Any);
            let _ = check(rules::Game::Minishogi, &sfen, true);
        }
    }
}
