//! Who thinks: our own engine in this process, or any USI engine in another.

use super::foreign;
use crate::assemble;
use rules::{AnyPosition, Game, Move};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use think::{
    Answer, Best, Clocks, Engine, Info, Limits, MateAnswer, PonderHit, Report, Score, TimeSource,
};

/// Names a question, so that a late answer to an earlier one is known as such.
pub(super) type Ticket = u64;

/// What was thought last.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Insight {
    /// For the side to move of the question.
    pub(super) score: Option<Score>,
    /// Legal from the question's position.
    pub(super) line: Vec<Move>,
}

/// What a mind says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Thought {
    /// A game can begin.
    Ready,
    /// A remark.
    Note(String),
    /// A line of thought.
    Insight(Ticket, Insight),
    /// The answer.
    Best(Ticket, Answer, Option<Move>),
    /// It cannot go on: it died, or answered nonsense.
    Failed(String),
}

/// A question.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) ticket: Ticket,
    /// The position with the moves of the game, the last one only expected if `ponder`.
    pub(super) position: AnyPosition,
    pub(super) clocks: Option<Clocks>,
    pub(super) ponder: bool,
}

/// Whoever thinks. Calls return at once; what comes of them is told through a channel.
pub(super) trait Mind {
    /// Gets ready for a game; answered with [`Thought::Ready`].
    fn prepare(&mut self, game: Game);
    /// Thinks about a question, dropping an earlier one.
    fn think(&mut self, question: Question);
    /// The expected move was played.
    fn ponderhit(&mut self, clocks: Option<Clocks>);
    /// Answer now.
    fn stop(&mut self);
    /// The game is over: `win`, `lose` or `draw`, if it has a result.
    fn game_over(&mut self, result: Option<usi::GameResult>);
    /// Starts anew after a failure.
    fn restart(&mut self, game: Game);
}

/// Where thoughts go; made by the session.
pub(super) type Listener = Arc<dyn Fn(Thought) + Send + Sync>;

/// A listener that sends into a channel.
pub(super) fn into<T: Send + 'static>(sender: Sender<T>, wrap: fn(Thought) -> T) -> Listener {
    let sender = std::sync::Mutex::new(sender);
    Arc::new(move |thought| {
        if let Ok(sender) = sender.lock() {
            // The client has ended: nobody listens.
            let _ = sender.send(wrap(thought));
        }
    })
}

/// Our own engine.
pub(super) struct Own {
    time: Arc<dyn TimeSource>,
    options: Vec<(String, String)>,
    listener: Listener,
    engine: Option<(Game, Box<dyn Engine>)>,
}

impl Own {
    pub(super) fn new(
        time: Arc<dyn TimeSource>,
        options: Vec<(String, String)>,
        listener: Listener,
    ) -> Self {
        Self { time, options, listener, engine: None }
    }

    fn say(&self, thought: Thought) {
        (self.listener)(thought);
    }
}

impl Mind for Own {
    fn prepare(&mut self, game: Game) {
        if self.engine.as_ref().is_none_or(|(made_for, _)| *made_for != game) {
            let mut engine = assemble::engine(game, Arc::clone(&self.time));
            for (name, value) in &self.options {
                if let Err(error) = engine.set_option(name, value) {
                    self.say(Thought::Note(format!("option {name}: {error}")));
                }
            }
            self.engine = Some((game, engine));
        }
        let listener = Arc::clone(&self.listener);
        if let Some((_, engine)) = &mut self.engine {
            engine.is_ready(&mut |text| listener(Thought::Note(text.to_owned())));
            engine.new_game();
        }
        self.say(Thought::Ready);
    }

    fn think(&mut self, question: Question) {
        let Some((_, engine)) = &mut self.engine else {
            self.say(Thought::Failed("the engine was not made".to_owned()));
            return;
        };
        if let Err(error) = engine.set_position(question.position) {
            self.say(Thought::Failed(error.to_string()));
            return;
        }
        let limits = Limits {
            start: self.time.now(),
            clocks: question.clocks,
            ponder: question.ponder,
            // Nothing limits the time: a second is a polite way to play.
            movetime: question.clocks.is_none().then(|| Duration::from_secs(1)),
            ..Limits::default()
        };
        let report = OwnReport { ticket: question.ticket, listener: Arc::clone(&self.listener) };
        engine.go(limits, Box::new(report));
    }

    fn ponderhit(&mut self, clocks: Option<Clocks>) {
        if let Some((_, engine)) = &self.engine {
            engine.control().ponderhit(PonderHit { at: self.time.now(), clocks });
        }
    }

    fn stop(&mut self) {
        if let Some((_, engine)) = &self.engine {
            engine.control().stop();
        }
    }

    fn game_over(&mut self, _: Option<usi::GameResult>) {
        self.stop();
    }

    fn restart(&mut self, game: Game) {
        self.engine = None;
        self.prepare(game);
    }
}

struct OwnReport {
    ticket: Ticket,
    listener: Listener,
}

impl Report for OwnReport {
    fn info(&mut self, info: &Info) {
        if info.multipv.is_none_or(|rank| rank == 1)
            && (info.score.is_some() || !info.pv.is_empty())
        {
            let insight =
                Insight { score: info.score.map(|(score, _)| score), line: info.pv.clone() };
            (self.listener)(Thought::Insight(self.ticket, insight));
        }
    }

    fn note(&mut self, text: &str) {
        (self.listener)(Thought::Note(text.to_owned()));
    }

    fn best(&mut self, best: &Best) {
        (self.listener)(Thought::Best(self.ticket, best.answer, best.ponder));
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

/// The mind of the command line: a program, or nobody for our own.
pub(super) fn make(
    program: Option<foreign::Program>,
    options: Vec<(String, String)>,
    time: &Arc<dyn TimeSource>,
    listener: Listener,
) -> Box<dyn Mind> {
    match program {
        Some(program) => Box::new(foreign::Foreign::new(program, options, listener)),
        None => Box::new(Own::new(Arc::clone(time), options, listener)),
    }
}

/// A move within so long, when nobody else has one: the line last thought, else a very short
/// search of our own, else whatever is legal. `None` where nothing is.
pub(super) fn fallback(
    position: &AnyPosition,
    insight: &Insight,
    within: Duration,
) -> Option<Move> {
    if let Some(&m) = insight.line.first()
        && position.is_legal(m)
    {
        return Some(m);
    }
    let legal = position.legal_moves();
    let first = legal.first().copied()?;
    let (sender, found) = std::sync::mpsc::channel();
    let start = position.clone();
    // Aside: on a busy machine even this can take longer than there is time.
    let searching = std::thread::Builder::new().name("fallback".to_owned()).spawn(move || {
        if let Some(m) = short_search(&start) {
            // Whoever asked may not have waited.
            let _ = sender.send(m);
        }
    });
    let found = searching.ok().and_then(|_| found.recv_timeout(within).ok());
    Some(found.unwrap_or(first))
}

fn short_search(position: &AnyPosition) -> Option<Move> {
    let time: Arc<dyn TimeSource> = Arc::new(think::WallTime::start());
    let (sender, answers) = std::sync::mpsc::channel();
    let mut engine = assemble::engine(position.game(), time);
    engine.set_position(position.clone()).ok()?;
    let listener = into(sender, |thought| thought);
    engine.go(Limits::to_depth(3), Box::new(OwnReport { ticket: 0, listener }));
    engine.wait();
    answers.try_iter().find_map(|thought| match thought {
        Thought::Best(_, Answer::Move(m), _) if position.is_legal(m) => Some(m),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_move() {
        let position = AnyPosition::startpos(Game::Shogi);
        let m = position.parse_usi("7g7f").unwrap();
        let insight = Insight { score: None, line: vec![m] };
        let minute = Duration::from_secs(60);
        assert_eq!(fallback(&position, &insight, minute), Some(m));
        let other = position.legal_moves()[0];
        let mut later = position.clone();
        later.play(m);
        let stale = Insight { score: None, line: vec![other] };
        let found = fallback(&later, &stale, minute).unwrap();
        assert!(later.is_legal(found));
        let found = fallback(&later, &stale, Duration::ZERO).unwrap();
        assert!(later.is_legal(found), "also without any time");
        let mated = AnyPosition::from_sfen(Game::Shogi, "8k/8G/8G/9/9/9/9/9/4K4 w - 1").unwrap();
        assert_eq!(fallback(&mated, &Insight::default(), minute), None);
    }
}
