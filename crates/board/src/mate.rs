//! A search for a mate, for the page.

use crate::notation;
use crate::position;
use mate::{Solution, Verdict};
use rules::AnyPosition;
use serde_json::{Value, json};
use std::time::Duration;

/// A message without a result.
pub fn told(serial: u64, state: &str) -> Value {
    json!({ "type": "mate", "serial": serial, "state": state })
}

/// The search has ended after that time.
pub fn solved(serial: u64, problem: &AnyPosition, solution: &Solution, spent: Duration) -> Value {
    let state = match solution.verdict {
        Verdict::Mate => "mate",
        Verdict::NoMate => "nomate",
        Verdict::Unknown(_) => "unknown",
    };
    let mut value = told(serial, state);
    value["nodes"] = solution.nodes.into();
    value["ms"] = (spent.as_millis() as u64).into();
    if solution.verdict == Verdict::Mate {
        let line = notation::line(problem, position::last(problem), &solution.line);
        value["plies"] = line.usi.len().into();
        value["shortest"] = solution.is_shortest.into();
        value["line"] = json!(line.usi);
        value["ja"] = json!(line.ja);
        value["en"] = json!(line.en);
    }
    value
}

/// The search failed.
pub fn failed(serial: u64, why: &str) -> Value {
    let mut value = told(serial, "failed");
    value["code"] = "engine_failed".into();
    value["message"] = why.into();
    value
}
