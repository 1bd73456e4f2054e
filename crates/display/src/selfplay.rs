//! How far self-play is.

use crate::say;
use arena::selfplay::file::{Ended, GameFile, Goal, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::selfplay::{SelfPlay, SelfPlayObserver};
use std::path::Path;
use std::time::Duration;

/// A line that changes, and what is said before and after.
#[derive(Default)]
pub struct SelfPlayDisplay {
    bar: Option<(ProgressBar, Goal)>,
}

impl SelfPlayObserver for SelfPlayDisplay {
    fn opened(&mut self, request: &SelfPlay, file: &GameFile, evaluation: &str) {
        let path = request.out.display();
        if let Some(cut) = file.damage() {
            say(&format!("{path}: what follows the last whole block is cut off ({cut})"));
        }
        say(&format!("evaluation: {evaluation}"));
        let goal = request.goal;
        if file.has_reached(&goal, Duration::ZERO) {
            let (games, positions) = (file.games(), file.positions());
            say(&format!("{path} has all of it already: {games} games, {positions} positions"));
            return;
        }
        let (length, done) = match (goal.games, goal.positions) {
            (Some(games), _) => (games, file.games()),
            (_, Some(positions)) => (positions, file.positions()),
            _ => (goal.time.map_or(1, |time| time.as_secs()), 0),
        };
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:30} {percent:>3}% {eta:>4} left  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_position(done);
        bar.reset_eta();
        self.bar = Some((bar, goal));
    }

    fn played(&mut self, progress: &Progress) {
        let Some((bar, goal)) = &self.bar else { return };
        bar.set_position(match (goal.games, goal.positions) {
            (Some(_), _) => progress.games,
            (_, Some(_)) => progress.positions,
            _ => progress.elapsed.as_secs(),
        });
        bar.set_message(format!(
            "{} games, {} positions, {:.0} positions/s, {:.0} kn/s",
            progress.games,
            progress.positions,
            progress.positions_per_second(),
            progress.nodes_per_second() / 1000.0,
        ));
    }
}

impl SelfPlayDisplay {
    /// Takes the line away.
    pub fn clear(&mut self) {
        if let Some((bar, _)) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Says what came of it.
    pub fn report(path: &Path, ended: &Ended) {
        let Progress { games, positions, made, nodes, searches, repeated, elapsed } =
            ended.progress;
        say(&format!(
            "{}: {games} games, {positions} positions, {} bytes; this run {made} positions in \
             {:.1} s, {:.0} positions/s, {:.0} nodes a search, {:.3} Mn/s",
            path.display(),
            ended.bytes,
            elapsed.as_secs_f64(),
            ended.progress.positions_per_second(),
            nodes as f64 / searches.max(1) as f64,
            ended.progress.nodes_per_second() / 1e6,
        ));
        if repeated > 0 {
            say(&format!(
                "{repeated} games had been played before: more random moves would give others"
            ));
        }
    }
}
