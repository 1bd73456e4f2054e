//! How far reinforcement learning is.

use crate::say;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use reinforce::records::PlayProgress;
use reinforce::run::Watcher;

/// A line that changes while games are played, and what is said before and after.
#[derive(Default)]
pub struct ReinforceDisplay {
    bar: Option<ProgressBar>,
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
        bar.set_message(format!(
            "{left}{} of {} games, {} positions, {:.0} evaluations/s",
            progress.games,
            progress.wanted,
            progress.new_positions,
            progress.speed(),
        ));
    }

    fn step_over(&mut self) {
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
