//! `nue rl`: what reinforcement learning knows about temperatures and starts. Room `reinforce` has all of it.

use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::learn::failed;
use crate::start::GameArg;
use clap::{Args, Subcommand};
use display::{ReinforceDisplay, say};
use reinforce::flags::TableFlags;
use reinforce::report::Report;
use reinforce::run::Watcher;
use reinforce::temperatures::told;
use std::path::PathBuf;
use std::sync::Arc;
use think::{TimeSource, WallTime};

/// Look at reinforcement learning: what temperatures cost, what starts are worth
#[derive(Args)]
pub(crate) struct RlArgs {
    #[command(subcommand)]
    command: RlCommand,
}

#[derive(Subcommand)]
enum RlCommand {
    Table(TableArgs),
    Report(ReportArgs),
}

/// Measure what a temperature costs: games of a net against itself at two temperatures
///
/// Stopped or killed, the same command continues with the games beside the table.
#[derive(Args)]
struct TableArgs {
    #[command(flatten)]
    flags: TableFlags,

    #[command(flatten)]
    game: GameArg,
}

/// Tables, pictures and opening sets of what a run recorded about its starts
#[derive(Args)]
struct ReportArgs {
    /// Folder of "nue learn --method rl"
    folder: PathBuf,

    /// Folder to write, new or empty
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,
}

pub(crate) fn run(args: &RlArgs) -> CommandResult {
    match &args.command {
        RlCommand::Table(args) => table(args),
        RlCommand::Report(args) => {
            let report = Report::read(&args.folder).map_err(failed)?;
            report.write(&args.out).map_err(failed)?;
            say(&format!("written: {}", args.out.join("report.md").display()));
            Ok(())
        }
    }
}

fn table(args: &TableArgs) -> CommandResult {
    let flags = &args.flags;
    let measurement = flags.measurement(args.game.game);
    let measurement = measurement.map_err(|e| Failure::usage(e.to_string()))?;
    let (stop, _) = interrupt::flag();
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let machine = flags.machine(env!("CARGO_PKG_VERSION"));
    let mut display = ReinforceDisplay::default();
    let measured = measurement.run(&flags.out, &machine, &time, &stop, &mut |progress| {
        display.played(progress);
    });
    display.step_over();
    say(&told(&measured.map_err(failed)?));
    Ok(())
}
