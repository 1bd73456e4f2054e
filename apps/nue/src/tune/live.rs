//! How far a tuning is: a bar on a terminal, a line now and then elsewhere.

use arena::spsa::{Parameter, Spsa};
use arena::tuning::Step;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Least time between two plain lines.
const INTERVAL: Duration = Duration::from_secs(10);

pub(super) struct Live {
    bar: Option<ProgressBar>,
    /// Iterations of earlier runs, which tell nothing about speed.
    before: u64,
    total: u64,
    pairs: u64,
    began: Instant,
    said: Instant,
    faults: u64,
}

impl Live {
    pub(super) fn new(spsa: &Spsa, pairs: u64) -> Self {
        let total = spsa.gains().iterations;
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{msg}\n{wide_bar} {pos}/{len} {prefix}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_position(spsa.applied());
            bar
        });
        let now = Instant::now();
        let before = spsa.applied();
        Self { bar, before, total, pairs, began: now, said: now, faults: 0 }
    }

    /// An iteration is over.
    pub(super) fn show(&mut self, step: &Step, parameters: &[Parameter]) {
        self.faults += u64::from(step.faults);
        let done = step.iteration + 1;
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_prefix(self.pace(done));
            bar.set_message(values(step, parameters));
        } else if self.said.elapsed() >= INTERVAL {
            self.said = Instant::now();
            let line =
                format!("{done}/{} {}: {}", self.total, self.pace(done), values(step, parameters));
            // Where nobody reads it there is nobody to tell.
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    fn pace(&self, done: u64) -> String {
        let each = self.began.elapsed().as_secs_f64() / done.saturating_sub(self.before) as f64;
        let seconds = (each * self.total.saturating_sub(done) as f64).round() as u64;
        let games = 2.0 * self.pairs as f64 / each.max(1e-9);
        let left = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        let faults = match self.faults {
            0 => String::new(),
            n => format!(", {n} games lost by faults"),
        };
        format!("iterations, {games:.1} games/s, {left} left{faults}")
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The values that have moved, from where to where.
fn values(step: &Step, parameters: &[Parameter]) -> String {
    let moved = parameters.iter().zip(&step.values).filter(|(d, v)| (d.start - **v).abs() >= 0.05);
    let parts: Vec<String> = moved
        .map(|(parameter, value)| format!("{} {}→{value:.1}", parameter.name, parameter.start))
        .collect();
    if parts.is_empty() { "nothing has moved yet".to_owned() } else { parts.join(", ") }
}
