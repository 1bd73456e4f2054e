//! `nue learn`: generations of learning, which are room `lab`'s.

mod args;

pub(crate) use args::LearnArgs;

use crate::failure::{CommandResult, Failure};
use lab::LabError;
use lab::folder::LabFolder;
use lab::steps::Steps;
use std::io::{self, Write};

/// Runs the command.
pub(crate) fn run(args: &LearnArgs) -> CommandResult {
    let settings = args.settings()?;
    let lab = LabFolder::open(&args.folder)?;
    for _ in 0..args.generations {
        let folder = lab.next()?;
        let parent = lab.current();
        say(&format!("generation {} in {}", folder.number, folder.path().display()));
        let steps = Steps {
            settings: &settings,
            folder: &folder,
            parent: parent.as_deref(),
            announce: &say,
        };
        let entry = steps.run(&lab.earlier(folder.number, args.window))?;
        lab.finish(&folder, &entry)?;
        say(&entry.sentence());
    }
    Ok(())
}

fn say(line: &str) {
    // Where nobody reads it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Shape(_) => Self::usage(error.to_string()),
            LabError::Split(error) => Self::from(error),
            error => Self::failed(error.to_string()),
        }
    }
}
