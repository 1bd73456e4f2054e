//! A training run: the session, its files, and what is shown of it.

use super::args::{Plan, TrainArgs};
use super::curve;
use super::display::Display;
use super::log::Log;
use super::nets::write;
use crate::failure::{Failure, Outcome};
use crate::interrupt;
use rules::Variant;
use serde_json::{Value, json};
use std::fs::File;
use std::io::BufReader;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use trainer::{Choices, Corpus, DataError, Entry, Model, Next, Progress, Session, Watch, Workers};

/// A model that becomes files of the engine.
pub(super) trait Product {
    /// Writes them, in place of those that are there. Also says what there is to say about it,
    /// for the log.
    fn publish(&self, args: &TrainArgs, validation: &Corpus) -> Result<Value, Failure>;
}

/// Trains a model.
pub(super) fn train<V: Variant, M: Model<V> + Product>(
    args: &TrainArgs,
    plan: &Plan,
    data: Corpus,
    validation: Corpus,
    model: M,
) -> Outcome {
    let failed = |e: DataError| Failure::from(e);
    let about = about(args, plan, &data, &validation, &model.describe());
    let (games, positions) = (data.games(), data.positions());
    let choices = match args.agreement {
        0 => Choices::default(),
        count => Choices::collect(&validation, &*model.encoder(), count).map_err(failed)?,
    };
    let description = model.describe();
    let session = Session::new(plan.settings, data, &validation, model, plan.workers);
    let mut session = session.map_err(failed)?;
    if session.held_out().is_empty() {
        return Err(Failure::failed("no position of the validation files is left to validate on"));
    }
    let display = Display::new(&description, plan, positions, games, session.held_out().len());
    if args.resume {
        resume(args, &mut session)?;
    }
    let log = Log::open(&args.log(), &about, session.history().len())?;
    let mut watch = Watcher {
        args,
        validation,
        choices,
        workers: plan.workers,
        display,
        log,
        saved: Instant::now(),
        // Where it cannot be set, an interrupt ends the program at once: the checkpoint stays.
        stop: interrupt::flag().0,
        improved: session.history().iter().any(|e| e.best && e.steps > 0),
        stopped: false,
    };
    session.history().iter().for_each(|entry| watch.display.table(entry, None));
    session.run(&mut watch)?;
    watch.display.clear();
    let svg = curve::svg(session.history(), &description);
    write(&args.curve(), |to| to.write_all(svg.as_bytes()))?;
    watch.end(session.history())
}

/// What the log begins with.
fn about(args: &TrainArgs, plan: &Plan, data: &Corpus, validation: &Corpus, model: &str) -> Value {
    let names = |files: &[std::path::PathBuf]| -> Vec<String> {
        files.iter().map(|f| f.display().to_string()).collect()
    };
    json!({
        "nue": env!("CARGO_PKG_VERSION"),
        "model": model,
        "game": plan.game.to_string(),
        "from": args.from.as_ref().map(|f| f.display().to_string()),
        "data": { "files": names(&args.data), "games": data.games(), "positions": data.positions() },
        "validation": {
            "files": names(&args.validation),
            "games": validation.games(),
            "positions": validation.positions(),
        },
        "settings": plan.settings,
    })
}

/// Goes on from the checkpoint, if there is one.
fn resume<V: Variant, M: Model<V>>(args: &TrainArgs, session: &mut Session<V, M>) -> Outcome {
    let path = args.checkpoint();
    let failed = |e: &dyn std::fmt::Display| Failure::failed(format!("{}: {e}", path.display()));
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(failed(&e)),
    };
    let mut from = BufReader::with_capacity(1 << 20, file);
    session.restore(&mut from).map_err(|e| failed(&e))
}

struct Watcher<'a> {
    args: &'a TrainArgs,
    validation: Corpus,
    choices: Choices,
    workers: Workers,
    display: Display,
    log: Log,
    /// When the last checkpoint was written.
    saved: Instant,
    stop: Arc<AtomicBool>,
    /// Whether a net was written.
    improved: bool,
    stopped: bool,
}

impl<V: Variant, M: Model<V> + Product> Watch<V, M> for Watcher<'_> {
    type Error = Failure;

    fn batch(&mut self, progress: &Progress) -> Result<Next, Failure> {
        self.display.show(progress);
        if self.stop.load(Ordering::Relaxed) {
            self.stopped = true;
            return Ok(Next::Stop);
        }
        let due = self.saved.elapsed() >= Duration::from_secs(self.args.checkpoint_every);
        Ok(if due { Next::Save } else { Next::Go })
    }

    fn validated(&mut self, entry: &Entry, model: &mut M) -> Result<(), Failure> {
        if !entry.validation.total.is_finite() {
            return Err(Failure::failed("the loss is not a number any more: try a smaller --lr"));
        }
        let mut line = serde_json::to_value(entry).unwrap_or_default();
        let agreement =
            (self.args.agreement > 0).then(|| self.choices.agreement::<V, M>(model, self.workers));
        if let Some(agreement) = agreement {
            line["agreement"] = json!(agreement);
        }
        line["positions_per_second"] = json!(self.display.rate().round());
        if entry.best && entry.steps > 0 {
            line["net"] = model.publish(self.args, &self.validation)?;
            self.improved = true;
        }
        self.display.table(entry, agreement);
        self.log.line(&line)
    }

    fn save(&mut self, session: &Session<V, M>) -> Result<(), Failure> {
        let path = self.args.checkpoint();
        let written = write(&path, |mut to| session.save(&mut to));
        written.map_err(|e| Failure::failed(format!("{}: cannot write: {e}", path.display())))?;
        self.saved = Instant::now();
        Ok(())
    }
}

impl Watcher<'_> {
    /// The last words.
    fn end(&self, history: &[Entry]) -> Outcome {
        let out = self.args.out.display();
        if self.stopped {
            let checkpoint = self.args.checkpoint();
            let line = format!("stopped; --resume goes on from {}", checkpoint.display());
            self.display.say(&line);
        }
        if !self.improved && self.stopped {
            return Ok(());
        }
        if !self.improved {
            return Err(Failure::Nothing(format!(
                "{out} not written: nothing was better than the beginning"
            )));
        }
        let best = history.iter().rev().find(|e| e.best && e.steps > 0);
        if let Some(best) = best {
            let losses = best.validation;
            self.display.say(&format!(
                "{out}: best after {} positions, loss {:.5} (score {:.5}, result {:.5})",
                chart::grouped(best.positions),
                losses.total,
                losses.score,
                losses.result,
            ));
        }
        Ok(())
    }
}
