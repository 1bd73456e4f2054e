//! A player that is an engine of this process.

use crate::fault::{Cause, Fault, Halt};
use crate::player::{Player, Thought, Turn};
use crate::ponder::Expected;
use rules::{AnyPosition, Game};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use think::{
    Answer, Best, Engine, Info, MateAnswer, Moment, OptionError, PonderHit, Report, TimeSource,
};
use usi::{GameResult, Go};

/// How often a waiting game looks whether it has been abandoned.
const GLANCE: Duration = Duration::from_millis(100);

/// How long a search may run on after it was told to stop.
const STALL: Duration = Duration::from_secs(30);

/// Makes engines of this program.
pub type Workshop = dyn Fn(Game) -> Box<dyn Engine> + Send + Sync;

/// The player.
pub struct Inside {
    options: Vec<(String, String)>,
    /// Options the engine does not know of yet.
    news: Vec<(String, String)>,
    workshop: Arc<Workshop>,
    time: Arc<dyn TimeSource>,
    abandoned: Arc<AtomicBool>,
    engine: Option<(Game, Box<dyn Engine>)>,
    /// Whether it thinks on the opponent's time.
    ponders: bool,
    /// The reply it expects.
    expected: Option<Expected>,
    /// Answers of the search that thinks about it now.
    pondering: Option<Receiver<Told>>,
}

impl Inside {
    /// A player whose engine is made when its first game begins.
    pub fn new(
        options: &[(String, String)],
        workshop: Arc<Workshop>,
        time: Arc<dyn TimeSource>,
        abandoned: Arc<AtomicBool>,
    ) -> Self {
        let options = options.to_vec();
        Self {
            options,
            news: Vec::new(),
            workshop,
            time,
            abandoned,
            engine: None,
            ponders: false,
            expected: None,
            pondering: None,
        }
    }

    /// The same, thinking on the opponent's time or not.
    #[must_use]
    pub fn pondering(mut self, ponders: bool) -> Self {
        self.ponders = ponders;
        self
    }

    /// Asks a question; the answer comes through the channel.
    fn ask(
        &self,
        engine: &mut dyn Engine,
        position: &AnyPosition,
        go: &Go,
        asked: Moment,
    ) -> Result<Receiver<Told>, Fault> {
        let limits = go.limits(position, asked);
        let limits = limits.map_err(|error| Fault::protocol(error.to_string()))?;
        let set = engine.set_position(position.clone());
        set.map_err(|error| Fault::protocol(error.to_string()))?;
        let (sender, answers) = sync_channel(1);
        let listener = Listener { time: Arc::clone(&self.time), answer: sender, info: None };
        engine.go(limits, Box::new(listener));
        Ok(answers)
    }

    /// Options for the games to come, besides those it was made with.
    pub fn set_options(&mut self, options: Vec<(String, String)>) {
        self.news = options;
    }

    fn engine(&mut self, game: Game) -> Result<&mut dyn Engine, OptionError> {
        if self.engine.as_ref().is_none_or(|(made_for, _)| *made_for != game) {
            let mut engine = (self.workshop)(game);
            for (name, value) in &self.options {
                engine.set_option(name, value)?;
            }
            self.engine = Some((game, engine));
        }
        match &mut self.engine {
            Some((_, engine)) => {
                for (name, value) in self.news.drain(..) {
                    engine.set_option(&name, &value)?;
                }
                Ok(&mut **engine)
            }
            None => Err(OptionError::Unknown { name: String::new() }),
        }
    }

    fn wait(
        &self,
        engine: &dyn Engine,
        answers: &Receiver<Told>,
        asked: Moment,
        allowed: Option<Duration>,
    ) -> Result<Told, Halt> {
        let control = engine.control();
        loop {
            match answers.recv_timeout(GLANCE) {
                Ok(told) => return Ok(told),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Fault::new(Cause::Crash, "the search ended without answer").into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.abandoned.load(Ordering::Relaxed) {
                control.quit();
                return Err(Halt::Abandoned);
            }
            let Some(allowed) = allowed else { continue };
            let passed = self.time.now().saturating_sub(asked);
            if passed > allowed {
                control.stop();
            }
            if passed > allowed.saturating_add(STALL) {
                let detail = format!("no answer for {} ms", passed.as_millis());
                return Err(Fault::new(Cause::Stall, detail).into());
            }
        }
    }
}

/// An answer, when it was given, and the last line of thought.
struct Told {
    at: Moment,
    best: Best,
    info: Option<Info>,
}

impl Player for Inside {
    fn prepare(&mut self, game: Game) -> Result<(), Halt> {
        match self.engine(game) {
            Ok(engine) => {
                engine.is_ready(&mut |_| ());
                engine.new_game();
                Ok(())
            }
            Err(error) => Err(Fault::protocol(error.to_string()).into()),
        }
    }

    fn think(&mut self, turn: &Turn<'_>) -> Result<Thought, Halt> {
        let Some((game, mut engine)) = self.engine.take() else {
            return Err(Fault::new(Cause::Crash, "the engine is not running").into());
        };
        let asked = self.time.now();
        let hit = self.expected.take().is_some_and(|expected| expected.is(turn));
        let answers = match self.pondering.take() {
            Some(answers) if hit => {
                let clocks = turn.go.times.clocks();
                engine.control().ponderhit(PonderHit { at: asked, clocks });
                answers
            }
            // Starting a search stops the one that thinks about something else.
            _ => self.ask(&mut *engine, turn.position, &turn.go, asked)?,
        };
        let told = self.wait(&*engine, &answers, asked, turn.allowed);
        match &told {
            // A search that cannot be stopped cannot be waited for either: it is left behind.
            Err(Halt::Fault(fault)) if fault.cause == Cause::Stall => std::mem::forget(engine),
            _ => {
                engine.wait();
                self.engine = Some((game, engine));
            }
        }
        let Told { at, best, info } = told?;
        let lag = self.time.now().saturating_sub(at);
        if let (true, Answer::Move(m), Some(reply)) = (self.ponders, best.answer, best.ponder) {
            self.expected = Expected::after(turn, m, reply);
        }
        Ok(Thought {
            answer: best.answer,
            time: at.saturating_sub(asked),
            info,
            lag,
            starved: Duration::ZERO,
        })
    }

    fn ponder(&mut self, go: &Go) -> Result<(), Halt> {
        let Some(expected) = &self.expected else { return Ok(()) };
        let Some((game, mut engine)) = self.engine.take() else { return Ok(()) };
        let go = Go { ponder: true, ..go.clone() };
        let asked = self.ask(&mut *engine, &expected.position, &go, self.time.now());
        self.engine = Some((game, engine));
        self.pondering = Some(asked?);
        Ok(())
    }

    fn finish(&mut self, _: Option<GameResult>, _: Option<&Fault>) {
        self.expected = None;
        if self.pondering.take().is_some()
            && let Some((_, engine)) = &mut self.engine
        {
            engine.control().stop();
            engine.wait();
        }
    }
}

/// Listens to one search.
struct Listener {
    time: Arc<dyn TimeSource>,
    answer: SyncSender<Told>,
    info: Option<Info>,
}

impl Report for Listener {
    fn info(&mut self, info: &Info) {
        if info.score.is_some() && info.multipv.is_none_or(|rank| rank == 1) {
            self.info = Some(info.clone());
        }
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        let told = Told { at: self.time.now(), best: *best, info: self.info.take() };
        // Nobody listens any more if the game was abandoned.
        let _ = self.answer.try_send(told);
    }

    fn mate(&mut self, _: &MateAnswer) {}
}
