//! A whole game judged: what every position is worth, and where a side lost its chances.

use crate::error::ApiError;
use crate::notation;
use crate::question::{Lines, Question};
use crate::score;
use crate::words;
use rules::{AnyPosition, Color, Move};
use serde_json::{Value, json};
use std::time::Duration;
use think::{Info, Score};

/// Losses of win rate from which a move is called names.
const GRADES: [(f64, &str); 3] = [(0.20, "blunder"), (0.10, "mistake"), (0.05, "inaccuracy")];

/// Moves of a line that are shown.
const SHOWN: usize = 16;

/// How much a position is worth looking at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    nodes: Option<u64>,
    time: Duration,
}

impl Effort {
    /// The effort of that name.
    pub fn of(word: Option<&str>) -> Result<Self, ApiError> {
        let ms = Duration::from_millis;
        match word.unwrap_or("normal") {
            "quick" => Ok(Self { nodes: Some(20_000), time: ms(100) }),
            "normal" => Ok(Self { nodes: Some(150_000), time: ms(500) }),
            "deep" => Ok(Self { nodes: None, time: ms(2000) }),
            other => {
                Err(ApiError::bad(format!("effort {other:?}: expected quick, normal or deep")))
            }
        }
    }
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
    pub fn new(serial: u64, effort: Effort, end: AnyPosition) -> Self {
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
            let mut question = Question::new(self.with_history(ply));
            question.nodes = self.effort.nodes;
            question.time = Some(self.effort.time);
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

    fn message(&self, state: &str, evaluations: &[Value]) -> Value {
        json!({ "type": "review", "serial": self.serial, "state": state, "done": self.done(),
            "total": self.judged.len(), "evaluations": evaluations })
    }

    /// It waits for its first search.
    pub fn queued(&self) -> Value {
        self.message("queued", &[])
    }

    /// What the page is told when it gives up.
    pub fn stopped(&self) -> Value {
        self.message("stopped", &[])
    }

    /// The engine failed.
    pub fn failed(&self, why: &str) -> Value {
        let mut value = self.message("failed", &[]);
        value["code"] = "engine_failed".into();
        value["message"] = why.into();
        value
    }

    /// What is new since the page was last told.
    pub fn view(&mut self) -> Value {
        let news = std::mem::take(&mut self.news);
        let evaluations: Vec<Value> = news
            .iter()
            .filter_map(|&ply| Some(self.evaluation(ply, self.judged[ply].as_ref()?)))
            .collect();
        let mut value = self.message(if self.ended { "done" } else { "running" }, &evaluations);
        if self.ended {
            let (mistakes, summary) = self.verdict();
            value["mistakes"] = mistakes.into();
            value["summary"] = summary;
        }
        value
    }

    fn last(&self, ply: usize) -> Option<Move> {
        ply.checked_sub(1).map(|before| self.moves[before])
    }

    fn evaluation(&self, ply: usize, judged: &Judged) -> Value {
        let turn = self.positions[ply].turn();
        let mut value = json!({ "ply": ply, "score": score::view(judged.score, turn),
            "winrate": score::rounded(score::black_wins(judged.score, turn)) });
        if let Some(best) = &judged.best {
            let shown = &best.pv[..best.pv.len().min(SHOWN)];
            let line = notation::line(&self.positions[ply], self.last(ply), shown);
            value["depth"] = json!(best.depth);
            value["nodes"] = json!(best.nodes);
            value["pv"] = json!(line.usi);
            value["ja"] = json!(line.ja);
            value["en"] = json!(line.en);
        }
        value
    }

    /// Where chances were lost, and the sum of it by colour.
    fn verdict(&self) -> (Vec<Value>, Value) {
        let mut mistakes = Vec::new();
        let mut sums = [(0u32, 0.0, [0u32; 3]); 2];
        for (before, m) in self.moves.iter().enumerate() {
            let (Some(was), Some(is)) = (&self.judged[before], &self.judged[before + 1]) else {
                continue;
            };
            let position = &self.positions[before];
            let (turn, sum) = (position.turn(), &mut sums[position.turn().index()]);
            sum.0 += 1;
            // The best move loses nothing, whatever a second look says it is worth.
            let found = was.best.as_ref().is_some_and(|best| best.pv.first() == Some(m));
            let loss =
                if found { 0.0 } else { score::wins(was.score) - (1.0 - score::wins(is.score)) };
            let loss = loss.max(0.0);
            sum.1 += loss;
            let Some(grade) = GRADES.iter().position(|(from, _)| loss >= *from) else { continue };
            sum.2[grade] += 1;
            let played = notation::line(position, self.last(before), &[*m]);
            let mut better = json!({});
            if let Some(best) = &was.best {
                let shown = &best.pv[..best.pv.len().min(SHOWN)];
                let line = notation::line(position, self.last(before), shown);
                better = json!({ "pv": line.usi, "ja": line.ja, "en": line.en });
                score::put(&mut better, best, turn);
            }
            mistakes.push(json!({
                "ply": before + 1, "side": words::color(turn), "grade": GRADES[grade].1,
                "loss": score::rounded(loss),
                "played": { "usi": played.usi.first(), "ja": played.ja.first(), "en": played.en.first() },
                "better": better,
            }));
        }
        let side = |color: Color| {
            let (moves, loss, counts) = sums[color.index()];
            let mean = if moves == 0 { 0.0 } else { loss / f64::from(moves) };
            json!({ "moves": moves, "loss": score::rounded(mean), "blunders": counts[0],
                "mistakes": counts[1], "inaccuracies": counts[2] })
        };
        (mistakes, json!({ "black": side(Color::Black), "white": side(Color::White) }))
    }
}
