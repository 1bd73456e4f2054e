//! A whole game judged: what every position is worth, and where a side lost its chances.

use crate::mailbox::Outlet;
use crate::notation;
use crate::pool::{Class, Lines, Listener, Order, Outcome, Pool, Question, Task, Ticket};
use crate::room::put_score;
use crate::score;
use crate::trouble::Trouble;
use crate::words;
use rules::{AnyPosition, Color, Move};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use think::{Info, Score};

/// Losses of chance from which a move is called names.
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
    pub fn of(word: Option<&str>) -> Result<Self, Trouble> {
        let ms = Duration::from_millis;
        match word.unwrap_or("normal") {
            "quick" => Ok(Self { nodes: Some(20_000), time: ms(100) }),
            "normal" => Ok(Self { nodes: Some(150_000), time: ms(500) }),
            "deep" => Ok(Self { nodes: None, time: ms(2000) }),
            other => Err(Trouble::bad(format!("effort {other:?}: expected quick, normal or deep"))),
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
pub struct Review {
    serial: u64,
    engine: Option<String>,
    visitor: String,
    effort: Effort,
    /// The end of the game, with its history.
    whole: AnyPosition,
    /// Every position without its history, the start first.
    positions: Vec<AnyPosition>,
    moves: Vec<Move>,
    state: Mutex<State>,
    outlet: Outlet,
    pool: Pool,
    myself: Weak<Self>,
}

#[derive(Default)]
struct State {
    judged: Vec<Option<Judged>>,
    /// Evaluations the page has not been told.
    news: Vec<usize>,
    ticket: Option<Ticket>,
    ended: bool,
}

/// What is asked.
pub struct Wanted {
    /// The page's number.
    pub serial: u64,
    /// The engine; `None` for our own.
    pub engine: Option<String>,
    /// Who asks.
    pub visitor: String,
    /// How thoroughly.
    pub effort: Effort,
    /// The end of the game, with its history.
    pub position: AnyPosition,
}

impl Review {
    /// Begins; the stream is told of progress. Dropped, it is given up.
    pub fn start(wanted: Wanted, outlet: Outlet, pool: Pool) -> Arc<Self> {
        let moves = wanted.position.moves_played();
        let mut at = wanted.position.clone();
        let mut positions = vec![at.without_history()];
        for _ in &moves {
            at.undo();
            positions.push(at.without_history());
        }
        positions.reverse();
        let state = State { judged: vec![None; positions.len()], ..State::default() };
        let review = Arc::new_cyclic(|myself| Self {
            serial: wanted.serial,
            engine: wanted.engine,
            visitor: wanted.visitor,
            effort: wanted.effort,
            whole: wanted.position,
            positions,
            moves,
            state: Mutex::new(state),
            outlet,
            pool,
            myself: myself.clone(),
        });
        review.tell(true);
        review.go_on();
        review
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks about the next position.
    fn go_on(&self) {
        let mut state = self.lock();
        while let Some(ply) = state.judged.iter().rposition(Option::is_none) {
            if self.positions[ply].is_mated() {
                state.judged[ply] = Some(Judged { score: Score::Mated(Some(0)), best: None });
                state.news.push(ply);
                continue;
            }
            let mut question = Question::new(self.with_history(ply));
            question.nodes = self.effort.nodes;
            question.time = Some(self.effort.time);
            let listener = Judge { review: self.myself.clone(), ply, lines: Lines::default() };
            let order = Order {
                visitor: self.visitor.clone(),
                class: Class::Long,
                threads: 1,
                engine: self.engine.clone(),
                task: Task::Search(question),
                within: None,
                listener: Box::new(listener),
            };
            // The ticket of the one before has been used up: dropping it ends nothing.
            let used_up = state.ticket.replace(self.pool.submit(order));
            drop(state);
            drop(used_up);
            return;
        }
        state.ended = true;
        drop(state);
        self.tell(true);
    }

    fn with_history(&self, ply: usize) -> AnyPosition {
        let mut position = self.whole.clone();
        for _ in ply..self.moves.len() {
            position.undo();
        }
        position
    }

    fn tell(&self, urgent: bool) {
        let myself = self.myself.clone();
        self.outlet.send(urgent, move || myself.upgrade().map(|r| r.view()));
    }

    fn view(&self) -> Value {
        let mut state = self.lock();
        let news = std::mem::take(&mut state.news);
        let evaluations: Vec<Value> = news
            .iter()
            .filter_map(|&ply| Some(self.evaluation(ply, state.judged[ply].as_ref()?)))
            .collect();
        let done = state.judged.iter().flatten().count();
        let word = if state.ended { "done" } else { "running" };
        let mut value = json!({ "type": "review", "serial": self.serial, "state": word,
            "done": done, "total": state.judged.len(), "evaluations": evaluations });
        if state.ended {
            let (mistakes, summary) = self.verdict(&state.judged);
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
    fn verdict(&self, judged: &[Option<Judged>]) -> (Vec<Value>, Value) {
        let mut mistakes = Vec::new();
        let mut sums = [(0u32, 0.0, [0u32; 3]); 2];
        for (before, m) in self.moves.iter().enumerate() {
            let (Some(was), Some(is)) = (&judged[before], &judged[before + 1]) else { continue };
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
                put_score(&mut better, best, turn);
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

    fn judged(&self, ply: usize, lines: &Lines) {
        let best = lines.ranked().next().cloned();
        let known = best.as_ref().and_then(|b| b.score).map_or(Score::Cp(0), |(s, _)| s);
        let mut state = self.lock();
        state.judged[ply] = Some(Judged { score: known, best });
        state.news.push(ply);
        drop(state);
        self.tell(false);
        self.go_on();
    }

    fn failed(&self, why: &str) {
        let mut value = json!({ "type": "review", "serial": self.serial, "state": "failed",
            "code": "engine_failed", "message": why, "evaluations": [] });
        let state = self.lock();
        value["done"] = state.judged.iter().flatten().count().into();
        value["total"] = state.judged.len().into();
        drop(state);
        self.outlet.send(true, move || Some(value));
    }

    /// Says nothing more.
    pub fn cut(&self) {
        self.outlet.cut();
    }

    /// What the page is told when it gives up.
    pub fn stopped(&self) -> Value {
        let state = self.lock();
        json!({ "type": "review", "serial": self.serial, "state": "stopped",
            "done": state.judged.iter().flatten().count(), "total": state.judged.len(),
            "evaluations": [] })
    }
}

/// Who hears about one position.
struct Judge {
    review: Weak<Review>,
    ply: usize,
    lines: Lines,
}

impl Listener for Judge {
    fn heard(&mut self, info: &Info) {
        self.lines.hear(info);
    }

    fn ended(&mut self, outcome: Outcome) {
        let Some(review) = self.review.upgrade() else { return };
        match outcome {
            Outcome::Answered(..) => review.judged(self.ply, &self.lines),
            Outcome::Broken(why) => review.failed(&why.to_string()),
            Outcome::Solved(..) | Outcome::Cancelled => {}
        }
    }
}
