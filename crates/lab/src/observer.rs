//! Whoever looks on while a generation is made.

use crate::selfplay::SelfPlayObserver;
use arena::progress::MatchObserver;
use std::time::Duration;

/// Told everything that happens, step by step. It has the clock and the terminal.
pub trait Observer: SelfPlayObserver + MatchObserver {
    /// A step begins; the command repeats it by hand.
    fn step(&mut self, command: &str);

    /// Something the user should know.
    fn note(&mut self, line: &str);

    /// So many of the openings wanted are made, of so many candidates.
    fn openings(&mut self, made: usize, wanted: usize, candidates: u64);

    /// Looks on while a net learns: says when a checkpoint is due and when to stop.
    fn training(&mut self, checkpoint_every: Duration) -> Box<dyn trainer::Observer + '_>;

    /// The step is over.
    fn step_over(&mut self);
}
