//! `nue train`: an evaluation learned from teacher files, on this machine's cores.
//!
//! The net on disk is always the best so far; a checkpoint beside it lets a run that was
//! stopped or killed go on with `--resume`, to the same result. What is learned and how is in
//! crate `trainer`; here are flags, files and what is shown.

mod args;
mod curve;
mod display;
mod log;
mod nets;
mod run;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use args::TrainArgs;

use crate::failure::{Failure, Outcome};
use args::Plan;
use teacher::TeacherError;
use trainer::{Corpus, DataError};

/// Runs the command.
pub(crate) fn run(args: &TrainArgs) -> Outcome {
    let failed = |e: &dyn std::fmt::Display| Failure::failed(e.to_string());
    let first = args.data.first().ok_or_else(|| Failure::usage("no teacher files given"))?;
    let game = Corpus::game_of(first).map_err(|e| failed(&e))?;
    let plan = Plan::new(args, game)?;
    args.check_outputs()?;
    let data = Corpus::open(&args.data, game).map_err(|e| hint(&e))?;
    let validation = Corpus::open(&args.validation, game).map_err(|e| hint(&e))?;
    for (corpus, what) in [(&data, "learn from"), (&validation, "validate on")] {
        if corpus.positions() == 0 {
            return Err(Failure::failed(format!("no positions to {what}")));
        }
    }
    match plan.tables {
        Some(kind) => tables::train(kind, args, &plan, data, validation),
        None => nets::train(args, &plan, data, validation),
    }
}

/// An error of teacher data, with what to do about a damaged file.
fn hint(error: &DataError) -> Failure {
    let advice = match &error.source {
        TeacherError::Damaged { .. } => {
            "\nnue data merge copies the whole blocks of a damaged file to a new one"
        }
        _ => "",
    };
    Failure::failed(format!("{error}{advice}"))
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        hint(&error)
    }
}
