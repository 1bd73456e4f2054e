//! How a net or tables learn.

use clap::{ArgAction, Args};
use corpus::Sieve;
use corpus::batches::Selection;
use std::path::PathBuf;
use std::time::Duration;
use trainer::{Objective, Optimiser, Schedule, TrainingOptions};

/// How a net or tables learn.
#[derive(Args, Clone)]
pub(crate) struct TrainingFlags {
    /// Weight of the teacher's score against the result of the game, 0 to 1
    #[arg(long, value_name = "X", default_value_t = usual().objective.lambda, value_parser = share)]
    lambda: f32,
    /// The same at the end of the run, reached evenly [default: as --lambda]
    #[arg(long, value_name = "X", value_parser = share)]
    lambda_end: Option<f32>,
    /// Score at which a win is e times as probable as a loss, in evaluation units (a pawn is 90)
    #[arg(long, value_name = "N", default_value_t = usual().objective.scale, value_parser = positive)]
    scale: f32,
    /// Most epochs (passes over the data)
    #[arg(long, value_name = "N", default_value_t = usual().epochs,
          value_parser = clap::value_parser!(u64).range(1..))]
    epochs: u64,
    /// Positions of a batch
    #[arg(long, value_name = "N", default_value_t = usual().batch as u32,
          value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    batch: u32,
    /// Rule of the steps: adam, adagrad or sgd [default: adam; adagrad for tables]
    #[arg(long, visible_alias = "optimiser", value_name = "NAME")]
    optimizer: Option<Optimiser>,
    /// Learning rate to begin with [default: 0.001 for adam, 0.01 for adagrad, 1 for sgd; for
    /// tables, in units of evaluation, 0.2, 2 and 10, for those of shogi a twentieth]
    #[arg(long, value_name = "X", value_parser = positive)]
    lr: Option<f32>,
    /// How the learning rate falls: halving (when validations stop improving), exponential, cosine
    /// or constant
    #[arg(long, value_name = "NAME", default_value_t = usual().schedule)]
    schedule: Schedule,
    /// Learning rate to end with, for exponential and cosine [default: a hundredth of --lr]
    #[arg(long, value_name = "X", value_parser = positive)]
    lr_end: Option<f32>,
    /// Validations without improvement before the learning rate is halved
    #[arg(long, value_name = "N", default_value_t = usual().patience)]
    patience: u32,
    /// Halvings of the learning rate before training ends
    #[arg(long, value_name = "N", default_value_t = usual().halvings)]
    halvings: u32,
    /// Positions between validations; once an epoch if missing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    validate_every: Option<u64>,
    /// Most positions to validate on
    #[arg(long, value_name = "N", default_value_t = usual().validation_positions as u32,
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    validation_positions: u32,
    /// Positions of the validation games in which to compare the net's move with the one played
    #[arg(long, value_name = "N", default_value_t = usual().agreement)]
    agreement: usize,
    /// Do not learn rows of sets by king, or entries of tables, as sums of shared parts
    #[arg(long)]
    no_factors: bool,
    /// Of a hundred rows, or entries of tables, how many may learn from a batch, drawn for every batch
    #[arg(long, value_name = "PERCENT", default_value_t = usual().subspace,
          value_parser = clap::value_parser!(u8).range(1..=100))]
    subspace: u8,
    /// Divisor of the net's output [default: 16, or that of the .nuef to begin with]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: Option<i32>,

    /// Mirror every other position left to right, at random
    #[arg(long, value_name = "BOOL", default_value_t = usual().selection.mirror, action = ArgAction::Set,
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
    #[arg(long, value_name = "N", default_value_t = usual().selection.limit,
          value_parser = clap::value_parser!(i16).range(1..=i64::from(teacher::MATE_BOUND)))]
    limit: i16,
    /// Positions within which is shuffled; about 0.2 to 0.7 KB of memory each
    #[arg(long, value_name = "N", default_value_t = usual().buffer as u32,
          value_parser = clap::value_parser!(u32).range(1..=1 << 30))]
    buffer: u32,
    /// Also write the net in real numbers
    #[arg(long, value_name = "FILE")]
    float: Option<PathBuf>,
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
    #[arg(long, value_name = "N", default_value_t = usual().checkpoint_every.as_secs())]
    checkpoint_every: u64,
}

fn usual() -> TrainingOptions {
    TrainingOptions::default()
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

impl TrainingFlags {
    /// What the flags say.
    pub(crate) fn options(&self) -> TrainingOptions {
        TrainingOptions {
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
            epochs: self.epochs,
            batch: self.batch as usize,
            optimiser: self.optimizer,
            rate: self.lr,
            schedule: self.schedule,
            rate_end: self.lr_end,
            lambda_end: self.lambda_end,
            patience: self.patience,
            halvings: self.halvings,
            validate_every: self.validate_every,
            validation_positions: self.validation_positions as usize,
            agreement: self.agreement,
            factors: !self.no_factors,
            subspace: self.subspace,
            fv_scale: self.fv_scale,
            buffer: self.buffer as usize,
            float: self.float.clone(),
            log: self.log.clone(),
            curve: self.curve.clone(),
            checkpoint: self.checkpoint.clone(),
            checkpoint_every: Duration::from_secs(self.checkpoint_every),
        }
    }
}
