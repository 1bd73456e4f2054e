//! A real engine in virtual time: what it reads in a millisecond is a number of nodes.
//!
//! A search is not run while its time passes but when its answer is due: only then is it known how
//! many nodes it had. Pondering that nobody wants the answer of costs nothing, and eight machines fit on
//! one core.

use super::world::{Actor, Effect};
use rules::{AnyPosition, Game};
use std::time::Duration;
use think::key::universal::{MULTI_PV, PONDER};
use think::{Answer, Best, Engine, Info, Limits, MateAnswer, Moment, Report};
use usi::{Command, Go, Reply};

/// When somebody who predicts is first looked at; then after twice as long, and so on.
const FIRST_LOOK: Duration = Duration::from_millis(50);

/// When somebody who thinks says what it is at, as a part of its time.
const GLIMPSE: f64 = 0.3;

/// The engine and how fast it is.
pub struct Thinker {
    engine: Box<dyn Engine>,
    /// Nodes in a millisecond.
    speed: f64,
    /// Whether it says what it is at before it answers: that costs nodes of ours, not of its own.
    glimpses: bool,
    game: Game,
    position: AnyPosition,
    question: Option<PendingSearch>,
    questions: u64,
}

/// A search that is not answered.
struct PendingSearch {
    number: u64,
    since: Moment,
    go: Go,
    /// When it is to answer; `None` if it has to be told.
    end: Option<Moment>,
}

impl Thinker {
    /// An engine that reads that many nodes in a millisecond of virtual time. Searches run on the
    /// calling thread, which needs a stack of [`think::STACK`] bytes.
    pub fn new(engine: Box<dyn Engine>, game: Game, speed: f64) -> Self {
        let position = AnyPosition::startpos(game);
        let (glimpses, question, questions) = (false, None, 0);
        Self { engine, speed, glimpses, game, position, question, questions }
    }

    /// The same, saying in the middle of a move what it is at, for others to ponder on.
    #[must_use]
    pub fn with_glimpses(self) -> Self {
        Self { glimpses: true, ..self }
    }

    fn ask(&mut self, go: Go, now: Moment) -> Vec<Effect> {
        self.questions += 1;
        let number = self.questions;
        if go.mate.is_some() {
            return vec![Effect::Send(Duration::ZERO, "checkmate notimplemented".to_owned())];
        }
        let mut effects = Vec::new();
        let end = if go.infinite {
            effects.push(Effect::Answer(FIRST_LOOK, number));
            None
        } else if go.ponder {
            None
        } else {
            let time = self.time_for(&go);
            if self.glimpses {
                effects.push(Effect::Answer(time.mul_f64(GLIMPSE), number));
            }
            effects.push(Effect::Answer(time, number));
            Some(now + time)
        };
        self.question = Some(PendingSearch { number, since: now, go, end });
        effects
    }

    /// How long a question takes.
    fn time_for(&self, go: &Go) -> Duration {
        let by_nodes =
            go.nodes.map(|nodes| Duration::from_secs_f64(nodes as f64 / self.speed / 1e3));
        let by_time = go.movetime.map(Duration::from_millis);
        by_time.into_iter().chain(by_nodes).min().unwrap_or(Duration::from_secs(1))
    }

    fn hit(&mut self, now: Moment) -> Vec<Effect> {
        let Some(time) = self.question.as_ref().map(|asked| self.time_for(&asked.go)) else {
            return Vec::new();
        };
        let Some(asked) = &mut self.question else { return Vec::new() };
        asked.end = Some(now + time);
        vec![Effect::Answer(time, asked.number)]
    }

    fn stop(&mut self, now: Moment) -> Vec<Effect> {
        let Some(asked) = self.question.take() else { return Vec::new() };
        if asked.end.is_none() {
            // Nobody wants to know: any legal move will do.
            let first = self.position.legal_moves().first().map(|m| m.usi(self.game));
            let text = format!("bestmove {}", first.unwrap_or_else(|| "resign".to_owned()));
            return vec![Effect::Send(Duration::ZERO, text)];
        }
        let thought = self.think(&asked, now);
        thought.effects(self.game, true)
    }

    /// Reads as many nodes as fit into the time since the question.
    fn think(&mut self, asked: &PendingSearch, now: Moment) -> Thought {
        let millis = now.saturating_sub(asked.since).as_secs_f64() * 1e3;
        let nodes = Some(((millis * self.speed) as u64).max(1));
        let mut thought = Thought::default();
        let moves = asked.go.searchmoves.iter();
        let searchmoves = moves.filter_map(|text| self.position.parse_usi(text).ok()).collect();
        if self.engine.set_position(self.position.clone()).is_ok() {
            self.engine.think(Limits { nodes, searchmoves, ..Limits::default() }, &mut thought);
        }
        thought
    }
}

impl Actor for Thinker {
    fn restart(&mut self) {
        self.question = None;
    }

    fn hear(&mut self, line: &str, now: Moment) -> Vec<Effect> {
        let say = |reply: Reply| Effect::Send(Duration::ZERO, reply.to_string());
        match Command::parse(line) {
            Ok(Command::Usi) => vec![
                say(Reply::IdName("Nue in virtual time".to_owned())),
                say(Reply::Option(MULTI_PV.spec())),
                say(Reply::Option(PONDER.spec())),
                say(Reply::UsiOk),
            ],
            Ok(Command::IsReady) => vec![say(Reply::ReadyOk)],
            Ok(Command::UsiNewGame) => {
                self.engine.new_game();
                Vec::new()
            }
            Ok(Command::SetOption { name, value }) => {
                // What an engine does not have, it does not have.
                let _ = self.engine.set_option(&name, &value.unwrap_or_default());
                Vec::new()
            }
            Ok(Command::Position(position)) => {
                if let Ok(position) = position.resolve(self.game) {
                    self.position = position;
                }
                Vec::new()
            }
            Ok(Command::Go(go)) => self.ask(go, now),
            Ok(Command::Stop) => self.stop(now),
            Ok(Command::PonderHit(_)) => self.hit(now),
            _ => Vec::new(),
        }
    }

    fn due(&mut self, question: u64, now: Moment) -> Vec<Effect> {
        let Some(asked) = self.question.take_if(|asked| asked.number == question) else {
            return Vec::new();
        };
        let thought = self.think(&asked, now);
        let over = asked.end.is_some_and(|end| end <= now);
        let mut effects = thought.effects(self.game, over);
        if !over {
            if asked.go.infinite {
                let again = now.saturating_sub(asked.since).max(FIRST_LOOK);
                effects.push(Effect::Answer(again, question));
            }
            self.question = Some(asked);
        }
        effects
    }

    fn lag(&self) -> Duration {
        Duration::ZERO
    }
}

/// What a search had to say: its last line of each rank, and its answer.
#[derive(Default)]
struct Thought {
    lines: Vec<Info>,
    best: Option<Best>,
}

impl Thought {
    fn effects(&self, game: Game, over: bool) -> Vec<Effect> {
        let say = |reply: Reply| Effect::Send(Duration::ZERO, reply.to_string());
        let lines = self.lines.iter().filter(|info| !info.pv.is_empty());
        let lines = lines.map(|info| say(Reply::Info(usi::Info::from_thought(info, game))));
        let best = self.best.unwrap_or(Best { answer: Answer::Resign, ponder: None });
        lines.chain(over.then(|| say(Reply::best(&best, game)))).collect()
    }
}

impl Report for Thought {
    fn info(&mut self, info: &Info) {
        let rank = info.multipv.unwrap_or(1).max(1) as usize;
        if info.pv.is_empty() || info.score.is_none() {
            return;
        }
        if self.lines.len() < rank {
            self.lines.resize(rank, Info::default());
        }
        self.lines[rank - 1] = info.clone();
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        self.best = Some(*best);
    }

    fn mate(&mut self, _: &MateAnswer) {}
}
