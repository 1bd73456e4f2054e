//! A training run with its files: the net that is always the best so far, the checkpoint beside it,
//! the log and the loss curve.
//!
//! Whoever starts one looks on as an [`Observer`]: it has the clock, and says when to save and when
//! to stop.

mod curve;
mod log;
mod nets;
mod request;
mod tables;

pub use curve::svg_of_log;
pub use request::{TrainingOptions, TrainingRequest};
pub use tables::TableKind;

use crate::agreement::Choices;
use crate::model::Model;
use crate::net::NetOptions;
use crate::session::{Entry, Next, Progress, Session, Settings, Watch};
use crate::workers::Workers;
use corpus::batches::Units;
use corpus::{Damaged, Inputs};
use durable::{Draft, InUse, Lock};
use log::Log;
use nnue::Architecture;
use rules::{Game, Variant};
use serde_json::{Value, json};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Why a run did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It was asked wrongly: no file was touched.
    #[error("{0}")]
    Request(String),
    /// An output is there already.
    #[error("{}: exists", .0.display())]
    Exists(PathBuf),
    /// Somebody else trains it.
    #[error("{}: another run is writing it", .0.display())]
    InUse(PathBuf),
    /// Teacher files cannot be used.
    #[error(transparent)]
    Data(#[from] corpus::Error),
    /// Another file cannot be read or written.
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    /// The loss is not a number any more.
    #[error("the loss is no longer a number: a lower learning rate may help")]
    Diverged,
    #[error("{0}")]
    Failed(String),
}

impl RunError {
    fn file(path: &Path, reason: &dyn Display) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string() }
    }

    fn cannot_write(path: &Path, reason: &dyn Display) -> Self {
        Self::file(path, &format_args!("cannot write: {reason}"))
    }
}

/// The files of a run.
#[derive(Clone, Debug)]
pub struct Files {
    /// Teacher files to learn from.
    pub data: Vec<PathBuf>,
    /// Teacher files to validate on.
    pub validation: Vec<PathBuf>,
    /// What to begin with, instead of random numbers or zeros.
    pub from: Option<PathBuf>,
    /// Where the net or the tables go.
    pub out: PathBuf,
    /// Where the net in real numbers goes.
    pub float: Option<PathBuf>,
    /// Losses as JSON lines.
    pub log: PathBuf,
    /// The loss curve.
    pub curve: PathBuf,
    pub checkpoint: PathBuf,
}

/// What learns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Learner {
    /// A net; `None`: of the architecture of the net to begin with.
    Net(Option<Architecture>),
    Tables(TableKind),
}

/// A run as it was asked for.
#[derive(Clone, Debug)]
pub struct Run {
    pub files: Files,
    /// The game of the teacher files.
    pub game: Game,
    pub learner: Learner,
    pub options: NetOptions,
    pub settings: Settings,
    pub workers: Workers,
    /// Positions in which the move of the model is compared with the one played.
    pub agreement: usize,
    /// Divisor of the net's output, if not the usual one.
    pub fv_scale: Option<i32>,
    /// Go on from the checkpoint, if there is one.
    pub resume: bool,
    /// Replace files that exist.
    pub force: bool,
}

/// What a run begins with.
#[derive(Clone, Debug)]
pub struct Begun {
    pub model: String,
    pub games: u64,
    pub positions: u64,
    /// Positions validated on.
    pub held_out: usize,
    pub epochs: u64,
    /// Positions of a batch.
    pub batch: usize,
    pub threads: usize,
}

/// Whoever looks on.
pub trait Observer {
    /// The files are read.
    fn begun(&mut self, begun: &Begun);

    /// A batch was learned from.
    fn batch(&mut self, progress: &Progress) -> Next;

    /// A validation was made, in this run or in the one it goes on with; the share of moves that
    /// agree, if that was asked for.
    fn validated(&mut self, entry: &Entry, agreement: Option<f64>);

    /// A checkpoint was written.
    fn saved(&mut self);

    /// Positions a second, for the log.
    fn speed(&self) -> f64;
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Ended {
    pub history: Vec<Entry>,
    /// Whether anything was better than the beginning, and so written.
    pub improved: bool,
    /// Whether the observer stopped it.
    pub stopped: bool,
}

impl Run {
    /// Trains. Nobody else may write the same net meanwhile.
    pub fn start(&self, observer: &mut dyn Observer) -> Result<Ended, RunError> {
        let out = &self.files.out;
        let lock = Lock::beside(out).map_err(|e| RunError::cannot_write(out, &e))?;
        let _lock = lock.map_err(|InUse| RunError::InUse(out.clone()))?;
        self.check_outputs()?;
        let data = self.open(&self.files.data)?;
        let validation = self.open(&self.files.validation)?;
        let material = Material { run: self, data, validation, observer };
        match self.learner {
            Learner::Tables(kind) => tables::train(kind, material),
            Learner::Net(architecture) => nets::train(architecture, material),
        }
    }

    fn open(&self, files: &[PathBuf]) -> Result<Units, RunError> {
        let inputs = Inputs {
            paths: files.to_vec(),
            format: None,
            game: self.game,
            damaged: Damaged::Stop,
            stop: None,
        };
        let units = Units::open(&inputs, false, &|_| ())?;
        if units.game() != self.game {
            let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
            let (names, found) = (names.join(", "), units.game());
            return Err(RunError::Request(format!("{names}: {found}, not {}", self.game)));
        }
        Ok(units)
    }

    /// No file is lost by mistake: outputs must not be inputs, nor exist unless asked for.
    fn check_outputs(&self) -> Result<(), RunError> {
        let Files { data, validation, from, out, float, log, curve, checkpoint } = &self.files;
        let inputs = data.iter().chain(validation).chain(from);
        let inputs: Vec<_> = inputs.filter_map(|p| p.canonicalize().ok()).collect();
        for path in [out, log, curve, checkpoint].into_iter().chain(float) {
            if path.canonicalize().is_ok_and(|p| inputs.contains(&p)) {
                return Err(RunError::Request(format!("{}: is an input", path.display())));
            }
            if path.exists() && !self.force && !self.resume {
                return Err(RunError::Exists(path.clone()));
            }
        }
        Ok(())
    }

    /// What the log begins with.
    fn about(&self, data: &Units, validation: &Units, model: &str) -> Value {
        let names = |files: &[PathBuf]| -> Vec<String> {
            files.iter().map(|f| f.display().to_string()).collect()
        };
        let part = |files: &[PathBuf], units: &Units| {
            let (games, positions) = (units.games(), units.positions());
            json!({ "files": names(files), "games": games, "positions": positions })
        };
        json!({
            "nue": env!("CARGO_PKG_VERSION"),
            "model": model,
            "game": self.game.to_string(),
            "from": self.files.from.as_ref().map(|f| f.display().to_string()),
            "data": part(&self.files.data, data),
            "validation": part(&self.files.validation, validation),
            "settings": self.settings,
        })
    }
}

/// A model that becomes files of the engine.
trait Product {
    /// Writes them, in place of those that are there. Also says what there is to say about it,
    /// for the log.
    fn publish(&self, run: &Run, validation: &Units) -> Result<Value, RunError>;
}

/// What a run trains. It is used as an object: one loop serves all models of a game.
trait Trainee<V: Variant>: Model<V> + Product {}

impl<V: Variant, M: Model<V> + Product> Trainee<V> for M {}

/// All a run needs besides its model.
struct Material<'a> {
    run: &'a Run,
    data: Units,
    validation: Units,
    observer: &'a mut dyn Observer,
}

impl Material<'_> {
    /// Trains a model.
    fn train<V: Variant>(self, model: Box<dyn Trainee<V>>) -> Result<Ended, RunError> {
        let Self { run, data, validation, observer } = self;
        let description = model.describe();
        let about = run.about(&data, &validation, &description);
        let (games, positions) = (data.games(), data.positions());
        let choices = match run.agreement {
            0 => None,
            count => Some(Choices::collect(&validation, &*model.encoder(), count)?),
        };
        let mut session = Session::new(run.settings, data, &validation, model, run.workers)?;
        let held_out = session.held_out().labels.len();
        if held_out == 0 {
            let why = "no position of the validation files is left to validate on";
            return Err(RunError::Failed(why.to_owned()));
        }
        let (epochs, threads) = (run.settings.epochs, run.workers.threads());
        let model = description.clone();
        let batch = run.settings.batch;
        observer.begun(&Begun { model, games, positions, held_out, epochs, batch, threads });
        if run.resume {
            resume(&run.files.checkpoint, &mut session)?;
        }
        let log = Log::open(&run.files.log, &about, session.history().len())?;
        session.history().iter().for_each(|entry| observer.validated(entry, None));
        let improved = session.history().iter().any(|e| e.best && e.steps > 0);
        let mut recorder =
            Recorder { run, validation, choices, observer, log, improved, stopped: false };
        session.run(&mut recorder)?;
        let Recorder { improved, stopped, .. } = recorder;
        let svg = curve::svg(session.history(), &description);
        let path = &run.files.curve;
        write(path, |to| to.write_all(svg.as_bytes()))
            .map_err(|e| RunError::cannot_write(path, &e))?;
        Ok(Ended { history: session.history().to_vec(), improved, stopped })
    }
}

/// Goes on from the checkpoint, if there is one.
fn resume<V: Variant>(
    path: &Path,
    session: &mut Session<V, dyn Trainee<V>>,
) -> Result<(), RunError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(RunError::file(path, &e)),
    };
    let mut from = BufReader::with_capacity(1 << 20, file);
    session.restore(&mut from).map_err(|e| RunError::file(path, &e))
}

/// Writes the files of a session and tells its observer.
struct Recorder<'a> {
    run: &'a Run,
    validation: Units,
    /// `None`: nobody asked.
    choices: Option<Choices>,
    observer: &'a mut dyn Observer,
    log: Log,
    /// Whether a net was written.
    improved: bool,
    stopped: bool,
}

impl<V: Variant> Watch<V, dyn Trainee<V>> for Recorder<'_> {
    type Error = RunError;

    fn batch(&mut self, progress: &Progress) -> Result<Next, RunError> {
        let next = self.observer.batch(progress);
        self.stopped |= next == Next::Stop;
        Ok(next)
    }

    fn validated(
        &mut self,
        entry: &Entry,
        model: &mut (dyn Trainee<V> + 'static),
    ) -> Result<(), RunError> {
        if !entry.validation.total.is_finite() {
            return Err(RunError::Diverged);
        }
        let mut line = serde_json::to_value(entry).unwrap_or_default();
        let workers = self.run.workers;
        let agreement = self.choices.as_ref().map(|c| c.agreement(model, workers));
        if let Some(agreement) = agreement {
            line["agreement"] = json!(agreement);
        }
        line["positions_per_second"] = json!(self.observer.speed().round());
        if entry.best && entry.steps > 0 {
            line["net"] = model.publish(self.run, &self.validation)?;
            self.improved = true;
        }
        self.observer.validated(entry, agreement);
        self.log.line(&line)
    }

    fn save(&mut self, session: &Session<V, dyn Trainee<V>>) -> Result<(), RunError> {
        let path = &self.run.files.checkpoint;
        let written = write(path, |mut to| session.save(&mut to));
        written.map_err(|e| RunError::cannot_write(path, &e))?;
        self.observer.saved();
        Ok(())
    }
}

/// A file that appears whole, in the place of one that may be there.
fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut output = BufWriter::with_capacity(1 << 20, Draft::new(path)?);
    fill(&mut output)?;
    output.into_inner().map_err(io::IntoInnerError::into_error)?.publish(true)
}
