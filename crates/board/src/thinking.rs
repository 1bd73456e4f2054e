//! What the page is told while the engine of a game thinks, and when it asks for a hint.

use crate::notation;
use crate::position;
use crate::question::Lines;
use crate::score::{self, ScoreView};
use crate::words::millis;
use rules::{AnyPosition, Move};
use serde::Serialize;
use think::Info;

/// Moves of a line that are shown.
const SHOWN: usize = 24;

/// A line of thought about the position of a game.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ThinkingLine"))]
pub struct ThinkingView {
    pub game: String,
    pub revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winrate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    pub pv: Vec<String>,
    pub ja: Vec<String>,
    pub en: Vec<String>,
}

/// The move the engine would play.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hint {
    pub game: String,
    #[serde(rename = "move")]
    pub usi: String,
    pub ja: String,
    pub en: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winrate: Option<f64>,
}

/// A line of thought about the position of a game.
pub fn line(
    game: String,
    revision: u64,
    position: &AnyPosition,
    info: &Info,
    scale: f64,
) -> ThinkingView {
    let shown = &info.pv[..info.pv.len().min(SHOWN)];
    let line = notation::line(position, position::last(position), shown);
    let (score, winrate) = score::of_line(info, position.turn(), scale);
    ThinkingView {
        game,
        revision,
        depth: info.depth,
        score,
        winrate,
        nodes: info.nodes,
        nps: info.nps,
        ms: info.time.map(millis),
        pv: line.usi,
        ja: line.ja,
        en: line.en,
    }
}

/// The move the engine would play, with the score of its line.
pub fn hint(game: String, position: &AnyPosition, m: Move, lines: &Lines, scale: f64) -> Hint {
    let mut line = notation::line(position, position::last(position), &[m]);
    let known = lines.ranked().find(|info| info.pv.first() == Some(&m));
    let (score, winrate) =
        known.map_or((None, None), |info| score::of_line(info, position.turn(), scale));
    Hint {
        game,
        usi: m.usi(position.game()),
        ja: line.ja.pop().unwrap_or_default(),
        en: line.en.pop().unwrap_or_default(),
        score,
        winrate,
    }
}
