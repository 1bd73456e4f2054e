//! `nue lab`: what was learned, made again. Room `lab` plans and runs it.

use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use clap::{Args, Subcommand};
use display::say;
use lab::repro::Repetition;
use std::io::{self, Write};
use std::path::PathBuf;

/// Work with the ledger of nets
#[derive(Args)]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(Subcommand)]
enum LabCommand {
    Repro(ReproArgs),
}

/// Run the commands of a ledger's entry again and compare the net: the same bytes, or as strong
///
/// Where a file is missing or nothing can be run, the plan is all there is, and the exit code is 1.
/// Stopped or killed, the same command continues.
#[derive(Args)]
struct ReproArgs {
    /// Game, line and number: "minishogi 1", "shogi HalfKP 3"
    #[arg(required = true)]
    entry: Vec<String>,
    /// Ledger that has the entry
    #[arg(long, value_name = "FILE", default_value = "nets/ledger.toml")]
    ledger: PathBuf,
    /// Folder of the files that are read and made; made if it is not there
    #[arg(long, value_name = "DIR", default_value = "repro")]
    folder: PathBuf,
    /// Openings for the match of an entry that only says OPENINGS
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The Python to run the trainer with
    #[arg(long, value_name = "PYTHON", default_value = "python")]
    python: PathBuf,
    /// Only say what would be run, what is exact and what is missing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: LabArgs) -> CommandResult {
    let LabCommand::Repro(args) = args.command;
    let program = std::env::current_exe()?;
    let ReproArgs { entry, ledger, folder, openings, python, dry_run } = args;
    let entry = entry.join(" ");
    let repetition = Repetition { ledger, entry, folder, openings, program, python };
    let plan = repetition.plan()?;
    write!(io::stdout(), "{plan}")?;
    if let Some(obstacle) = plan.obstacle() {
        return Err(Failure::failed(format!("it cannot be repeated here: {obstacle}")));
    }
    if dry_run {
        return Ok(());
    }
    let verdict = repetition.run(&interrupt::flag().0, &mut |command| say(command))?;
    writeln!(io::stdout(), "{verdict}")?;
    if verdict.holds() { Ok(()) } else { Err(Failure::failed("the entry was not repeated")) }
}
