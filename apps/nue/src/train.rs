//! `nue train`: an evaluation learned from teacher files, on this machine's cores.
//!
//! The work and its files are in room `trainer`; here are flags and what is shown.

mod args;
#[cfg(test)]
mod tests;

pub(crate) use args::TrainArgs;

use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use chart::grouped;
use display::TrainingDisplay;
use trainer::{Ended, Run, RunError};

pub(crate) fn run(args: &TrainArgs) -> CommandResult {
    let request = args.request();
    let run = request.run()?;
    // Where it cannot be set, an interrupt ends the program at once: the checkpoint stays.
    let (stop, _) = interrupt::flag();
    let mut display = TrainingDisplay::new(request.options.checkpoint_every, stop);
    let ended = run.start(&mut display)?;
    display.clear();
    last_words(&run, &ended, &display)
}

fn last_words(run: &Run, ended: &Ended, display: &TrainingDisplay) -> CommandResult {
    let out = run.files.out.display();
    if !ended.improved && !ended.stopped {
        return Err(Failure::Nothing(format!(
            "{out} not written: no net was better than the one training began with"
        )));
    }
    if let Some(best) = ended.history.iter().rev().find(|e| e.best && e.steps > 0) {
        let losses = best.validation;
        display.say(&format!(
            "{out}: best after {} positions, loss {:.5} (score {:.5}, result {:.5})",
            grouped(best.positions),
            losses.total,
            losses.score,
            losses.result,
        ));
    }
    if ended.stopped {
        let checkpoint = run.files.checkpoint.display();
        let message = format!("interrupted; --resume continues from {checkpoint}");
        return Err(Failure::Interrupted(message));
    }
    Ok(())
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match &error {
            RunError::Request(why) => Self::usage(why),
            RunError::Exists(_) => {
                Self::usage(format!("{error}; --force replaces it, --resume continues it"))
            }
            RunError::Diverged => Self::failed(format!("{error}: try a smaller --lr")),
            RunError::Data(corpus::Error::Damaged(_)) => {
                let advice =
                    "nue data merge copies the whole blocks of a damaged file to a new one";
                Self::failed(format!("{error}\n{advice}"))
            }
            RunError::Data(corpus::Error::UnclearInput(_)) => {
                Self::usage(format!("{error}: name it .teacher, .psv or .hcpe"))
            }
            RunError::Data(wrong) if wrong.is_request() => Self::usage(error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}
