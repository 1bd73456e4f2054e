//! A child that plays badly and behaves worse.

use super::world::{Actor, Effect};
use rules::{AnyPosition, Game, Move};
use seed::Rng;
use std::time::Duration;
use think::Moment;
use usi::{Command, Go};

/// What a child does wrong with one question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Misbehaviour {
    /// The process ends.
    Dies,
    /// Nothing is answered any more.
    Hangs,
    /// A move that is not legal.
    Illegal,
    /// A score nobody means.
    Wild,
    /// A mate that is none.
    FalseMate,
    /// An answer long after `stop`.
    Late,
    /// The same answer twice.
    Twice,
    /// A line about another position.
    WrongPosition,
    /// Words that are not USI.
    Garbage,
    /// More lines than anybody reads.
    Floods,
    /// It gives up, or declares a win, for no reason.
    GivesUp,
    /// An answer while pondering.
    Early,
    /// Everything takes long on its way for a while.
    Lags,
}

impl Misbehaviour {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Dies,
        Self::Hangs,
        Self::Illegal,
        Self::Wild,
        Self::FalseMate,
        Self::Late,
        Self::Twice,
        Self::WrongPosition,
        Self::Garbage,
        Self::Floods,
        Self::GivesUp,
        Self::Early,
        Self::Lags,
    ];
}

/// The child.
pub(super) struct Script {
    game: Game,
    rng: Rng,
    /// Of 1: how often a question is answered wrongly.
    misbehaviours: f64,
    position: AnyPosition,
    question: Option<Question>,
    questions: u64,
    hung: bool,
    /// Whether it has answered twice in this incarnation.
    doubled: bool,
    /// What everything takes on its way.
    lag: Duration,
    pub(super) done: Vec<Misbehaviour>,
}

struct Question {
    number: u64,
    /// Nobody has asked for the answer yet: pondering, or infinite.
    open: bool,
    mate: bool,
    go: Go,
    misbehaviour: Option<Misbehaviour>,
}

impl Script {
    pub(super) fn new(game: Game, rng: Rng, misbehaviours: f64) -> Self {
        Self {
            game,
            rng,
            misbehaviours,
            position: AnyPosition::startpos(game),
            question: None,
            questions: 0,
            hung: false,
            doubled: false,
            lag: Duration::from_millis(1),
            done: Vec::new(),
        }
    }

    fn millis(&mut self, from: usize, to: usize) -> Duration {
        Duration::from_millis((from + self.rng.below(to - from + 1)) as u64)
    }

    fn hear_line(&mut self, line: &str) -> Vec<Effect> {
        if self.hung {
            return Vec::new();
        }
        let say = |text: &str| Effect::Send(Duration::ZERO, text.to_owned());
        match Command::parse(line) {
            Ok(Command::Usi) => {
                let late = self.start_time();
                vec![
                    say("id name Script"),
                    say("option name MultiPV type spin default 1 min 1 max 99"),
                    say("option name USI_Ponder type check default true"),
                    Effect::Send(late, "usiok".to_owned()),
                ]
            }
            Ok(Command::IsReady) => vec![Effect::Send(self.start_time(), "readyok".to_owned())],
            Ok(Command::Position(position)) => {
                self.position = position.resolve(self.game).expect("a master tells legal games");
                Vec::new()
            }
            Ok(Command::Go(go)) => self.go(go),
            Ok(Command::Stop | Command::GameOver(_)) => self.stop(),
            Ok(Command::PonderHit(_)) => self.hit(),
            _ => Vec::new(),
        }
    }

    /// Most are ready at once, some load for long.
    fn start_time(&mut self) -> Duration {
        if self.rng.below(20) == 0 { self.millis(100, 20_000) } else { self.millis(1, 50) }
    }

    fn go(&mut self, go: Go) -> Vec<Effect> {
        // Who answers twice cannot complain that it is asked too early.
        assert!(self.question.is_none() || self.doubled, "asked while it was thinking: {go}");
        self.questions += 1;
        let wrong = self.rng.unit() < self.misbehaviours;
        let misbehaviour =
            wrong.then(|| Misbehaviour::ALL[self.rng.below(Misbehaviour::ALL.len())]);
        // A flood costs this machine more than all the rest.
        let rare = misbehaviour == Some(Misbehaviour::Floods) && self.rng.below(200) > 0;
        let misbehaviour = misbehaviour.filter(|_| !rare);
        self.done.extend(misbehaviour);
        let mate = go.mate.is_some();
        let open = go.ponder || go.infinite;
        let number = self.questions;
        self.question = Some(Question { number, open, mate, go, misbehaviour });
        let mut effects = self.lines(misbehaviour);
        match misbehaviour {
            Some(Misbehaviour::Dies) => effects.push(Effect::Die(self.millis(0, 3000))),
            Some(Misbehaviour::Hangs) => self.hung = true,
            Some(Misbehaviour::Lags) => self.lag = self.millis(5, 700),
            _ if !open || misbehaviour == Some(Misbehaviour::Early) => {
                effects.push(Effect::Answer(self.thinking_time(), number));
            }
            _ => {}
        }
        if misbehaviour != Some(Misbehaviour::Lags) && self.rng.below(4) == 0 {
            self.lag = Duration::from_millis(1);
        }
        effects
    }

    /// How long it thinks about its question: usually less than it was told.
    fn thinking_time(&mut self) -> Duration {
        let Some(question) = &self.question else { return Duration::ZERO };
        let turn = self.position.turn();
        let all = match (question.go.movetime, question.go.times.clocks()) {
            (Some(movetime), _) => return Duration::from_millis(movetime),
            (_, Some(clocks)) => clocks.time(turn) / 30 + clocks.byoyomi.mul_f64(0.9),
            _ => Duration::from_millis(200),
        };
        all.mul_f64(0.3 + self.rng.unit())
    }

    /// Lines of thought.
    fn lines(&mut self, misbehaviour: Option<Misbehaviour>) -> Vec<Effect> {
        let game = self.game;
        let best = preferred(&self.position, &mut self.rng);
        let usi = best.map_or(String::new(), |m| m.usi(game));
        let score = self.rng.below(800) as i64 - 400;
        let line = |score: &str, pv: &str| format!("info depth 5 score {score} nodes 900 pv {pv}");
        let mut texts = vec![line(&format!("cp {score}"), &usi)];
        for (rank, m) in self.position.legal_moves().iter().take(4).enumerate() {
            let score = score - 50 * rank as i64;
            let multi = format!("info depth 6 multipv {} score cp {score}", rank + 2);
            texts.push(format!("{multi} pv {}", m.usi(game)));
        }
        match misbehaviour {
            Some(Misbehaviour::Wild) => texts.push(line("cp 99999999", &usi)),
            Some(Misbehaviour::FalseMate) => texts.push(line("mate 3", &usi)),
            Some(Misbehaviour::WrongPosition) => texts.push(line("cp 20", "5i5h 5a5b")),
            Some(Misbehaviour::Garbage) => {
                for text in ["info score cp", "\u{1}\u{2} ???", "option", "info pv", "id", ""] {
                    texts.push(text.to_owned());
                }
                texts.push("bestmove".to_owned());
            }
            Some(Misbehaviour::Floods) => texts.resize(25_000, line("cp 1", &usi)),
            _ => {}
        }
        let after = self.millis(1, 20);
        texts.into_iter().map(|text| Effect::Send(after, text)).collect()
    }

    fn stop(&mut self) -> Vec<Effect> {
        let Some(question) = &self.question else { return Vec::new() };
        let (number, misbehaviour) = (question.number, question.misbehaviour);
        let late = match misbehaviour {
            Some(Misbehaviour::Late) => self.millis(50, 4000),
            _ => self.millis(0, 10),
        };
        vec![Effect::Answer(late, number)]
    }

    fn hit(&mut self) -> Vec<Effect> {
        let time = self.thinking_time();
        let Some(question) = &mut self.question else { return Vec::new() };
        question.open = false;
        vec![Effect::Answer(time, question.number)]
    }

    /// The answer to a question, if it is still open.
    fn answer(&mut self, number: u64) -> Vec<String> {
        let Some(question) = self.question.take_if(|question| question.number == number) else {
            return Vec::new();
        };
        if self.hung {
            return Vec::new();
        }
        if question.mate {
            return vec!["checkmate nomate".to_owned()];
        }
        let best = preferred(&self.position, &mut self.rng);
        let text = best.map_or("resign".to_owned(), |m| m.usi(self.game));
        let answer = format!("bestmove {text}");
        match question.misbehaviour {
            Some(Misbehaviour::Illegal) => vec!["bestmove 1a9i".to_owned()],
            Some(Misbehaviour::GivesUp) if self.rng.below(2) == 0 => {
                vec!["bestmove win".to_owned()]
            }
            Some(Misbehaviour::GivesUp) => vec!["bestmove resign".to_owned()],
            Some(Misbehaviour::Twice) => {
                self.doubled = true;
                vec![answer.clone(), answer]
            }
            _ => vec![answer],
        }
    }
}

impl Actor for Script {
    fn restart(&mut self) {
        (self.hung, self.doubled, self.question) = (false, false, None);
    }

    fn hear(&mut self, line: &str, _: Moment) -> Vec<Effect> {
        self.hear_line(line)
    }

    fn due(&mut self, question: u64, _: Moment) -> Vec<Effect> {
        let lines = self.answer(question).into_iter();
        lines.map(|line| Effect::Send(Duration::ZERO, line)).collect()
    }

    fn lag(&self) -> Duration {
        self.lag
    }
}

/// The move a script likes: one of the first few by the position's key, so that children often
/// agree and replies can be foreseen.
pub(super) fn preferred(position: &AnyPosition, rng: &mut Rng) -> Option<Move> {
    let legal = position.legal_moves();
    let count = legal.len();
    let place = if rng.below(3) == 0 { rng.below(4) as u64 } else { position.key() % 4 };
    legal.get(place as usize % count.max(1)).copied()
}
