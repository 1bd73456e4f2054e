//! What the page sends on its socket, as typed.

use crate::notation;
use crate::position::{self, Asked};
use crate::trouble::{Code, Trouble};
use rules::{Kings, Move};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A message that names a game.
#[derive(Deserialize)]
pub(crate) struct GameAsked {
    pub(crate) game: String,
}

/// A move in a game.
#[derive(Deserialize)]
pub(crate) struct MoveAsked {
    pub(crate) game: String,
    #[serde(rename = "move")]
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) ply: Option<u32>,
}

/// An analysis to begin.
#[derive(Deserialize)]
pub(crate) struct AnalysisAsked {
    pub(crate) slot: String,
    #[serde(default)]
    pub(crate) serial: u64,
    #[serde(default)]
    pub(crate) engine: Option<String>,
    #[serde(flatten)]
    pub(crate) position: Asked,
    #[serde(default)]
    pub(crate) multipv: Option<u32>,
    #[serde(default)]
    pub(crate) threads: Option<usize>,
    #[serde(default)]
    pub(crate) seconds: Option<u64>,
}

/// A game to be judged.
#[derive(Deserialize)]
pub(crate) struct ReviewAsked {
    #[serde(default)]
    pub(crate) serial: u64,
    #[serde(default)]
    pub(crate) engine: Option<String>,
    #[serde(flatten)]
    pub(crate) position: Asked,
    #[serde(default)]
    pub(crate) effort: Option<String>,
}

/// A mate to be looked for.
#[derive(Deserialize)]
pub(crate) struct MateAsked {
    #[serde(default)]
    pub(crate) serial: u64,
    #[serde(flatten)]
    pub(crate) position: Asked,
    #[serde(default)]
    pub(crate) seconds: Option<u64>,
    #[serde(default)]
    pub(crate) shortest: bool,
}

/// A line to be written out.
#[derive(Deserialize)]
pub struct LineAsked {
    #[serde(flatten)]
    pub(crate) position: Asked,
    pub(crate) line: Vec<String>,
}

impl LineAsked {
    /// The line in both notations, up to the first move that cannot be played.
    pub fn answer(&self) -> Result<Value, Trouble> {
        let position = self.position.resolve(Kings::Any)?;
        if self.line.len() > position::LONGEST {
            return Err(Trouble::new(Code::TooLarge, "the line is too long"));
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
pub(crate) fn read<T: DeserializeOwned>(message: Value) -> Result<T, Trouble> {
    serde_json::from_value(message).map_err(|e| Trouble::bad(e.to_string()))
}
