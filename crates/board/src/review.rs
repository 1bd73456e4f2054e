//! A whole game judged: what every position is worth, and where a side lost its chances.

use crate::analysis::WorkState;
use crate::error::ErrorCode;
use crate::lesson::{self, Evidence, Reason};
use crate::notation::{self, Notation};
use crate::opening::{self, OpeningView};
use crate::question::{Lines, Question};
use crate::score::{self, ScoreView};
use crate::words;
use rules::{AnyPosition, Color, Move};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use think::{Info, Score};

/// Losses of win rate from which a move is called names.
const GRADES: [(f64, Grade); 3] =
    [(0.20, Grade::Blunder), (0.10, Grade::Mistake), (0.05, Grade::Inaccuracy)];

/// Moves of a line that are shown.
const SHOWN: usize = 16;

/// How much a position is worth looking at: 0.1, 0.5 or 2 seconds at most, the first two by nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    Quick,
    #[default]
    Normal,
    Deep,
}

impl Effort {
    const fn bounds(self) -> (Option<u64>, Duration) {
        match self {
            Self::Quick => (Some(20_000), Duration::from_millis(100)),
            Self::Normal => (Some(150_000), Duration::from_millis(500)),
            Self::Deep => (None, Duration::from_secs(2)),
        }
    }
}

/// How bad a move was: a loss of win rate from 0.05, 0.10 or 0.20.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    Inaccuracy,
    Mistake,
    Blunder,
}

/// A review as the page sees it; each message has the new evaluations alone.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Review"))]
pub struct ReviewView {
    pub serial: u64,
    pub state: WorkState,
    pub done: u32,
    pub total: u32,
    pub evaluations: Vec<ReviewEvaluation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistakes: Option<Vec<Mistake>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// What the opening and the castles are called, at the end and where they have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opening: Option<OpeningView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What a position is worth.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReviewEvaluation {
    /// 0 is the start, n the position after n moves.
    pub ply: u32,
    pub score: ScoreView,
    pub winrate: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    pub pv: Vec<String>,
    pub ja: Vec<String>,
    pub en: Vec<String>,
}

/// A move that lost win rate.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Mistake {
    /// Of the move, 1 is the first.
    pub ply: u32,
    pub side: words::Color,
    pub grade: Grade,
    /// Win rate the mover lost.
    pub loss: f64,
    pub played: NotatedMove,
    pub better: BetterLine,
    /// What answers the move.
    pub refutation: BetterLine,
    pub reason: Reason,
}

/// A move in every notation.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NotatedMove {
    pub usi: String,
    pub ja: String,
    pub en: String,
}

/// What should have been played.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BetterLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<ScoreView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winrate: Option<f64>,
    pub pv: Vec<String>,
    pub ja: Vec<String>,
    pub en: Vec<String>,
}

/// The mistakes of both sides.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    pub black: SideSummary,
    pub white: SideSummary,
}

/// The mistakes of one side.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SideSummary {
    pub moves: u32,
    /// Win rate lost by a move, on average.
    pub loss: f64,
    pub inaccuracies: u32,
    pub mistakes: u32,
    pub blunders: u32,
}

/// What is known of one position.
#[derive(Clone, Debug)]
struct Judged {
    score: Score,
    best: Option<Info>,
}

/// A game being judged, from its last position to its first: the table then knows what follows.
#[derive(Clone, Debug)]
pub struct Review {
    serial: u64,
    effort: Effort,
    /// Scale of the engine's win rates.
    scale: f64,
    /// The end of the game, with its history.
    whole: AnyPosition,
    /// Every position without its history, the start first.
    positions: Vec<AnyPosition>,
    moves: Vec<Move>,
    judged: Vec<Option<Judged>>,
    /// Evaluations the page has not been told.
    news: Vec<usize>,
    ended: bool,
}

impl Review {
    /// A review of the game that led to that position; `serial` is the page's number for it.
    pub fn new(serial: u64, effort: Effort, end: AnyPosition, scale: f64) -> Self {
        let moves = end.moves_played();
        let mut at = end.clone();
        let mut positions = vec![at.without_history()];
        for _ in &moves {
            at.undo();
            positions.push(at.without_history());
        }
        positions.reverse();
        let judged = vec![None; positions.len()];
        Self {
            serial,
            effort,
            scale,
            whole: end,
            positions,
            moves,
            judged,
            news: Vec::new(),
            ended: false,
        }
    }

    /// The next position to be searched, with its ply; `None` when all are judged.
    pub fn next_question(&mut self) -> Option<(usize, Question)> {
        while let Some(ply) = self.judged.iter().rposition(Option::is_none) {
            if self.positions[ply].is_mated() {
                self.judged[ply] = Some(Judged { score: Score::Mated(Some(0)), best: None });
                self.news.push(ply);
                continue;
            }
            let mut question = Question::analysis(self.with_history(ply));
            let (nodes, time) = self.effort.bounds();
            (question.nodes, question.time) = (nodes, Some(time));
            return Some((ply, question));
        }
        self.ended = true;
        None
    }

    /// The position at that ply has been searched.
    pub fn judge(&mut self, ply: usize, lines: &Lines) {
        let best = lines.ranked().next().cloned();
        let known = best.as_ref().and_then(|b| b.score).map_or(Score::Cp(0), |(s, _)| s);
        self.judged[ply] = Some(Judged { score: known, best });
        self.news.push(ply);
    }

    fn with_history(&self, ply: usize) -> AnyPosition {
        let mut position = self.whole.clone();
        for _ in ply..self.moves.len() {
            position.undo();
        }
        position
    }

    fn done(&self) -> usize {
        self.judged.iter().flatten().count()
    }

    fn message(&self, state: WorkState) -> ReviewView {
        ReviewView {
            serial: self.serial,
            state,
            done: self.done() as u32,
            total: self.judged.len() as u32,
            evaluations: Vec::new(),
            mistakes: None,
            summary: None,
            opening: None,
            code: None,
            message: None,
        }
    }

    /// It waits for its first search.
    pub fn queued(&self) -> ReviewView {
        self.message(WorkState::Queued)
    }

    /// What the page is told when it gives up.
    pub fn stopped(&self) -> ReviewView {
        self.message(WorkState::Stopped)
    }

    /// The engine failed.
    pub fn failed(&self, why: String) -> ReviewView {
        ReviewView {
            code: Some(ErrorCode::EngineFailed),
            message: Some(why),
            ..self.message(WorkState::Failed)
        }
    }

    /// What is new since the page was last told.
    pub fn view(&mut self) -> ReviewView {
        let news = std::mem::take(&mut self.news);
        let mut view = self.message(if self.ended { WorkState::Done } else { WorkState::Running });
        view.evaluations = news
            .iter()
            .filter_map(|&ply| Some(self.evaluation(ply, self.judged[ply].as_ref()?)))
            .collect();
        if self.ended {
            let (mistakes, summary) = self.verdict();
            (view.mistakes, view.summary) = (Some(mistakes), Some(summary));
            view.opening = opening::of(&self.whole);
        }
        view
    }

    fn last(&self, ply: usize) -> Option<Move> {
        ply.checked_sub(1).map(|before| self.moves[before])
    }

    fn shown(&self, ply: usize, info: &Info) -> Notation {
        let shown = &info.pv[..info.pv.len().min(SHOWN)];
        notation::line(&self.positions[ply], self.last(ply), shown)
    }

    fn evaluation(&self, ply: usize, judged: &Judged) -> ReviewEvaluation {
        let turn = self.positions[ply].turn();
        let best = judged.best.as_ref();
        let line = best.map(|best| self.shown(ply, best)).unwrap_or_default();
        ReviewEvaluation {
            ply: ply as u32,
            score: score::view(judged.score, turn),
            winrate: score::rounded(score::black_wins(judged.score, turn, self.scale)),
            depth: best.and_then(|best| best.depth),
            nodes: best.and_then(|best| best.nodes),
            pv: line.usi,
            ja: line.ja,
            en: line.en,
        }
    }

    /// Where chances were lost, and the sum of it by colour.
    fn verdict(&self) -> (Vec<Mistake>, Summary) {
        let mut mistakes = Vec::new();
        let mut sums = [(0u32, 0.0, [0u32; 3]); 2];
        for (before, m) in self.moves.iter().enumerate() {
            let (Some(was), Some(is)) = (&self.judged[before], &self.judged[before + 1]) else {
                continue;
            };
            let turn = self.positions[before].turn();
            let sum = &mut sums[turn.index()];
            sum.0 += 1;
            // The best move loses nothing, whatever a second look says it is worth.
            let found = was.best.as_ref().is_some_and(|best| best.pv.first() == Some(m));
            let (was_rate, is_rate) =
                (score::wins(was.score, self.scale), 1.0 - score::wins(is.score, self.scale));
            let loss = if found { 0.0 } else { (was_rate - is_rate).max(0.0) };
            sum.1 += loss;
            if let Some(grade) = GRADES.iter().position(|(from, _)| loss >= *from) {
                sum.2[grade] += 1;
                mistakes.push(self.mistake(before, *m, GRADES[grade].1, loss));
            }
        }
        let side = |color: Color| {
            let (moves, loss, [blunders, mistakes, inaccuracies]) = sums[color.index()];
            let mean = if moves == 0 { 0.0 } else { loss / f64::from(moves) };
            SideSummary { moves, loss: score::rounded(mean), inaccuracies, mistakes, blunders }
        };
        (mistakes, Summary { black: side(Color::Black), white: side(Color::White) })
    }

    /// The best line at a place, as the page sees it.
    fn best_line(&self, ply: usize) -> BetterLine {
        let Some(best) = self.judged[ply].as_ref().and_then(|judged| judged.best.as_ref()) else {
            return BetterLine::default();
        };
        let line = self.shown(ply, best);
        let (score, winrate) = score::of_line(best, self.positions[ply].turn(), self.scale);
        BetterLine { score, winrate, pv: line.usi, ja: line.ja, en: line.en }
    }

    /// Why the move after a place was a mistake, and a mate it missed.
    fn reason(&self, before: usize, m: Move) -> (Reason, Option<Vec<Move>>) {
        let pv = |ply: usize| {
            let best = self.judged[ply].as_ref().and_then(|judged| judged.best.as_ref());
            best.map(|best| best.pv.as_slice()).unwrap_or_default()
        };
        let worth = |ply: usize| self.judged[ply].as_ref().map_or(Score::Cp(0), |j| j.score);
        lesson::reason(&Evidence {
            position: &self.positions[before],
            played: m,
            refutation: pv(before + 1),
            better: pv(before),
            was: worth(before),
            is: worth(before + 1),
        })
    }

    fn mistake(&self, before: usize, m: Move, grade: Grade, loss: f64) -> Mistake {
        let position = &self.positions[before];
        let mut played = notation::line(position, self.last(before), &[m]);
        let (reason, mate) = self.reason(before, m);
        let mut better = self.best_line(before);
        if let Some(mate) = mate {
            let line = notation::line(position, self.last(before), &mate);
            (better.pv, better.ja, better.en) = (line.usi, line.ja, line.en);
        }
        Mistake {
            ply: before as u32 + 1,
            side: position.turn().into(),
            grade,
            loss: score::rounded(loss),
            played: NotatedMove {
                usi: played.usi.pop().unwrap_or_default(),
                ja: played.ja.pop().unwrap_or_default(),
                en: played.en.pop().unwrap_or_default(),
            },
            better,
            refutation: self.best_line(before + 1),
            reason,
        }
    }
}
