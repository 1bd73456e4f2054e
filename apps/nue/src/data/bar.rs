//! How far a long command is: share of the input, positions per second, time left.

use chart::grouped;
use corpus::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Work shorter than this shows no progress.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar on the error stream.
pub(super) struct Bar {
    bar: ProgressBar,
    started: Instant,
    positions: Cell<u64>,
}

impl Bar {
    pub(super) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        let template = "{bar:30} {percent:>3}% {eta:>4} left  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, started: Instant::now(), positions: Cell::new(0) }
    }

    /// Shows how far it is.
    pub(super) fn show(&self, progress: Progress) {
        self.positions.set(progress.positions);
        self.bar.set_length(progress.total);
        self.bar.set_position(progress.bytes);
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        let (positions, speed) = (grouped(progress.positions), grouped(self.speed()));
        self.bar.set_message(format!("{positions} positions, {speed}/s"));
    }

    /// Positions a second.
    fn speed(&self) -> u64 {
        (self.positions.get() as f64 / self.started.elapsed().as_secs_f64().max(1e-9)) as u64
    }

    /// The bar goes; how many positions were done in how much time.
    pub(super) fn rate(&self) -> String {
        self.bar.finish_and_clear();
        let seconds = self.started.elapsed().as_secs_f64();
        format!("{seconds:.1} s, {} positions/s", grouped(self.speed()))
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
