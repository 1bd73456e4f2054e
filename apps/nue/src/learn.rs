//! `nue learn`: generations of learning, which are room `lab`'s, and of reinforcement learning, which are
//! room `reinforce`'s.

mod args;
mod reinforce;

pub(crate) use args::LearnArgs;

use args::Method;

use crate::assemble;
use crate::failure::CommandResult;
use display::GenerationDisplay;
use display::say;
use lab::folder::LabFolder;
use lab::steps::Steps;
use std::sync::Arc;

pub(crate) fn run(args: &LearnArgs) -> CommandResult {
    if args.method == Method::Rl {
        return reinforce::run(args);
    }
    let settings = args.settings()?;
    let lab = LabFolder::open(&args.folder)?;
    let runner = assemble::match_runner();
    let mut display = GenerationDisplay::new(Arc::clone(&runner.abandoned));
    for _ in 0..args.generations {
        let folder = lab.next()?;
        let parent = lab.current();
        say(&format!("generation {} in {}", folder.number, folder.path().display()));
        let mut steps = Steps {
            settings: &settings,
            folder: &folder,
            parent: parent.as_deref(),
            runner: &runner,
            observer: &mut display,
        };
        let entry = steps.run(&lab.earlier(folder.number, args.window()))?;
        lab.finish(&folder, &entry)?;
        say(&entry.sentence());
    }
    Ok(())
}
