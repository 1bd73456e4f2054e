//! A search for a mate, for the page.

use crate::error::ErrorCode;
use crate::notation;
use crate::position;
use crate::words::millis;
use mate::{Solution, Verdict};
use rules::AnyPosition;
use serde::Serialize;
use std::time::Duration;

/// How a search for a mate stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum MateState {
    Queued,
    Running,
    Mate,
    NoMate,
    /// Time or memory came to an end.
    Unknown,
    Stopped,
    Failed,
}

/// A search for a mate as the page sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MateAnswer"))]
pub struct MateView {
    pub serial: u64,
    pub state: MateState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ja: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub en: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A message without a result.
pub const fn in_state(serial: u64, state: MateState) -> MateView {
    MateView {
        serial,
        state,
        plies: None,
        shortest: None,
        nodes: None,
        ms: None,
        line: None,
        ja: None,
        en: None,
        code: None,
        message: None,
    }
}

/// The search has ended after that time.
pub fn solved(
    serial: u64,
    problem: &AnyPosition,
    solution: &Solution,
    spent: Duration,
) -> MateView {
    let state = match solution.verdict {
        Verdict::Mate => MateState::Mate,
        Verdict::NoMate => MateState::NoMate,
        Verdict::Unknown(_) => MateState::Unknown,
    };
    let mut view = in_state(serial, state);
    (view.nodes, view.ms) = (Some(solution.nodes), Some(millis(spent)));
    if state == MateState::Mate {
        let line = notation::line(problem, position::last(problem), &solution.line);
        view.plies = Some(line.usi.len() as u32);
        view.shortest = Some(solution.is_shortest);
        (view.line, view.ja, view.en) = (Some(line.usi), Some(line.ja), Some(line.en));
    }
    view
}

/// The search failed.
pub fn failed(serial: u64, why: String) -> MateView {
    MateView {
        code: Some(ErrorCode::EngineFailed),
        message: Some(why),
        ..in_state(serial, MateState::Failed)
    }
}
