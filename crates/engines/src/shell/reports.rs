//! What a search reports, made into lines.

use super::output::Output;
use super::whole_line::LastLines;
use rules::Game;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use think::{Best, Info, MateAnswer, Moment, Report, TimeSource};
use usi::Reply;

/// What the session knows about a search it started.
#[derive(Clone, Default)]
pub(crate) struct Progress(Arc<State>);

#[derive(Default)]
struct State {
    answered: AtomicBool,
    dropped: AtomicBool,
}

impl Progress {
    /// Whether the search has given its answer.
    pub(crate) fn is_answered(&self) -> bool {
        self.0.answered.load(Ordering::SeqCst)
    }

    /// From now on the search is not listened to: nobody waits for its answer.
    pub(crate) fn drop_answer(&self) {
        self.0.dropped.store(true, Ordering::SeqCst);
    }

    fn is_dropped(&self) -> bool {
        self.0.dropped.load(Ordering::SeqCst)
    }
}

/// Turns reports of one search into lines.
pub(crate) struct LineReport {
    output: Output,
    game: Game,
    progress: Progress,
    /// When the search was asked for, and by which clock.
    begun: (Moment, Arc<dyn TimeSource>),
    lines: LastLines,
}

impl LineReport {
    pub(crate) fn new(
        output: Output,
        game: Game,
        progress: Progress,
        begun: (Moment, Arc<dyn TimeSource>),
    ) -> Self {
        Self { output, game, progress, begun, lines: LastLines::default() }
    }

    fn say(&self, reply: &Reply) {
        if !self.progress.is_dropped() {
            self.output.say(reply);
        }
    }

    fn answer(&self, reply: &Reply) {
        // Before the line: whoever reads it may send the next command at once.
        self.progress.0.answered.store(true, Ordering::SeqCst);
        self.say(reply);
    }
}

impl Report for LineReport {
    fn info(&mut self, info: &Info) {
        self.lines.add(info);
        self.say(&Reply::Info(usi::Info::from_thought(info, self.game)));
    }

    fn note(&mut self, text: &str) {
        if !self.progress.is_dropped() {
            self.output.note(text);
        }
    }

    fn best(&mut self, best: &Best) {
        let (at, time) = &self.begun;
        let elapsed = time.now().saturating_sub(*at);
        if let Some(line) = self.lines.missing(best, self.game, elapsed) {
            self.say(&Reply::Info(line));
        }
        self.answer(&Reply::best(best, self.game));
    }

    fn mate(&mut self, answer: &MateAnswer) {
        self.answer(&Reply::mate(answer, self.game));
    }
}
