//! How far a command is with its input: share of it, positions per second, time left.

use chart::grouped;
use corpus::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Work shorter than this shows no progress.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar on the error stream.
pub struct InputBar {
    bar: ProgressBar,
    started: Instant,
    positions: Cell<u64>,
}

impl Default for InputBar {
    fn default() -> Self {
        Self::new()
    }
}

impl InputBar {
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        let template = "{bar:30} {percent:>3}% {eta:>4} left  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, started: Instant::now(), positions: Cell::new(0) }
    }

    /// Shows how far it is.
    pub fn show(&self, progress: Progress) {
        self.positions.set(progress.positions);
        self.bar.set_length(progress.total);
        self.bar.set_position(progress.bytes);
        let (positions, speed) = (grouped(progress.positions), grouped(self.speed()));
        self.tell(format!("{positions} positions, {speed}/s"));
    }

    /// So many more bytes of all are read, now from that place.
    pub fn read(&self, more: u64, total: u64, place: &str) {
        self.bar.set_length(total);
        self.bar.inc(more);
        self.tell(place.to_owned());
    }

    fn tell(&self, text: String) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_message(text);
    }

    /// Positions a second.
    fn speed(&self) -> u64 {
        (self.positions.get() as f64 / self.started.elapsed().as_secs_f64().max(1e-9)) as u64
    }

    /// The bar goes; how many positions were done in how much time.
    pub fn rate(&self) -> String {
        self.bar.finish_and_clear();
        let seconds = self.started.elapsed().as_secs_f64();
        format!("{seconds:.1} s, {} positions/s", grouped(self.speed()))
    }
}

impl Drop for InputBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
