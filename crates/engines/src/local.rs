//! A player that is an engine of this process.

use crate::fault::{EngineFault, FaultKind, PlayerError};
use crate::line::GameLine;
use crate::player::{Allowed, Conclusion, Decision, Listener, Player, SearchRequest};
use crate::settings::PlayerSettings;
use rules::Game;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use think::{
    Answer, Best, Engine, Info, MateAnswer, Moment, OptionError, OptionSpec, PonderHit, Report,
    TimeSource,
};
use usi::Go;

/// How often a waiting player looks whether it has been abandoned.
const GLANCE: Duration = Duration::from_millis(100);

/// How long a search may run on after it was told to stop.
const STALL: Duration = Duration::from_secs(30);

/// Makes engines of this program.
pub type EngineFactory = dyn Fn(Game) -> Box<dyn Engine> + Send + Sync;

/// The player. Its engine is made when its first game begins.
pub struct LocalPlayer {
    settings: PlayerSettings,
    /// Options the engine does not know of yet.
    new_options: Vec<(String, String)>,
    factory: Arc<EngineFactory>,
    time: Arc<dyn TimeSource>,
    abandoned: Arc<AtomicBool>,
    engine: Option<(Game, Box<dyn Engine>)>,
    /// The game after the reply it expects.
    expected: Option<GameLine>,
    /// Reports of the search that thinks about it now.
    pondering: Option<Receiver<SearchEvent>>,
}

/// What a search said.
enum SearchEvent {
    Info(Info),
    Best { at: Moment, best: Best },
    Mate(MateAnswer),
}

/// The end of a search.
enum End {
    Best { at: Moment, best: Best, info: Option<Info> },
    Mate(MateAnswer),
}

impl LocalPlayer {
    /// A player whose engine is made when its first game begins. It gives up whatever it does when
    /// `abandoned` is set.
    pub fn new(
        settings: PlayerSettings,
        factory: Arc<EngineFactory>,
        time: Arc<dyn TimeSource>,
        abandoned: Arc<AtomicBool>,
    ) -> Self {
        Self {
            settings,
            new_options: Vec::new(),
            factory,
            time,
            abandoned,
            engine: None,
            expected: None,
            pondering: None,
        }
    }

    /// Options for the games to come, besides those it was made with.
    pub fn set_options(&mut self, options: Vec<(String, String)>) {
        self.new_options = options;
    }

    /// Asks a question; what comes of it comes through the channel.
    fn ask(
        &self,
        engine: &mut dyn Engine,
        game: &GameLine,
        go: &Go,
        asked: Moment,
    ) -> Result<Receiver<SearchEvent>, EngineFault> {
        let wrong = |error: &dyn std::error::Error| EngineFault::protocol(error.to_string());
        let limits = go.limits(game.position(), asked).map_err(|error| wrong(&error))?;
        engine.set_position(game.position().clone()).map_err(|error| wrong(&error))?;
        let (sender, answers) = channel();
        engine.go(limits, Box::new(Relay { time: Arc::clone(&self.time), to: sender }));
        Ok(answers)
    }

    fn engine(&mut self, game: Game) -> Result<&mut dyn Engine, OptionError> {
        if self.engine.as_ref().is_none_or(|(made_for, _)| *made_for != game) {
            let mut engine = (self.factory)(game);
            let declared = engine.options();
            for (name, value) in &self.settings.optional {
                if declared.iter().any(|option| option.is_called(name)) {
                    engine.set_option(name, value)?;
                }
            }
            for (name, value) in &self.settings.options {
                engine.set_option(name, value)?;
            }
            self.engine = Some((game, engine));
        }
        match &mut self.engine {
            Some((_, engine)) => {
                for (name, value) in self.new_options.drain(..) {
                    engine.set_option(&name, &value)?;
                }
                Ok(&mut **engine)
            }
            None => Err(OptionError::Unknown { name: String::new() }),
        }
    }

    /// Waits for the end of a search.
    fn wait(
        &self,
        engine: &dyn Engine,
        answers: &Receiver<SearchEvent>,
        asked: Moment,
        request: &SearchRequest<'_>,
        mut listener: Option<Listener<'_>>,
    ) -> Result<End, PlayerError> {
        let control = engine.control();
        let handle = control.clone();
        request.handle.on_signal(move |signals| {
            if let Some(hit) = signals.hit {
                handle.ponderhit(hit);
            }
            if signals.stop || signals.abandon {
                handle.stop();
            }
        });
        let mut last = None;
        loop {
            match answers.recv_timeout(GLANCE) {
                Ok(SearchEvent::Info(info)) => {
                    if let Some(listener) = &mut listener {
                        listener(&info);
                    }
                    if info.score.is_some() && info.multipv.is_none_or(|rank| rank == 1) {
                        last = Some(info);
                    }
                    continue;
                }
                Ok(_) if request.handle.signals().abandon => return Err(PlayerError::Abandoned),
                Ok(SearchEvent::Best { at, best }) => {
                    return Ok(End::Best { at, best, info: last });
                }
                Ok(SearchEvent::Mate(answer)) => return Ok(End::Mate(answer)),
                Err(RecvTimeoutError::Disconnected) => {
                    let detail = "the search ended without answer";
                    return Err(EngineFault::new(FaultKind::Crash, detail).into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.abandoned.load(Ordering::Relaxed) || request.handle.signals().abandon {
                control.quit();
                return Err(PlayerError::Abandoned);
            }
            let Allowed::Within(allowed) = request.allowed else { continue };
            let passed = self.time.now().saturating_sub(asked);
            if passed > allowed {
                control.stop();
            }
            if passed > allowed.saturating_add(STALL) {
                let detail = format!("no answer for {} ms", passed.as_millis());
                return Err(EngineFault::stall("bestmove", detail).into());
            }
        }
    }

    /// Asks, or goes on with what is being pondered, and waits for the end.
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        listener: Option<Listener<'_>>,
    ) -> Result<(Moment, End), PlayerError> {
        let Some((game, mut engine)) = self.engine.take() else {
            return Err(EngineFault::new(FaultKind::Crash, "the engine is not running").into());
        };
        let asked = self.time.now();
        let expected = self.expected.take();
        let hit = expected.is_some_and(|expected| expected.line() == request.game.line());
        let answers = match self.pondering.take() {
            Some(answers) if hit => {
                let clocks = request.go.times.clocks();
                engine.control().ponderhit(PonderHit { at: asked, clocks });
                Ok(answers)
            }
            // Starting a search stops the one that thinks about something else.
            _ => self.ask(&mut *engine, request.game, &request.go, asked),
        };
        let answers = match answers {
            Ok(answers) => answers,
            Err(fault) => {
                self.engine = Some((game, engine));
                return Err(fault.into());
            }
        };
        let end = self.wait(&*engine, &answers, asked, request, listener);
        match &end {
            // A search that cannot be stopped cannot be waited for either: it is left behind.
            Err(PlayerError::Fault(fault)) if fault.kind == FaultKind::Stall => {
                std::mem::forget(engine);
            }
            _ => {
                engine.wait();
                self.engine = Some((game, engine));
            }
        }
        end.map(|end| (asked, end))
    }
}

impl Player for LocalPlayer {
    fn prepare(&mut self, game: Game, note: &mut dyn FnMut(&str)) -> Result<(), PlayerError> {
        match self.engine(game) {
            Ok(engine) => {
                engine.is_ready(note);
                engine.new_game();
                Ok(())
            }
            Err(error) => Err(EngineFault::protocol(error.to_string()).into()),
        }
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.engine.as_ref().map(|(_, engine)| engine.options()).unwrap_or_default()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<bool, PlayerError> {
        let Some((_, engine)) = &mut self.engine else { return Ok(false) };
        match engine.set_option(name, value) {
            Ok(()) => Ok(true),
            Err(OptionError::Unknown { .. }) => Ok(false),
            Err(error) => Err(EngineFault::protocol(error.to_string()).into()),
        }
    }

    fn think(
        &mut self,
        request: &SearchRequest<'_>,
        listener: Option<Listener<'_>>,
    ) -> Result<Decision, PlayerError> {
        let (asked, end) = self.search(request, listener)?;
        let End::Best { at, best, info } = end else {
            return Err(EngineFault::protocol("looked for a mate instead of a move").into());
        };
        let lag = self.time.now().saturating_sub(at);
        if let (true, Answer::Move(m), Some(reply)) =
            (self.settings.ponder, best.answer, best.ponder)
        {
            self.expected = request.game.expecting(m, reply);
        }
        Ok(Decision {
            answer: best.answer,
            ponder: best.ponder,
            time: at.saturating_sub(asked),
            info,
            lag,
            starved: Duration::ZERO,
        })
    }

    fn find_mate(&mut self, request: &SearchRequest<'_>) -> Result<MateAnswer, PlayerError> {
        match self.search(request, None)?.1 {
            End::Mate(answer) => Ok(answer),
            End::Best { .. } => {
                Err(EngineFault::protocol("looked for a move instead of a mate").into())
            }
        }
    }

    fn ponder(&mut self, go: &Go) -> Result<(), PlayerError> {
        let Some(expected) = &self.expected else { return Ok(()) };
        let Some((game, mut engine)) = self.engine.take() else { return Ok(()) };
        let go = Go { ponder: true, ..go.clone() };
        let asked = self.ask(&mut *engine, expected, &go, self.time.now());
        self.engine = Some((game, engine));
        self.pondering = Some(asked?);
        Ok(())
    }

    fn finish(&mut self, _: Conclusion<'_>) {
        self.expected = None;
        if self.pondering.take().is_some()
            && let Some((_, engine)) = &mut self.engine
        {
            engine.control().stop();
            engine.wait();
        }
    }
}

/// Hands on what a search says.
struct Relay {
    time: Arc<dyn TimeSource>,
    to: Sender<SearchEvent>,
}

impl Relay {
    fn tell(&self, told: SearchEvent) {
        // Nobody listens any more if the game was abandoned.
        let _ = self.to.send(told);
    }
}

impl Report for Relay {
    fn info(&mut self, info: &Info) {
        self.tell(SearchEvent::Info(info.clone()));
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        self.tell(SearchEvent::Best { at: self.time.now(), best: *best });
    }

    fn mate(&mut self, answer: &MateAnswer) {
        self.tell(SearchEvent::Mate(answer.clone()));
    }
}
