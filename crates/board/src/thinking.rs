//! What the page is told while the engine of a game thinks, and when it asks for a hint.

use crate::notation;
use crate::position;
use crate::question::Lines;
use crate::score;
use rules::{AnyPosition, Move};
use serde_json::{Value, json};
use think::Info;

/// Moves of a line that are shown.
const SHOWN: usize = 24;

/// A line of thought about the position of a game.
pub fn told(game: &str, revision: u64, position: &AnyPosition, info: &Info) -> Value {
    let shown = &info.pv[..info.pv.len().min(SHOWN)];
    let line = notation::line(position, position::last(position), shown);
    let mut value = json!({
        "type": "thinking", "game": game, "revision": revision,
        "depth": info.depth, "nodes": info.nodes, "nps": info.nps,
        "ms": info.time.map(|t| t.as_millis() as u64),
        "pv": line.usi, "ja": line.ja, "en": line.en,
    });
    score::put(&mut value, info, position.turn());
    value
}

/// The move the engine would play, with the score of its line.
pub fn hint(game: &str, position: &AnyPosition, m: Move, lines: &Lines) -> Value {
    let line = notation::line(position, position::last(position), &[m]);
    let mut value = json!({ "type": "hint", "game": game, "move": m.usi(position.game()),
        "ja": line.ja.first(), "en": line.en.first() });
    if let Some(info) = lines.ranked().find(|info| info.pv.first() == Some(&m)) {
        score::put(&mut value, info, position.turn());
    }
    value
}
