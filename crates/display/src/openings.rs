//! How many openings there are.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar of openings made.
pub struct OpeningsBar(ProgressBar);

impl OpeningsBar {
    pub fn new(wanted: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(wanted as u64), ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template("{wide_bar} {pos}/{len} openings {msg} {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    /// Shows how many there are, of how many tried.
    pub fn show(&self, made: usize, candidates: u64) {
        self.0.set_position(made as u64);
        self.0.set_message(format!("of {candidates} candidates"));
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}
