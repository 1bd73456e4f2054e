//! An analysis under way: its lines, whichever slice of time they come from, for the page.

use crate::ending;
use crate::notation;
use crate::position;
use crate::question::Lines;
use crate::score;
use rules::AnyPosition;
use serde_json::{Value, json};
use std::time::Duration;
use think::{Bound, Info};

/// Moves of a line that are shown.
const SHOWN: usize = 30;

/// How it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Waits for a thread.
    Queued,
    /// Searches.
    Running,
    /// Came to its end.
    Done,
    /// Was stopped.
    Stopped,
    /// The engine failed, with that message.
    Failed(String),
}

/// An analysis with everything known so far.
#[derive(Clone, Debug)]
pub struct Analysis {
    subject: Subject,
    phase: Phase,
    /// What the page sees.
    shown: Lines,
    /// What the present slice has said; it begins anew and is shown when it has caught up.
    fresh: Lines,
    /// Nodes and time of earlier slices.
    earlier: (u64, Duration),
}

/// What an analysis is about.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The page's place for it.
    pub slot: String,
    /// The page's number.
    pub serial: u64,
    /// Name of the engine.
    pub engine: String,
    /// The position with its history.
    pub position: AnyPosition,
}

impl Subject {
    /// The beginning of every message.
    fn message(&self, state: &str) -> Value {
        json!({ "type": "analysis", "slot": self.slot, "serial": self.serial, "state": state,
            "engine": self.engine, "lines": [] })
    }

    /// Nothing to analyse: the game is over here.
    pub fn over(&self) -> Option<Value> {
        let ended = ending::by_rules(&self.position).filter(|_| self.position.is_mated())?;
        let mut value = self.message("over");
        value["ending"] = ended.view();
        Some(value)
    }

    /// It waits, or was ended from here.
    pub fn told(&self, state: &str, ahead: Option<usize>) -> Value {
        let mut value = self.message(state);
        if let Some(ahead) = ahead {
            value["ahead"] = ahead.into();
        }
        value
    }
}

impl Analysis {
    /// An analysis that has not begun.
    pub fn new(subject: Subject) -> Self {
        Self {
            subject,
            phase: Phase::Queued,
            shown: Lines::default(),
            fresh: Lines::default(),
            earlier: (0, Duration::ZERO),
        }
    }

    /// It stands differently.
    pub fn set_phase(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// The engine has reported.
    pub fn hear(&mut self, info: &Info) {
        self.fresh.hear(info);
        let (new, old) = (self.fresh.latest.depth, self.shown.latest.depth);
        let ranks = self.fresh.ranked().count() >= self.shown.ranked().count();
        if self.earlier.0 == 0 || (new >= old && ranks) {
            self.shown = self.fresh.clone();
        } else {
            let (nodes, nps) = (self.fresh.latest.nodes, self.fresh.latest.nps);
            self.shown.latest.nodes = nodes;
            self.shown.latest.nps = nps;
            self.shown.latest.time = self.fresh.latest.time;
        }
    }

    /// It gave up its threads for others and waits again.
    pub fn pause(&mut self) {
        self.earlier.0 += self.fresh.latest.nodes.unwrap_or(0);
        self.earlier.1 += self.fresh.latest.time.unwrap_or_default();
        self.shown.latest.nodes = Some(0);
        self.shown.latest.time = Some(Duration::ZERO);
        self.fresh = Lines::default();
        self.phase = Phase::Queued;
    }

    /// As the page sees it.
    pub fn view(&self) -> Value {
        let subject = &self.subject;
        let state = match &self.phase {
            Phase::Queued => "queued",
            Phase::Running => "running",
            Phase::Done => "done",
            Phase::Stopped => "stopped",
            Phase::Failed(_) => "failed",
        };
        let mut value = subject.message(state);
        if let Phase::Failed(why) = &self.phase {
            value["code"] = "engine_failed".into();
            value["message"] = why.as_str().into();
        }
        let latest = &self.shown.latest;
        let time = self.earlier.1 + latest.time.unwrap_or_default();
        value["depth"] = json!(latest.depth);
        value["seldepth"] = json!(latest.seldepth);
        value["nodes"] = (self.earlier.0 + latest.nodes.unwrap_or(0)).into();
        value["nps"] = json!(latest.nps);
        value["hashfull"] = json!(latest.hashfull);
        value["ms"] = (time.as_millis() as u64).into();
        let last = position::last(&subject.position);
        let lines = self.shown.ranked().enumerate();
        value["lines"] =
            lines.map(|(i, info)| line(&subject.position, last, i + 1, info)).collect();
        value
    }
}

/// One line for the page.
pub fn line(position: &AnyPosition, last: Option<rules::Move>, rank: usize, info: &Info) -> Value {
    let shown = &info.pv[..info.pv.len().min(SHOWN)];
    let told = notation::line(position, last, shown);
    let bound = match info.score {
        Some((_, Bound::Lower)) => "lower",
        Some((_, Bound::Upper)) => "upper",
        _ => "exact",
    };
    let mut value = json!({ "rank": rank, "depth": info.depth, "bound": bound,
        "pv": told.usi, "ja": told.ja, "en": told.en });
    score::put(&mut value, info, position.turn());
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use think::Score;

    fn info(position: &AnyPosition, depth: u32, text: &str, nodes: u64) -> Info {
        Info {
            depth: Some(depth),
            multipv: Some(1),
            score: Some((Score::Cp(30), Bound::Exact)),
            nodes: Some(nodes),
            time: Some(Duration::from_millis(nodes)),
            pv: vec![position.parse_usi(text).unwrap()],
            ..Info::default()
        }
    }

    fn analysis() -> (Analysis, AnyPosition) {
        let position = AnyPosition::startpos(rules::Game::Shogi);
        let subject = Subject {
            slot: "a".to_owned(),
            serial: 4,
            engine: "nue".to_owned(),
            position: position.clone(),
        };
        (Analysis::new(subject), position)
    }

    #[test]
    fn lines_of_a_later_slice_are_shown_when_they_have_caught_up() {
        let (mut analysis, position) = analysis();
        analysis.set_phase(Phase::Running);
        analysis.hear(&info(&position, 9, "7g7f", 100));
        let told = analysis.view();
        assert_eq!(
            (&told["depth"], &told["nodes"], &told["serial"]),
            (&json!(9), &json!(100), &json!(4))
        );
        assert_eq!(told["lines"][0]["ja"], json!(["▲７六歩"]));
        analysis.pause();
        analysis.set_phase(Phase::Running);
        analysis.hear(&info(&position, 1, "2g2f", 10));
        let told = analysis.view();
        assert_eq!((&told["depth"], &told["nodes"]), (&json!(9), &json!(110)));
        assert_eq!(told["lines"][0]["pv"], json!(["7g7f"]));
        analysis.hear(&info(&position, 10, "2g2f", 50));
        let told = analysis.view();
        assert_eq!(
            (&told["depth"], &told["nodes"], &told["ms"]),
            (&json!(10), &json!(150), &json!(150))
        );
        assert_eq!(told["lines"][0]["pv"], json!(["2g2f"]));
    }

    #[test]
    fn a_failure_says_why() {
        let (mut analysis, position) = analysis();
        analysis.hear(&info(&position, 1, "7g7f", 1));
        analysis.set_phase(Phase::Failed("it died".to_owned()));
        let told = analysis.view();
        assert_eq!((&told["state"], &told["message"]), (&json!("failed"), &json!("it died")));
    }
}
