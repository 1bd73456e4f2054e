//! The seam: one worker thread per search.

use crate::material;
use crate::search::{Evaluate, Rules, Search};
use rules::{AnyPosition, Declaration, Minishogi, Position, Shogi, Variant};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use think::{
    Answer, Best, Control, Engine, Limits, MateAnswer, OptionError, OptionSpec, Report, Settings,
    TimeSource, WrongGame,
};

/// Room for the deepest line: a node holds its moves on the stack.
const STACK: usize = 16 << 20;

/// A game this engine plays.
pub trait Playable: Variant {
    /// The position, if it is of this game.
    fn from_any(position: AnyPosition) -> Option<Position<Self>>;
}

impl Playable for Shogi {
    fn from_any(position: AnyPosition) -> Option<Position<Self>> {
        match position {
            AnyPosition::Shogi(position) => Some(position),
            AnyPosition::Minishogi(_) => None,
        }
    }
}

impl Playable for Minishogi {
    fn from_any(position: AnyPosition) -> Option<Position<Self>> {
        match position {
            AnyPosition::Shogi(_) => None,
            AnyPosition::Minishogi(position) => Some(position),
        }
    }
}

/// The engine.
pub struct AlphaBeta<V: Playable> {
    position: Position<V>,
    settings: Settings,
    time: Arc<dyn TimeSource>,
    evaluate: Evaluate<V>,
    control: Control,
    worker: Option<JoinHandle<()>>,
}

impl<V: Playable> AlphaBeta<V> {
    /// An engine at the start position that reads the time from `time`.
    pub fn new(time: Arc<dyn TimeSource>) -> Self {
        Self::with_evaluation(time, material::evaluate)
    }

    pub(crate) fn with_evaluation(time: Arc<dyn TimeSource>, evaluate: Evaluate<V>) -> Self {
        Self {
            position: Position::startpos(),
            settings: Settings::new(options()),
            time,
            evaluate,
            control: Control::default(),
            worker: None,
        }
    }

    fn rules(&self) -> Rules {
        let clamp = |name| u32::try_from(self.settings.number(name)).unwrap_or(0);
        Rules {
            declaration: self.settings.text("EnteringKingRule").parse().unwrap_or_default(),
            max_moves: clamp("MaxMovesToDraw"),
            resign: clamp("ResignValue") as i32,
            ponder: self.settings.flag("USI_Ponder"),
            delay: Duration::from_millis(u64::from(clamp("NetworkDelay"))),
        }
    }
}

fn options() -> Vec<OptionSpec> {
    let rules = Declaration::ALL.map(Declaration::name);
    vec![
        OptionSpec::spin(
            "USI_Hash",
            256,
            1,
            33_554_432,
            "Memory in MB for a table of positions. Accepted because every interface sends it; \
             this search keeps no table.",
        ),
        OptionSpec::check("USI_Ponder", false, "Name the reply expected, to be pondered on."),
        OptionSpec::spin(
            "NetworkDelay",
            120,
            0,
            10_000,
            "Milliseconds that are never used of a game clock, for the way to the server and back.",
        ),
        OptionSpec::combo(
            "EnteringKingRule",
            Declaration::Points27.name(),
            &rules,
            "When a king in the enemy's camp wins by declaration. Without meaning in minishogi.",
        ),
        OptionSpec::spin(
            "MaxMovesToDraw",
            0,
            0,
            100_000,
            "The game is drawn after this many moves; 0 for no such rule.",
        ),
        OptionSpec::spin(
            "ResignValue",
            99_999,
            1,
            99_999,
            "Resign when the value is worse than minus this, in hundredths of a pawn.",
        ),
    ]
}

impl<V: Playable> Engine for AlphaBeta<V> {
    fn set_position(&mut self, position: AnyPosition) -> Result<(), WrongGame> {
        let wrong = WrongGame { plays: V::GAME, given: position.game() };
        self.position = V::from_any(position).ok_or(wrong)?;
        Ok(())
    }

    fn go(&mut self, limits: Limits, report: Box<dyn Report>) {
        self.control.stop();
        self.wait();
        self.control = Control::new(limits.ponder);
        let job = Job {
            position: self.position.clone(),
            limits,
            rules: self.rules(),
            control: self.control.clone(),
            time: Arc::clone(&self.time),
            evaluate: self.evaluate,
        };
        let builder = thread::Builder::new().name("search".to_owned()).stack_size(STACK);
        // The report must not be lost with the closure if there is no thread to be had.
        let slot = Arc::new(std::sync::Mutex::new(Some((job, report))));
        let taken = Arc::clone(&slot);
        let run = move || {
            if let Some((job, mut report)) = take(&taken) {
                job.run(&mut *report);
            }
        };
        match builder.spawn(run) {
            Ok(worker) => self.worker = Some(worker),
            Err(error) => {
                if let Some((job, mut report)) = take(&slot) {
                    report.note(&format!("no thread for the search ({error}): not reading ahead"));
                    report.best(&job.first_move());
                }
            }
        }
    }

    fn control(&self) -> Control {
        self.control.clone()
    }

    fn wait(&mut self) {
        if let Some(worker) = self.worker.take() {
            // A worker contains its own panics: there is nothing to learn from the result.
            let _ = worker.join();
        }
    }

    fn new_game(&mut self) {
        self.position = Position::startpos();
    }

    fn is_ready(&mut self, _note: &mut dyn FnMut(&str)) {}

    fn options(&self) -> Vec<OptionSpec> {
        self.settings.specs().cloned().collect()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.settings.set(name, value).map(|_| ())
    }

    fn static_value(&mut self) -> Option<i32> {
        Some((self.evaluate)(&self.position))
    }
}

impl<V: Playable> Drop for AlphaBeta<V> {
    fn drop(&mut self) {
        self.control.quit();
        self.wait();
    }
}

fn take<T>(slot: &std::sync::Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()
}

/// All a worker needs.
struct Job<V: Variant> {
    position: Position<V>,
    limits: Limits,
    rules: Rules,
    control: Control,
    time: Arc<dyn TimeSource>,
    evaluate: Evaluate<V>,
}

impl<V: Variant> Job<V> {
    fn run(self, report: &mut dyn Report) {
        if self.limits.mate.is_some() {
            report.mate(&MateAnswer::NotImplemented);
            return;
        }
        let mut search = Search::new(
            self.position.clone(),
            &self.limits,
            &self.rules,
            &self.control,
            &*self.time,
            self.evaluate,
        );
        let found = catch_unwind(AssertUnwindSafe(|| search.run(report)));
        let best = found.unwrap_or_else(|_| {
            report.note("the search failed: playing the best move it had found");
            match search.best.first() {
                Some(&m) => Best { answer: Answer::Move(m), ponder: None },
                None => self.first_move(),
            }
        });
        let best = self.checked(best);
        self.control.wait_until_answerable(self.limits.infinite);
        report.best(&best);
    }

    /// The answer if it can be played, else some move that can.
    fn checked(&self, best: Best) -> Best {
        let Answer::Move(m) = best.answer else { return best };
        if !self.position.is_legal(m) {
            return self.first_move();
        }
        let mut after = self.position.clone();
        after.play(m);
        Best { ponder: best.ponder.filter(|&reply| after.is_legal(reply)), ..best }
    }

    /// Any legal move; resignation if there is none.
    fn first_move(&self) -> Best {
        let moves = self.position.legal_moves();
        let answer = moves.first().map_or(Answer::Resign, |&m| Answer::Move(m));
        Best { answer, ponder: None }
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
