//! A training as somebody asks for it, made into a run.

use super::{Files, Learner, Run, RunError, TableKind};
use crate::net::NetOptions;
use crate::objective::Objective;
use crate::optimiser::Optimiser;
use crate::schedule::Schedule;
use crate::session::Settings;
use crate::workers::Workers;
use corpus::batches::Selection;
use corpus::{Damaged, Inputs};
use nnue::Architecture;
use rules::Game;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How somebody wants a model to learn; what is `None` follows from the rest.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainingOptions {
    pub objective: Objective,
    pub selection: Selection,
    /// Most epochs.
    pub epochs: u64,
    /// Positions of a batch.
    pub batch: usize,
    /// Adam for nets, AdaGrad for tables.
    pub optimiser: Option<Optimiser>,
    /// The learning rate to begin with; the usual one of model and optimiser.
    pub rate: Option<f32>,
    /// How the rate falls.
    pub schedule: Schedule,
    /// The rate to end with, where the schedule has one; a hundredth of the first.
    pub rate_end: Option<f32>,
    /// Weight of the score at the end of the run, reached evenly; that of the objective.
    pub lambda_end: Option<f32>,
    /// Validations without improvement before the rate is halved.
    pub patience: u32,
    /// Halvings of the rate; when one more is due, training ends.
    pub halvings: u32,
    /// Positions between validations; once an epoch.
    pub validate_every: Option<u64>,
    /// Most positions to validate on.
    pub validation_positions: usize,
    /// Positions in which the move of the model is compared with the one played.
    pub agreement: usize,
    /// Whether rows of sets by king, or entries of tables, are learned as sums of shared parts.
    pub factors: bool,
    /// Of a hundred rows, or entries of tables, how many may learn from a batch.
    pub subspace: u8,
    /// Divisor of the net's output; the usual one, or that of the net to begin with.
    pub fv_scale: Option<i32>,
    /// Positions within which is shuffled.
    pub buffer: usize,
    /// Where the net in real numbers goes; nowhere.
    pub float: Option<PathBuf>,
    /// Losses as JSON lines; beside the net.
    pub log: Option<PathBuf>,
    /// The loss curve; beside the net.
    pub curve: Option<PathBuf>,
    /// Beside the net.
    pub checkpoint: Option<PathBuf>,
    /// How often a checkpoint is due, for the observer.
    pub checkpoint_every: Duration,
}

impl Default for TrainingOptions {
    fn default() -> Self {
        let (usual, net) = (Settings::default(), NetOptions::default());
        Self {
            objective: usual.objective,
            selection: usual.selection,
            epochs: usual.epochs,
            batch: usual.batch,
            optimiser: None,
            rate: None,
            schedule: usual.schedule,
            rate_end: None,
            lambda_end: None,
            patience: usual.patience,
            halvings: usual.halvings,
            validate_every: None,
            validation_positions: usual.validation,
            agreement: 0,
            factors: net.factors,
            subspace: net.subspace,
            fv_scale: None,
            buffer: usual.buffer,
            float: None,
            log: None,
            curve: None,
            checkpoint: None,
            checkpoint_every: Duration::from_secs(300),
        }
    }
}

/// A training somebody asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainingRequest {
    /// Files to learn from.
    pub data: Vec<PathBuf>,
    /// Files to validate on.
    pub validation: Vec<PathBuf>,
    /// The game of files that do not say.
    pub game: Game,
    /// Where the net or the tables go.
    pub out: PathBuf,
    /// By name; that of the net to begin with if missing.
    pub architecture: Option<String>,
    /// What to begin with, instead of random numbers or zeros.
    pub from: Option<PathBuf>,
    pub seed: u64,
    /// All processors if missing.
    pub threads: Option<NonZeroUsize>,
    /// Go on from the checkpoint, if there is one.
    pub resume: bool,
    /// Replace files that exist.
    pub force: bool,
    pub options: TrainingOptions,
}

impl TrainingRequest {
    /// The run that is meant.
    pub fn run(&self) -> Result<Run, RunError> {
        let inputs = Inputs {
            paths: self.data.clone(),
            format: None,
            game: self.game,
            damaged: Damaged::Stop,
            stop: None,
        };
        let game = inputs.header(&inputs.sources()?)?.game;
        let learner = self.learner(game)?;
        let TrainingOptions { optimiser, rate, factors, subspace, .. } = self.options;
        let usual = match learner {
            Learner::Tables(_) => Optimiser::AdaGrad,
            Learner::Net(_) => Optimiser::Adam,
        };
        let optimiser = optimiser.unwrap_or(usual);
        let usual_rate = match learner {
            Learner::Tables(kind) => kind.usual_rate(optimiser),
            Learner::Net(_) => optimiser.usual_rate(),
        };
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Ok(Run {
            files: self.files(),
            game,
            learner,
            options: NetOptions { optimiser, factors, subspace },
            settings: self.settings(rate.unwrap_or(usual_rate)),
            workers: Workers::new(self.threads.unwrap_or_else(all)),
            agreement: self.options.agreement,
            fv_scale: self.options.fv_scale,
            resume: self.resume,
            force: self.force,
        })
    }

    fn learner(&self, game: Game) -> Result<Learner, RunError> {
        let Some(name) = &self.architecture else { return Ok(Learner::Net(None)) };
        if let Some(kind) = TableKind::named(name) {
            return Ok(Learner::Tables(kind));
        }
        let found = Architecture::named(name, game);
        let found = found.map_err(|why| RunError::Request(format!("--arch {name}: {why}")))?;
        Ok(Learner::Net(Some(found)))
    }

    /// The files of the run: what is not named lies beside the net.
    pub fn files(&self) -> Files {
        let TrainingOptions { float, log, curve, checkpoint, .. } = &self.options;
        let named = |named: &Option<PathBuf>, extension: &str| {
            named.clone().unwrap_or_else(|| beside(&self.out, extension))
        };
        Files {
            data: self.data.clone(),
            validation: self.validation.clone(),
            from: self.from.clone(),
            out: self.out.clone(),
            float: float.clone(),
            log: named(log, "jsonl"),
            curve: named(curve, "svg"),
            checkpoint: named(checkpoint, "checkpoint"),
        }
    }

    fn settings(&self, rate: f32) -> Settings {
        let options = &self.options;
        Settings {
            objective: options.objective,
            selection: options.selection,
            batch: options.batch,
            epochs: options.epochs,
            buffer: options.buffer,
            seed: self.seed,
            lambda_end: options.lambda_end,
            rate,
            schedule: options.schedule,
            rate_end: options.rate_end.unwrap_or(rate / 100.0),
            patience: options.patience,
            halvings: options.halvings,
            interval: options.validate_every.map_or(0, |n| n.div_ceil(options.batch as u64)),
            validation: options.validation_positions,
        }
    }
}

/// A path with more after its name.
fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_lie_beside_the_net() {
        assert_eq!(beside(Path::new("a/nn.bin"), "svg"), Path::new("a/nn.bin.svg"));
    }
}
