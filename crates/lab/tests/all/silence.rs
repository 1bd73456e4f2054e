//! Looks on and says nothing.

use arena::ledger::Entry;
use arena::progress::{MatchObserver, MatchProgress};
use arena::selfplay::file::{GameFile, Progress};
use arena::{Finished, Flow};
use lab::observer::Observer;
use lab::selfplay::{SelfPlay, SelfPlayObserver};
use std::time::Duration;
use trainer::Begun;

pub(crate) struct Silence;

impl Observer for Silence {
    fn step(&mut self, _: &str) {}

    fn note(&mut self, _: &str) {}

    fn openings(&mut self, _: usize, _: usize, _: u64) {}

    fn training(&mut self, _: Duration) -> Box<dyn trainer::Observer + '_> {
        Box::new(Self)
    }

    fn step_over(&mut self) {}
}

impl SelfPlayObserver for Silence {
    fn opened(&mut self, _: &SelfPlay, _: &GameFile, _: &str) {}

    fn played(&mut self, _: &Progress) {}
}

impl MatchObserver for Silence {
    fn begun(&mut self, _: &MatchProgress<'_>) {}

    fn finished(&mut self, _: &Finished, _: &Entry, _: &MatchProgress<'_>) -> Flow {
        Flow::Continue
    }
}

impl trainer::Observer for Silence {
    fn begun(&mut self, _: &Begun) {}

    fn batch(&mut self, _: &trainer::Progress) -> trainer::Next {
        trainer::Next::Go
    }

    fn validated(&mut self, _: &trainer::Entry, _: Option<f64>) {}

    fn saved(&mut self) {}

    fn speed(&self) -> f64 {
        0.0
    }
}
