//! How far reinforcement learning is.

use crate::say;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use reinforce::records::PlayProgress;
use reinforce::run::Watcher;
use std::time::Duration;

/// Between two lines where none can move.
const EVERY: Duration = Duration::from_secs(15);

/// A line that changes while games are played, and what is said before and after.
#[derive(Default)]
pub struct ReinforceDisplay {
    bar: Option<ProgressBar>,
    /// When something was said last, in the time of the step.
    said: Duration,
}

impl Watcher for ReinforceDisplay {
    fn step(&mut self, line: &str) {
        say(line);
    }

    fn note(&mut self, line: &str) {
        say(line);
    }

    fn played(&mut self, progress: &PlayProgress) {
        let bar = self.bar.get_or_insert_with(|| bar(progress.wanted));
        bar.set_position(progress.games);
        let left = progress
            .left()
            .map_or_else(String::new, |left| format!("{} left, ", HumanDuration(left)));
        let told = format!(
            "{left}{} of {} games, {} positions, {:.0} evaluations/s",
            progress.games,
            progress.wanted,
            progress.new_positions,
            progress.speed(),
        );
        // Where no line can move, one is said now and then.
        if bar.is_hidden() && progress.elapsed >= self.said + EVERY {
            self.said = progress.elapsed;
            say(&told);
        }
        bar.set_message(told);
    }

    fn step_over(&mut self) {
        self.said = Duration::ZERO;
        if let Some(bar) = self.bar.take() {
            let last = bar.message();
            bar.finish_and_clear();
            say(&last);
        }
    }
}

fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
