//! What is seen of a run: a line that moves, and a table that grows.

use chart::grouped;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use trainer::{Begun, Entry, Next, Observer, Progress};

/// Least time between two plain lines where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(30);

/// A bar, and a line for every validation.
pub struct TrainingDisplay {
    bar: Option<ProgressBar>,
    epochs: u64,
    /// Positions of an epoch before any is left out.
    positions: u64,
    began: Instant,
    said: Instant,
    /// Positions learned from since `began`, and before.
    learned: u64,
    before: Option<u64>,
    /// When the last checkpoint was written, and how often that is due.
    saved: Instant,
    interval: Duration,
    stop: Arc<AtomicBool>,
}

impl TrainingDisplay {
    pub fn new(interval: Duration, stop: Arc<AtomicBool>) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{prefix} {bar:24} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        Self {
            bar,
            epochs: 0,
            positions: 0,
            began: now,
            said: now,
            learned: 0,
            before: None,
            saved: now,
            interval,
            stop,
        }
    }

    fn show(&mut self, progress: &Progress) {
        let before = *self.before.get_or_insert_with(|| {
            // The first batch shows what was done in an earlier run.
            self.began = Instant::now();
            progress.positions
        });
        self.learned = progress.positions - before;
        let silent = self.bar.is_none() && self.said.elapsed() < INTERVAL;
        if silent {
            return;
        }
        let counts = progress.counts;
        // How many of an epoch's positions are learned from is known from what was read of it.
        let used = counts.used as f64 / counts.total().max(1) as f64;
        let epoch = (self.positions as f64 * used).max(progress.in_epoch as f64);
        let left =
            self.epochs.saturating_sub(progress.epoch) as f64 * epoch - progress.in_epoch as f64;
        let rate = self.rate();
        let seconds = (left / rate.max(1.0)) as u64;
        let losses = progress.losses.mean();
        let line = format!(
            "loss {:.4} (score {:.4}, result {:.4})  {}/s  at most {}:{:02}:{:02} left",
            losses.total,
            losses.score,
            losses.result,
            grouped(rate as u64),
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        );
        let name = format!("epoch {}/{}", progress.epoch + 1, self.epochs);
        if let Some(bar) = &self.bar {
            bar.set_length(epoch as u64);
            bar.set_position(progress.in_epoch);
            bar.set_prefix(name);
            bar.set_message(line);
        } else {
            self.said = Instant::now();
            let share = 100.0 * progress.in_epoch as f64 / epoch.max(1.0);
            self.say(&format!("{name} {share:.0}%  {line}"));
        }
    }

    /// Positions a second.
    fn rate(&self) -> f64 {
        self.learned as f64 / self.began.elapsed().as_secs_f64().max(1e-9)
    }

    /// A row of the table.
    fn table(&self, entry: &Entry, agreement: Option<f64>) {
        let (training, held_out) = (entry.training, entry.validation);
        let training = match entry.steps {
            0 => String::new(),
            _ => format!("{:.5}", training.total),
        };
        let agreement = agreement.map_or(String::new(), |a| format!("  moves {:.1} %", 100.0 * a));
        let best = if entry.best && entry.steps > 0 { " *" } else { "" };
        self.say(&format!(
            "{:>6} {:>14} {:>9.2e}  {training:>8}  {:>8.5} {:>8.5} {:>8.5}{best}{agreement}",
            entry.epoch,
            grouped(entry.positions),
            entry.rate,
            held_out.total,
            held_out.score,
            held_out.result,
        ));
    }

    /// Lines above the one that moves.
    pub fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            // Where nobody reads it there is nobody to tell.
            None => {
                let _ = writeln!(io::stderr(), "{text}");
            }
        }
    }

    /// Takes the moving line away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for TrainingDisplay {
    fn begun(&mut self, begun: &Begun) {
        let Begun { model, held_out, epochs, batch, threads, .. } = begun;
        (self.epochs, self.positions) = (*epochs, begun.positions);
        let (positions, games) = (grouped(begun.positions), grouped(begun.games));
        self.say(&format!(
            "{model}\n{positions} positions of {games} games, validated on {} positions; \
             {threads} threads\n{:>6} {:>14} {:>9}  {:>8}  {:>8} {:>8} {:>8}",
            grouped(*held_out as u64),
            "epoch",
            "positions",
            "rate",
            "training",
            "held out",
            "score",
            "result",
        ));
        if *batch as u64 > begun.positions {
            self.say(&format!(
                "hint: a batch of {} positions is larger than the data: an epoch is a single step; \
                 a smaller --batch learns more from it",
                grouped(*batch as u64),
            ));
        }
    }

    fn batch(&mut self, progress: &Progress) -> Next {
        self.show(progress);
        if self.stop.load(Ordering::Relaxed) {
            Next::Stop
        } else if self.saved.elapsed() >= self.interval {
            Next::Save
        } else {
            Next::Go
        }
    }

    fn validated(&mut self, entry: &Entry, agreement: Option<f64>) {
        self.table(entry, agreement);
    }

    fn saved(&mut self) {
        self.saved = Instant::now();
    }

    fn speed(&self) -> f64 {
        self.rate()
    }
}
