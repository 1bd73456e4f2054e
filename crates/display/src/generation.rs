//! What is seen of a generation: every step as its own command shows it.

use crate::{MatchDisplay, OpeningsBar, SelfPlayDisplay, TrainingDisplay, say};
use arena::ledger::Entry;
use arena::progress::{MatchObserver, MatchProgress};
use arena::selfplay::file::{GameFile, Progress};
use arena::{Finished, Flow};
use lab::observer::Observer;
use lab::selfplay::{SelfPlay, SelfPlayObserver};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The display of every step, one after another.
pub struct GenerationDisplay {
    stop: Arc<AtomicBool>,
    selfplay: SelfPlayDisplay,
    openings: Option<OpeningsBar>,
    gate: MatchDisplay,
}

impl GenerationDisplay {
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        let (selfplay, gate) = (SelfPlayDisplay::default(), MatchDisplay::new(false));
        Self { stop, selfplay, openings: None, gate }
    }
}

impl Observer for GenerationDisplay {
    fn step(&mut self, command: &str) {
        say(command);
    }

    fn note(&mut self, line: &str) {
        say(line);
    }

    fn openings(&mut self, made: usize, wanted: usize, candidates: u64) {
        self.openings.get_or_insert_with(|| OpeningsBar::new(wanted)).show(made, candidates);
    }

    fn training(&mut self, checkpoint_every: Duration) -> Box<dyn trainer::Observer + '_> {
        Box::new(TrainingDisplay::new(checkpoint_every, Arc::clone(&self.stop)))
    }

    fn step_over(&mut self) {
        self.selfplay.clear();
        self.gate.clear();
        if let Some(bar) = self.openings.take() {
            bar.clear();
        }
    }
}

impl SelfPlayObserver for GenerationDisplay {
    fn opened(&mut self, request: &SelfPlay, file: &GameFile, evaluation: &str) {
        self.selfplay.opened(request, file, evaluation);
    }

    fn played(&mut self, progress: &Progress) {
        self.selfplay.played(progress);
    }
}

impl MatchObserver for GenerationDisplay {
    fn begun(&mut self, progress: &MatchProgress<'_>) {
        self.gate.begun(progress);
    }

    fn finished(&mut self, game: &Finished, entry: &Entry, progress: &MatchProgress<'_>) -> Flow {
        self.gate.finished(game, entry, progress)
    }
}
