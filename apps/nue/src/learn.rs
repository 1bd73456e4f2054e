//! `nue learn`: one generation of learning, from self-play to the gate.
//!
//! Every step is a command of this program, shown as it is run and written down in the entry of
//! the generation, so that each can be repeated by hand. A generation lives in a folder of its
//! own; steps that are done are not done again, those that were broken off go on.

mod args;
mod entry;
mod steps;

pub(crate) use args::LearnArgs;

use crate::evaluation;
use crate::failure::{Failure, Outcome};
use entry::Entry;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use steps::{Gate, Steps};

/// The net that plays the games of the next generation.
const CURRENT: &str = "current.bin";
/// All generations, in order.
const LEDGER: &str = "ledger.toml";
/// One generation, when it is over.
const ENTRY: &str = "entry.toml";

/// Runs the command.
pub(crate) fn run(args: &LearnArgs) -> Outcome {
    fs::create_dir_all(&args.folder).map_err(|e| at(&args.folder, &e))?;
    for _ in 0..args.generations {
        generation(args)?;
    }
    Ok(())
}

fn generation(args: &LearnArgs) -> Outcome {
    let (number, folder) = next(&args.folder)?;
    fs::create_dir_all(&folder).map_err(|e| at(&folder, &e))?;
    let current = args.folder.join(CURRENT);
    let parent = current.is_file().then_some(current.as_path());
    say(&format!("generation {number} in {}", folder.display()));
    let mut steps = Steps::new(args, number, &folder, parent)?;
    steps.play()?;
    steps.split()?;
    let gate = if steps.train(&earlier(args, number))? {
        steps.gate()?
    } else {
        Gate::without_candidate()
    };
    let entry = Entry::of(&steps, &gate)?;
    let text = entry.to_toml()?;
    if gate.accepted {
        replace(&steps.net(), &current)?;
    }
    // The entry comes last: it is what says that the generation is over.
    append(&args.folder.join(LEDGER), &text)?;
    write_whole(&folder.join(ENTRY), text.as_bytes())?;
    say(&entry.told());
    Ok(())
}

/// The generation to work on: the first that is not over.
fn next(folder: &Path) -> Result<(u32, PathBuf), Failure> {
    let place = |number| generation_folder(folder, number);
    (1..=9999)
        .map(|number| (number, place(number)))
        .find(|(_, folder)| !folder.join(ENTRY).exists())
        .ok_or_else(|| Failure::failed(format!("{}: 9999 generations are over", folder.display())))
}

fn generation_folder(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("generation-{number:04}"))
}

/// Training data of the generations before, as many as are to be learned from again.
fn earlier(args: &LearnArgs, number: u32) -> Vec<PathBuf> {
    (number.saturating_sub(args.window.saturating_sub(1)).max(1)..number)
        .map(|n| generation_folder(&args.folder, n).join(steps::TRAIN))
        .filter(|path| path.is_file())
        .collect()
}

fn say(line: &str) {
    // Where nobody reads it there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}

fn at(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::failed(format!("{}: {error}", path.display()))
}

/// A file that is there whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Outcome {
    let mut draft = durable::Draft::new(path).map_err(|e| at(path, &e))?;
    draft.write_all(bytes).map_err(|e| at(path, &e))?;
    draft.publish(true).map_err(|e| at(path, &e))?;
    Ok(())
}

fn replace(from: &Path, to: &Path) -> Outcome {
    write_whole(to, &fs::read(from).map_err(|e| at(from, &e))?)
}

/// Adds an entry to the ledger, unless a run that was killed right after has it there already.
fn append(path: &Path, entry: &str) -> Outcome {
    let mut text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(at(path, &e)),
    };
    if text.ends_with(entry) {
        return Ok(());
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(entry);
    write_whole(path, text.as_bytes())
}

/// How a command names what evaluates: a net's file, or material where there is none yet.
fn evaluation_name(net: Option<&Path>) -> String {
    net.map_or_else(|| evaluation::MATERIAL.to_owned(), |path| path.display().to_string())
}
