//! What thinks: an engine of this program, or a process that speaks USI. Both are asked the same
//! way and block until they have answered or were told to stop.

use alphabeta::options::{
    MINIMUM_THINKING_TIME, NETWORK_DELAY, NETWORK_DELAY_2, PV_INTERVAL, ROUND_UP_TO_FULL_SECOND,
};
use board::question::Question;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use think::key::universal::{HASH, MULTI_PV, THREADS};
use think::{Answer, Best, Engine, Info, Limits, MateAnswer, Report, TimeSource};

type Hook = Box<dyn Fn() + Send>;

/// Tells one search to end, from any thread, once.
#[derive(Clone, Default)]
pub struct Stop(Arc<(AtomicBool, Mutex<Option<Hook>>)>);

impl Stop {
    /// Ends the search, now or as soon as it begins.
    pub fn fire(&self) {
        let hook = self.0.1.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.0.store(true, Ordering::SeqCst);
        if let Some(hook) = &*hook {
            hook();
        }
    }

    /// Whether it was told to.
    pub fn is_fired(&self) -> bool {
        self.0.0.load(Ordering::SeqCst)
    }

    /// What to do when it is told to; done at once if it has been.
    pub fn on(&self, act: impl Fn() + Send + 'static) {
        let mut hook = self.0.1.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_fired() {
            act();
        }
        *hook = Some(Box::new(act));
    }
}

/// StopReason there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct EngineFailure(pub String);

/// Something that thinks.
pub trait EngineHandle: Send {
    /// Thinks with that many threads until it has an answer or is stopped; lines of thought go to
    /// `hear`.
    fn ask(
        &mut self,
        question: &Question,
        threads: usize,
        stop: &Stop,
        hear: &mut (dyn FnMut(&Info) + Send),
    ) -> Result<Answer, EngineFailure>;
}

/// An engine of this program.
pub struct LocalEngine {
    engine: Box<dyn Engine>,
    time: Arc<dyn TimeSource>,
    set: Vec<(&'static str, String)>,
}

impl LocalEngine {
    /// An engine with a table of that many MiB.
    pub fn new(mut engine: Box<dyn Engine>, time: Arc<dyn TimeSource>, mib: usize) -> Self {
        // A house player has no network between itself and its clock, and shows every line.
        for (name, value) in [
            HASH.to(mib),
            NETWORK_DELAY.to(0),
            NETWORK_DELAY_2.to(200),
            MINIMUM_THINKING_TIME.to(100),
            ROUND_UP_TO_FULL_SECOND.to(false),
            PV_INTERVAL.to(0),
        ] {
            // An engine without one of them does without.
            let _ = engine.set_option(name, &value);
        }
        engine.is_ready(&mut |_| ());
        Self { engine, time, set: Vec::new() }
    }

    fn set(&mut self, name: &'static str, value: &str) {
        if let Some(known) = self.set.iter_mut().find(|(n, _)| *n == name) {
            if known.1 == value {
                return;
            }
            value.clone_into(&mut known.1);
        } else {
            self.set.push((name, value.to_owned()));
        }
        let _ = self.engine.set_option(name, value);
    }
}

/// Hands lines of thought on while the search runs elsewhere.
struct Relay {
    to: std::sync::mpsc::Sender<Told>,
}

enum Told {
    Info(Info),
    Best(Answer),
}

impl Report for Relay {
    fn info(&mut self, info: &Info) {
        let _ = self.to.send(Told::Info(info.clone()));
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        let _ = self.to.send(Told::Best(best.answer));
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

impl EngineHandle for LocalEngine {
    fn ask(
        &mut self,
        question: &Question,
        threads: usize,
        stop: &Stop,
        hear: &mut (dyn FnMut(&Info) + Send),
    ) -> Result<Answer, EngineFailure> {
        self.set(THREADS.name(), &threads.to_string());
        self.set(MULTI_PV.name(), &question.lines.max(1).to_string());
        for (name, value) in &question.options {
            self.set(name, value);
        }
        self.engine
            .set_position(question.position.clone())
            .map_err(|wrong| EngineFailure(wrong.to_string()))?;
        let limits = Limits {
            start: self.time.now(),
            clocks: question.clocks,
            depth: question.depth,
            nodes: question.nodes,
            movetime: question.time,
            ..Limits::default()
        };
        let (to, from) = std::sync::mpsc::channel();
        self.engine.go(limits, Box::new(Relay { to }));
        let control = self.engine.control();
        stop.on(move || control.stop());
        let mut answer = None;
        for told in from {
            match told {
                Told::Info(info) => hear(&info),
                Told::Best(best) => answer = Some(best),
            }
        }
        self.engine.wait();
        answer.ok_or_else(|| EngineFailure("the engine ended without an answer".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::question::Lines;
    use rules::AnyPosition;
    use think::WallTime;

    fn own(game: rules::Game) -> LocalEngine {
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        LocalEngine::new(assembly::engine(game, Arc::clone(&time)), time, 4)
    }

    #[test]
    fn our_engine_answers_with_lines() {
        let mut own = own(rules::Game::Shogi);
        let mut question = Question::new(AnyPosition::startpos(rules::Game::Shogi));
        question.nodes = Some(2000);
        question.lines = 3;
        let mut lines = Lines::default();
        let answer = own.ask(&question, 1, &Stop::default(), &mut |i| lines.hear(i)).unwrap();
        assert_eq!(lines.ranked().count(), 3);
        let best = lines.moves()[0].0;
        assert_eq!(answer, Answer::Move(best));
    }

    #[test]
    fn a_search_told_to_stop_stops_also_before_it_begins() {
        let mut own = own(rules::Game::Minishogi);
        let question = Question::new(AnyPosition::startpos(rules::Game::Minishogi));
        let stop = Stop::default();
        stop.fire();
        assert!(own.ask(&question, 1, &stop, &mut |_| ()).is_ok());
        let stop = Stop::default();
        let other = stop.clone();
        let heard = own.ask(&question, 1, &stop, &mut |_| other.fire());
        assert!(heard.is_ok() && stop.is_fired());
    }

    #[test]
    fn the_wrong_game_is_an_error() {
        let question = Question::new(AnyPosition::startpos(rules::Game::Shogi));
        let asked = own(rules::Game::Minishogi).ask(&question, 1, &Stop::default(), &mut |_| ());
        assert!(asked.is_err());
    }
}
