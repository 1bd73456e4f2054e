//! What the page sends on its socket, as typed.

use crate::error::{ApiError, ErrorCode};
use crate::notation;
use crate::position::{self, Asked};
use rules::{Kings, Move};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A message that names a game.
#[derive(Deserialize)]
pub struct GameRequest {
    pub game: String,
}

/// A move in a game.
#[derive(Deserialize)]
pub struct MoveRequest {
    pub game: String,
    #[serde(rename = "move")]
    pub text: String,
    #[serde(default)]
    pub ply: Option<u32>,
}

/// An analysis to begin.
#[derive(Deserialize)]
pub struct AnalysisRequest {
    pub slot: String,
    #[serde(default)]
    pub serial: u64,
    #[serde(default)]
    pub engine: Option<String>,
    #[serde(flatten)]
    pub position: Asked,
    #[serde(default)]
    pub multipv: Option<u32>,
    #[serde(default)]
    pub threads: Option<usize>,
    #[serde(default)]
    pub seconds: Option<u64>,
}

/// A game to be judged.
#[derive(Deserialize)]
pub struct ReviewRequest {
    #[serde(default)]
    pub serial: u64,
    #[serde(default)]
    pub engine: Option<String>,
    #[serde(flatten)]
    pub position: Asked,
    #[serde(default)]
    pub effort: Option<String>,
}

/// A mate to be looked for.
#[derive(Deserialize)]
pub struct MateRequest {
    #[serde(default)]
    pub serial: u64,
    #[serde(flatten)]
    pub position: Asked,
    #[serde(default)]
    pub seconds: Option<u64>,
    #[serde(default)]
    pub shortest: bool,
}

/// A line to be written out.
#[derive(Deserialize)]
pub struct LineRequest {
    #[serde(flatten)]
    pub position: Asked,
    pub line: Vec<String>,
}

impl LineRequest {
    /// The line in both notations, up to the first move that cannot be played.
    pub fn answer(&self) -> Result<Value, ApiError> {
        let position = self.position.resolve(Kings::Any)?;
        if self.line.len() > position::LONGEST {
            return Err(ApiError::new(ErrorCode::TooLarge, "the line is too long"));
        }
        let game = position.game();
        let moves: Vec<Move> =
            self.line.iter().map_while(|text| Move::from_usi(game, text)).collect();
        let told = notation::line(&position, position::last(&position), &moves);
        let mut at = position.without_history();
        let sfens: Vec<String> = moves[..told.usi.len()]
            .iter()
            .map(|&m| {
                at.play(m);
                at.sfen()
            })
            .collect();
        Ok(json!({ "line": told.usi, "ja": told.ja, "en": told.en, "sfens": sfens }))
    }
}

/// A message in the form its kind has.
pub fn read<T: DeserializeOwned>(message: Value) -> Result<T, ApiError> {
    serde_json::from_value(message).map_err(|e| ApiError::bad(e.to_string()))
}
