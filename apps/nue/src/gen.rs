//! `nue gen`: teacher data by self-play.
//!
//! The games are played by `arena::selfplay`; here are the flags, the file and the progress. The
//! file is appended to block by block, and what is in it decides where a resumed run goes on.

mod args;

pub(crate) use args::GenArgs;

use crate::assemble;
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use arena::selfplay::Production;
use arena::selfplay::maker::Made;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use teacher::{Header, Reader, Writer};
use think::{TimeSource, WallTime};

/// Runs the command.
pub(crate) fn run(args: &GenArgs) -> Outcome {
    let (evaluation, about) = args.evaluation.as_engine(args.game.game)?;
    let recipe = args.recipe()?;
    let header = args.header(&recipe, &evaluation)?;
    let mut book = Book::open(args, header)?;
    say(&format!("evaluation: {about}"));
    if book.is_full() {
        say(&format!("{} has all of it already: {}", args.out.display(), book.told()));
        return Ok(());
    }
    let (abandoned, report) = interrupt::flag();
    if !report {
        say("warning: an interrupt will lose the games that are not yet written");
    }
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let game = args.game.game;
    let factory = move |_| assemble::search(game, &evaluation, Arc::clone(&time));
    let production = Production {
        recipe: &recipe,
        factory: &factory,
        threads: args.threads(),
        first: book.writer.games(),
        abandoned: &abandoned,
    };
    let mut seen = std::mem::take(&mut book.seen);
    let played = production.run(&mut seen, &mut |made| book.take(made));
    book.close(played.map_err(|broken| Failure::failed(broken.to_string())), &abandoned)
}

fn say(line: &str) {
    // Where nobody reads it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}

/// The file with what this run did to it.
struct Book<'a> {
    args: &'a GenArgs,
    writer: Writer<File>,
    seen: HashSet<u64>,
    failure: Option<Failure>,
    bar: ProgressBar,
    started: Instant,
    /// Positions when this run began, and when the last block was closed.
    had: u64,
    closed: u64,
    nodes: u64,
    searches: u64,
    repeated: u64,
}

impl<'a> Book<'a> {
    fn open(args: &'a GenArgs, header: Header) -> Result<Self, Failure> {
        let path = &args.out;
        let failed =
            |e: &dyn std::fmt::Display| Failure::failed(format!("{}: {e}", path.display()));
        let exists = path.exists();
        if exists && !args.resume && !args.force {
            return Err(failed(&"exists: --resume goes on with it, --force replaces it"));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(args.force);
        let file = options.open(path).map_err(|e| failed(&e))?;
        let mut seen = HashSet::new();
        let writer = if exists && args.resume {
            let (writer, survey) = Writer::resume(file, header).map_err(|e| failed(&e))?;
            if let Some(cut) = survey.damage.as_ref().filter(|_| survey.games > 0) {
                say(&format!(
                    "{}: what follows the last whole block is cut off ({cut})",
                    path.display()
                ));
            }
            let again = BufReader::new(File::open(path).map_err(|e| failed(&e))?);
            for game in Reader::new(again).map_err(|e| failed(&e))?.games() {
                seen.insert(game.map_err(|e| failed(&e))?.fingerprint());
            }
            writer
        } else {
            Writer::new(file, header).map_err(|e| failed(&e))?
        };
        let had = writer.positions();
        let bar = bar(args, &writer);
        let started = Instant::now();
        Ok(Self {
            args,
            writer,
            seen,
            failure: None,
            bar,
            started,
            had,
            closed: had,
            nodes: 0,
            searches: 0,
            repeated: 0,
        })
    }

    fn is_full(&self) -> bool {
        self.args.games.is_some_and(|games| self.writer.games() >= games)
            || self.args.positions.is_some_and(|positions| self.writer.positions() >= positions)
            || self.args.minutes.is_some_and(|m| self.started.elapsed().as_secs_f64() >= m * 60.0)
    }

    fn take(&mut self, made: &Made) -> ControlFlow<()> {
        let written = self.writer.write(&made.game).and_then(|()| {
            if self.writer.positions() - self.closed >= self.args.block {
                self.closed = self.writer.positions();
                self.writer.flush()?;
            }
            Ok(())
        });
        if let Err(error) = written {
            let path = self.args.out.display();
            self.failure = Some(Failure::failed(format!("{path}: {error}")));
            return ControlFlow::Break(());
        }
        self.nodes += made.nodes;
        self.searches += made.searches;
        self.repeated += u64::from(made.repeated);
        self.show();
        if self.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn show(&self) {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        let made = self.writer.positions() - self.had;
        let done = match (self.args.games, self.args.positions) {
            (Some(_), _) => self.writer.games(),
            (_, Some(_)) => self.writer.positions(),
            _ => seconds as u64,
        };
        self.bar.set_position(done);
        self.bar.set_message(format!(
            "{} games, {} positions, {:.0} positions/s, {:.0} kn/s",
            self.writer.games(),
            self.writer.positions(),
            made as f64 / seconds,
            self.nodes as f64 / seconds / 1000.0,
        ));
    }

    fn told(&self) -> String {
        format!("{} games, {} positions", self.writer.games(), self.writer.positions())
    }

    /// Writes the rest and tells what was done.
    fn close(self, played: Outcome, abandoned: &AtomicBool) -> Outcome {
        self.bar.finish_and_clear();
        let seconds = self.started.elapsed();
        let told = self.told();
        let (had, nodes, searches) = (self.had, self.nodes, self.searches);
        let made = self.writer.positions() - had;
        let path = self.args.out.display();
        let out = self.writer.finish().map_err(|e| Failure::failed(format!("{path}: {e}")))?;
        out.sync_all()?;
        let bytes = out.metadata()?.len();
        say(&format!(
            "{path}: {told}, {bytes} bytes; this run {made} positions in {:.1} s, {:.0} positions/s, \
             {:.0} nodes a search, {:.3} Mn/s",
            seconds.as_secs_f64(),
            rate(made, seconds),
            nodes as f64 / searches.max(1) as f64,
            rate(nodes, seconds) / 1e6,
        ));
        if self.repeated > 0 {
            say(&format!(
                "{} games had been played before: more random moves would give others",
                self.repeated
            ));
        }
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        played?;
        if abandoned.load(Ordering::Relaxed) {
            return Err(Failure::failed("interrupted; --resume goes on"));
        }
        Ok(())
    }
}

fn rate(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(1e-9)
}

fn bar(args: &GenArgs, writer: &Writer<File>) -> ProgressBar {
    let (length, done) = match (args.games, args.positions, args.minutes) {
        (Some(games), ..) => (games, writer.games()),
        (_, Some(positions), _) => (positions, writer.positions()),
        (.., minutes) => (minutes.map_or(1, |m| (m * 60.0) as u64), 0),
    };
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {percent:>3}% {eta:>4} left  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_position(done);
    bar.reset_eta();
    bar
}
