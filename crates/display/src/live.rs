//! How far something is: text above a bar on a terminal, a plain line now and then elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Least time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// A bar with text above it, and the pace of the work.
pub struct Live {
    bar: Option<ProgressBar>,
    total: u64,
    /// What earlier runs did, which tells nothing about speed.
    before: u64,
    began: Instant,
    said: Instant,
}

impl Live {
    pub fn new(total: u64, done: u64) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{msg}\n{wide_bar} {pos}/{len} {prefix}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_position(done);
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        let now = Instant::now();
        Self { bar, total, before: done, began: now, said: now }
    }

    /// Shows how far it is: `pace` beside the bar, `text` above it; elsewhere `line` now and then.
    pub fn show(
        &mut self,
        done: u64,
        pace: &str,
        text: impl FnOnce() -> String,
        line: impl FnOnce() -> String,
    ) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_prefix(pace.to_owned());
            bar.set_message(text());
        } else if self.said.elapsed() >= INTERVAL {
            self.said = Instant::now();
            self.say(&line());
        }
    }

    /// A remark, above the bar.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            // Where nobody reads it there is nobody to tell.
            None => {
                let _ = writeln!(io::stderr(), "{line}");
            }
        }
    }

    /// Seconds each has taken, once there is one.
    pub fn seconds_each(&self, done: u64) -> Option<f64> {
        let here = done.saturating_sub(self.before);
        (here > 0).then(|| self.began.elapsed().as_secs_f64() / here as f64)
    }

    /// The time the rest will take.
    pub fn time_left(&self, done: u64) -> String {
        let Some(each) = self.seconds_each(done) else { return "unknown time".to_owned() };
        let seconds = (each * self.total.saturating_sub(done) as f64).round() as u64;
        format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
