//! Progress: a table that updates in place on a terminal, plain lines now and then elsewhere.

use arena::summary::Summary;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Least time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(10);

pub(crate) struct Live {
    bar: Option<ProgressBar>,
    total: u64,
    /// Games of an earlier run, which tell nothing about speed.
    before: u64,
    done: u64,
    began: Instant,
    said: Cell<Instant>,
}

impl Live {
    pub(crate) fn new(total: u64, done: u64) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{msg}\n{wide_bar} {pos}/{len} {prefix}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_position(done);
            bar.enable_steady_tick(Duration::from_secs(1));
            bar
        });
        let now = Instant::now();
        Self { bar, total, before: done, done, began: now, said: Cell::new(now) }
    }

    /// Shows where the match stands: always in the table, now and then as a plain line.
    pub(crate) fn show(&self, summary: &Summary<'_>) {
        let (done, total, left) = (self.done, self.total, self.time_left());
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_prefix(format!("{left} left"));
            bar.set_message(summary.text().trim_end().to_owned());
        } else if self.said.get().elapsed() >= INTERVAL {
            self.said.set(Instant::now());
            self.say(&format!("{done}/{total} {}, {left} left", summary.line()));
        }
    }

    /// One more game.
    pub(crate) fn count(&mut self) {
        self.done += 1;
    }

    /// A remark, above the table.
    pub(crate) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            // Where nobody reads it there is nobody to tell.
            None => {
                let _ = writeln!(io::stderr(), "{line}");
            }
        }
    }

    fn time_left(&self) -> String {
        let played = self.done - self.before;
        if played == 0 {
            return "unknown time".to_owned();
        }
        let each = self.began.elapsed().as_secs_f64() / played as f64;
        let seconds = (each * self.total.saturating_sub(self.done) as f64).round() as u64;
        format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }

    /// Takes the table away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
