//! `nue gen`: teacher data by self-play, which is `arena::selfplay`'s.

mod args;

pub(crate) use args::GenArgs;

use crate::assemble;
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use arena::selfplay::file::{Ended, FileError, GameFile, Goal, Progress, Run};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use think::{TimeSource, WallTime};

/// Runs the command.
pub(crate) fn run(args: &GenArgs) -> Outcome {
    let (evaluation, about) = args.evaluation.as_engine(args.game.game)?;
    let settings = args.settings()?;
    let recipe = settings.recipe()?;
    let engine = format!("Nue {}", env!("CARGO_PKG_VERSION"));
    let header = settings.header(&engine, &evaluation.fingerprint()?);
    let file = GameFile::open(&args.out, args.existing(), header)?;
    if let Some(cut) = file.damage() {
        let path = args.out.display();
        say(&format!("{path}: what follows the last whole block is cut off ({cut})"));
    }
    say(&format!("evaluation: {about}"));
    let goal = args.goal();
    if file.has_reached(&goal, Duration::ZERO) {
        let (path, games, positions) = (args.out.display(), file.games(), file.positions());
        say(&format!("{path} has all of it already: {games} games, {positions} positions"));
        return Ok(());
    }
    let (abandoned, handled) = interrupt::flag();
    if !handled {
        say("warning: an interrupt will lose the games that are not yet written");
    }
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let (game, for_engines) = (args.game.game, Arc::clone(&time));
    let factory = move |_| assemble::search(game, &evaluation, Arc::clone(&for_engines));
    let run = Run {
        recipe: &recipe,
        factory: &factory,
        threads: args.threads(),
        goal,
        block: args.block,
        time: &*time,
        abandoned: &abandoned,
    };
    let bar = Bar::new(goal, &file);
    let ended = file.play(&run, &mut |progress| bar.show(progress));
    bar.bar.finish_and_clear();
    report(&args.out, &ended?)
}

fn say(line: &str) {
    // Where nobody reads it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}

fn report(path: &Path, ended: &Ended) -> Outcome {
    let Progress { games, positions, made, nodes, searches, repeated, elapsed } = ended.progress;
    say(&format!(
        "{}: {games} games, {positions} positions, {} bytes; this run {made} positions in {:.1} s, \
         {:.0} positions/s, {:.0} nodes a search, {:.3} Mn/s",
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
    if ended.interrupted {
        return Err(Failure::failed("interrupted; --resume continues"));
    }
    Ok(())
}

/// How far it is, in a line that changes.
struct Bar {
    bar: ProgressBar,
    goal: Goal,
}

impl Bar {
    fn new(goal: Goal, file: &GameFile) -> Self {
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
        Self { bar, goal }
    }

    fn show(&self, progress: &Progress) {
        self.bar.set_position(match (self.goal.games, self.goal.positions) {
            (Some(_), _) => progress.games,
            (_, Some(_)) => progress.positions,
            _ => progress.elapsed.as_secs(),
        });
        self.bar.set_message(format!(
            "{} games, {} positions, {:.0} positions/s, {:.0} kn/s",
            progress.games,
            progress.positions,
            progress.positions_per_second(),
            progress.nodes_per_second() / 1000.0,
        ));
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Exists(_) => {
                Self::failed(format!("{error}: --resume continues it, --force replaces it"))
            }
            _ => Self::failed(error.to_string()),
        }
    }
}
