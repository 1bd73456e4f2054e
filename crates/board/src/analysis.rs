//! An analysis under way: its lines, whichever slice of time they come from, for the page.

use crate::ending::{self, EndingView};
use crate::error::ErrorCode;
use crate::notation;
use crate::position;
use crate::question::Lines;
use crate::score::{self, ScoreView};
use crate::words::millis;
use rules::{AnyPosition, Move};
use serde::Serialize;
use std::time::Duration;
use think::{Bound, Info};

/// Moves of a line that are shown.
const SHOWN: usize = 30;

/// How a long search stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum WorkState {
    /// Waits for a thread.
    Queued,
    Running,
    /// Came to its end: time, a mate, the only question answered.
    Done,
    Stopped,
    /// The engine crashed or cannot be started; `code` and `message` say more.
    Failed,
    /// Nothing to analyse: `ending` says why.
    Over,
}

/// An analysis as the page sees it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Analysis"))]
pub struct AnalysisView {
    /// The page's place for it.
    pub slot: String,
    /// The page's number; what has an older number is to be dropped.
    pub serial: u64,
    pub state: WorkState,
    pub engine: String,
    /// How many wait before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seldepth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    pub lines: Vec<EngineLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<EndingView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One line of an analysis, the best has rank 1.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EngineLine {
    pub rank: u32,
    pub depth: Option<u32>,
    pub score: ScoreView,
    pub bound: BoundView,
    /// Black's, between 0 and 1.
    pub winrate: f64,
    pub pv: Vec<String>,
    pub ja: Vec<String>,
    pub en: Vec<String>,
}

/// Whether the score is at least or at most that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Bound"))]
#[serde(rename_all = "lowercase")]
pub enum BoundView {
    Exact,
    Lower,
    Upper,
}

/// An analysis with everything known so far.
#[derive(Clone, Debug)]
pub struct Analysis {
    subject: Subject,
    state: WorkState,
    /// Why it failed.
    failure: Option<String>,
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
    /// Scale of the engine's win rates.
    pub scale: f64,
}

impl Subject {
    /// A message without lines.
    pub fn in_state(&self, state: WorkState) -> AnalysisView {
        AnalysisView {
            slot: self.slot.clone(),
            serial: self.serial,
            state,
            engine: self.engine.clone(),
            ahead: None,
            depth: None,
            seldepth: None,
            nodes: None,
            nps: None,
            hashfull: None,
            ms: None,
            lines: Vec::new(),
            ending: None,
            code: None,
            message: None,
        }
    }

    /// It waits, that many before it.
    pub fn queued(&self, ahead: usize) -> AnalysisView {
        AnalysisView { ahead: Some(ahead as u32), ..self.in_state(WorkState::Queued) }
    }

    /// Nothing to analyse: the game is over here.
    pub fn over(&self) -> Option<AnalysisView> {
        let ended = ending::by_rules(&self.position).filter(|_| self.position.is_mated())?;
        Some(AnalysisView { ending: Some(ending::view(ended)), ..self.in_state(WorkState::Over) })
    }
}

impl Analysis {
    /// An analysis that has not begun.
    pub fn new(subject: Subject) -> Self {
        Self {
            subject,
            state: WorkState::Queued,
            failure: None,
            shown: Lines::default(),
            fresh: Lines::default(),
            earlier: (0, Duration::ZERO),
        }
    }

    /// It stands differently.
    pub const fn set_state(&mut self, state: WorkState) {
        self.state = state;
    }

    /// The engine failed.
    pub fn fail(&mut self, why: String) {
        self.state = WorkState::Failed;
        self.failure = Some(why);
    }

    /// The engine has reported.
    pub fn update(&mut self, info: &Info) {
        self.fresh.update(info);
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
        self.state = WorkState::Queued;
    }

    /// As the page sees it.
    pub fn view(&self) -> AnalysisView {
        let (subject, latest) = (&self.subject, &self.shown.latest);
        let last = position::last(&subject.position);
        let lines = self.shown.ranked().enumerate();
        AnalysisView {
            depth: latest.depth,
            seldepth: latest.seldepth,
            nodes: Some(self.earlier.0 + latest.nodes.unwrap_or(0)),
            nps: latest.nps,
            hashfull: latest.hashfull,
            ms: Some(millis(self.earlier.1 + latest.time.unwrap_or_default())),
            lines: lines.filter_map(|(i, info)| line(subject, last, i + 1, info)).collect(),
            code: self.failure.as_ref().map(|_| ErrorCode::EngineFailed),
            message: self.failure.clone(),
            ..subject.in_state(self.state)
        }
    }
}

/// One line for the page; a line without a score is none.
fn line(subject: &Subject, last: Option<Move>, rank: usize, info: &Info) -> Option<EngineLine> {
    let position = &subject.position;
    let shown = &info.pv[..info.pv.len().min(SHOWN)];
    let told = notation::line(position, last, shown);
    let (score, winrate) = score::of_line(info, position.turn(), subject.scale);
    Some(EngineLine {
        rank: rank as u32,
        depth: info.depth,
        score: score?,
        bound: match info.score {
            Some((_, Bound::Lower)) => BoundView::Lower,
            Some((_, Bound::Upper)) => BoundView::Upper,
            _ => BoundView::Exact,
        },
        winrate: winrate?,
        pv: told.usi,
        ja: told.ja,
        en: told.en,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
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
            scale: score::USUAL_SCALE,
        };
        (Analysis::new(subject), position)
    }

    #[test]
    fn lines_of_a_later_slice_are_shown_when_they_have_caught_up() {
        let (mut analysis, position) = analysis();
        analysis.set_state(WorkState::Running);
        analysis.update(&info(&position, 9, "7g7f", 100));
        let told = json!(analysis.view());
        assert_eq!(
            (&told["depth"], &told["nodes"], &told["serial"]),
            (&json!(9), &json!(100), &json!(4))
        );
        assert_eq!(told["lines"][0]["ja"], json!(["▲７六歩"]));
        analysis.pause();
        analysis.set_state(WorkState::Running);
        analysis.update(&info(&position, 1, "2g2f", 10));
        let told = json!(analysis.view());
        assert_eq!((&told["depth"], &told["nodes"]), (&json!(9), &json!(110)));
        assert_eq!(told["lines"][0]["pv"], json!(["7g7f"]));
        analysis.update(&info(&position, 10, "2g2f", 50));
        let told = json!(analysis.view());
        assert_eq!(
            (&told["depth"], &told["nodes"], &told["ms"]),
            (&json!(10), &json!(150), &json!(150))
        );
        assert_eq!(told["lines"][0]["pv"], json!(["2g2f"]));
    }

    #[test]
    fn a_failure_says_why() {
        let (mut analysis, position) = analysis();
        analysis.update(&info(&position, 1, "7g7f", 1));
        analysis.fail("it died".to_owned());
        let told = json!(analysis.view());
        assert_eq!((&told["state"], &told["message"]), (&json!("failed"), &json!("it died")));
    }
}
