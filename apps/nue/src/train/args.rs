//! The flags of `nue train`, and what they mean.

use crate::failure::Failure;
use clap::{ArgAction, Args};
use corpus::batches::Selection;
use corpus::{Inputs, Sieve};
use nnue::Architecture;
use rules::Game;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use trainer::{
    Files, Learner, NetOptions, Objective, Optimiser, Run, Settings, TableKind, Workers,
};

/// Learn a net from teacher files
///
/// The net in OUT is always the best so far, measured on the validation files. A checkpoint
/// beside it lets a stopped or killed run go on with --resume, to the same result.
#[derive(Args, Clone)]
pub(crate) struct TrainArgs {
    /// Files to learn from: teacher, psv or hcpe
    #[arg(required = true, value_name = "DATA")]
    pub(super) data: Vec<PathBuf>,
    /// File to validate on: games not learned from (nue data split makes one)
    #[arg(long, required = true, value_name = "FILE")]
    pub(super) validation: Vec<PathBuf>,
    /// Game of files that do not say: shogi or minishogi
    #[arg(long, default_value = "shogi")]
    game: Game,
    /// Where the net goes
    #[arg(short, long, visible_alias = "output", value_name = "OUT")]
    pub(super) out: PathBuf,
    /// Replace files that exist
    #[arg(long)]
    pub(super) force: bool,
    /// Architecture: halfkp-256x2-32-32, kp-256x2-32-32, halfkpe9-…, halfkpkrank-…, or tables:
    /// kppt, kpp_kkpt (OUT is a folder then), kkppt for minishogi; the game is that of the data
    #[arg(long, value_name = "NAME", required_unless_present = "from")]
    arch: Option<String>,
    /// Begin with this net (nn.bin or .nuef) instead of random numbers, or with these tables
    /// instead of zeros
    #[arg(long, value_name = "NET")]
    pub(super) from: Option<PathBuf>,
    /// Go on from the checkpoint of a run with the same flags; begin if there is none
    #[arg(long)]
    pub(super) resume: bool,

    /// Weight of the teacher's score against the result of the game, 0 to 1
    #[arg(long, value_name = "X", default_value_t = 0.7, value_parser = share)]
    lambda: f32,
    /// Score at which a win is e times as probable as a loss
    #[arg(long, value_name = "N", default_value_t = play::USUAL_SCALE as f32, value_parser = positive)]
    scale: f32,
    /// Most epochs (passes over the data)
    #[arg(long, value_name = "N", default_value_t = 20)]
    epochs: u64,
    /// Positions of a batch
    #[arg(long, value_name = "N", default_value_t = 16_384,
          value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    batch: u32,
    /// Rule of the steps: adam, adagrad or sgd [default: adam; adagrad for tables]
    #[arg(long, visible_alias = "optimiser", value_name = "NAME")]
    optimizer: Option<Optimiser>,
    /// Learning rate to begin with [default: 0.001 for adam, 0.01 for adagrad, 1 for sgd; for
    /// tables, in units of evaluation, 0.2, 2 and 10, for those of shogi a twentieth]
    #[arg(long, value_name = "X", value_parser = positive)]
    lr: Option<f32>,
    /// Validations without improvement before the learning rate is halved
    #[arg(long, value_name = "N", default_value_t = 0)]
    patience: u32,
    /// Halvings of the learning rate before training ends
    #[arg(long, value_name = "N", default_value_t = 6)]
    halvings: u32,
    /// Positions between validations; once an epoch if missing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    validate_every: Option<u64>,
    /// Most positions to validate on
    #[arg(long, value_name = "N", default_value_t = 500_000,
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    validation_positions: u32,
    /// Positions of the validation games in which to compare the net's move with the one played
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) agreement: usize,
    /// Do not learn rows of sets by king, or entries of tables, as sums of shared parts
    #[arg(long)]
    no_factors: bool,
    /// Of a hundred rows, how many may learn from a batch, drawn for every batch
    #[arg(long, value_name = "PERCENT", default_value_t = 100,
          value_parser = clap::value_parser!(u8).range(1..=100))]
    subspace: u8,
    /// Divisor of the net's output [default: 16, or that of the .nuef to begin with]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=128))]
    pub(super) fv_scale: Option<i32>,

    /// Mirror every other position left to right, at random
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set,
          num_args = 0..=1, default_missing_value = "true")]
    mirror: bool,
    /// Learn from the quiet position that captures lead to, instead of the position itself
    #[arg(long)]
    leaf: bool,
    /// Also learn from positions in check
    #[arg(long)]
    keep_checks: bool,
    /// Also learn from positions whose move captures or promotes
    #[arg(long)]
    keep_captures: bool,
    /// Also learn from positions whose move was chosen at random
    #[arg(long)]
    keep_random: bool,
    /// Scores farther from zero, mates among them, teach as if they were this far
    #[arg(long, value_name = "N", default_value_t = Selection::default().limit,
          value_parser = clap::value_parser!(i16).range(1..=i64::from(teacher::MATE_BOUND)))]
    limit: i16,
    /// Positions within which is shuffled; about 0.2 to 0.7 KB of memory each
    #[arg(long, value_name = "N", default_value_t = 1 << 20,
          value_parser = clap::value_parser!(u32).range(1..=1 << 30))]
    buffer: u32,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Threads; the result does not depend on them [default: all]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Also write the net in real numbers
    #[arg(long, value_name = "FILE")]
    pub(super) float: Option<PathBuf>,
    /// Losses as JSON lines [default: OUT.jsonl]
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Loss curve [default: OUT.svg]
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// Checkpoint [default: OUT.checkpoint]
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(super) checkpoint_every: u64,
}

fn share(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(x) if (0.0..=1.0).contains(&x) => Ok(x),
        _ => Err("a number from 0 to 1 is expected".to_owned()),
    }
}

fn positive(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("a number above 0 is expected".to_owned()),
    }
}

/// A path with more after its name.
fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    name.into()
}

impl TrainArgs {
    /// What to learn from.
    pub(super) fn inputs(&self) -> Inputs {
        Inputs { paths: self.data.clone(), format: None, game: self.game }
    }

    /// The run that is meant.
    pub(super) fn run(&self, game: Game) -> Result<Run, Failure> {
        let tables = self.arch.as_deref().and_then(TableKind::named);
        let learner = match (tables, &self.arch) {
            (Some(kind), _) => Learner::Tables(kind),
            (None, None) => Learner::Net(None),
            (None, Some(name)) => Learner::Net(Some(
                Architecture::named(name, game)
                    .map_err(|why| Failure::usage(format!("--arch {name}: {why}")))?,
            )),
        };
        let usual = if tables.is_some() { Optimiser::AdaGrad } else { Optimiser::Adam };
        let optimiser = self.optimizer.unwrap_or(usual);
        let usual_rate =
            tables.map_or_else(|| optimiser.usual_rate(), |kind| kind.usual_rate(optimiser));
        let all = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Ok(Run {
            files: self.files(),
            game,
            learner,
            options: NetOptions { optimiser, factors: !self.no_factors, subspace: self.subspace },
            settings: self.settings(usual_rate),
            workers: Workers::new(self.threads.unwrap_or_else(all)),
            agreement: self.agreement,
            fv_scale: self.fv_scale,
            resume: self.resume,
            force: self.force,
        })
    }

    fn files(&self) -> Files {
        let beside = |named: &Option<PathBuf>, extension: &str| {
            named.clone().unwrap_or_else(|| beside(&self.out, extension))
        };
        Files {
            data: self.data.clone(),
            validation: self.validation.clone(),
            from: self.from.clone(),
            out: self.out.clone(),
            float: self.float.clone(),
            log: beside(&self.log, "jsonl"),
            curve: beside(&self.curve, "svg"),
            checkpoint: beside(&self.checkpoint, "checkpoint"),
        }
    }

    fn settings(&self, usual_rate: f32) -> Settings {
        let batch = self.batch as usize;
        Settings {
            objective: Objective { lambda: self.lambda, scale: self.scale },
            selection: Selection {
                sieve: Sieve {
                    no_check: !self.keep_checks,
                    quiet: !self.keep_captures,
                    no_random: !self.keep_random,
                    ..Sieve::TRAINING
                },
                limit: self.limit,
                mirror: self.mirror,
                leaf: self.leaf,
                ..Selection::default()
            },
            batch,
            epochs: self.epochs,
            buffer: self.buffer as usize,
            seed: self.seed,
            rate: self.lr.unwrap_or(usual_rate),
            patience: self.patience,
            halvings: self.halvings,
            interval: self.validate_every.map_or(0, |n| n.div_ceil(batch as u64)),
            validation: self.validation_positions as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_lie_beside_the_net() {
        assert_eq!(beside(Path::new("a/nn.bin"), "svg"), Path::new("a/nn.bin.svg"));
    }
}
