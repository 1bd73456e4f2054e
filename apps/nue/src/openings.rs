//! `nue openings make`: balanced positions to begin games from.

use crate::assemble;
use crate::failure::{CommandResult, Failure};
use crate::new_file::NewFile;
use crate::start::{self, GameArg};
use arena::opening_maker::{JudgedOpening, OpeningRecipe, make};
use arena::spec::pairs;
use arena::timed_game::Terms;
use arena::{EngineSpec, Format, Opening, Plan, Schedule};
use clap::{Args, Subcommand};
use engines::PlayerError;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// What judges where nothing else is asked for: a table small enough to be cleared every time.
const JUDGE: &str = "cmd=self,option.USI_Hash=16,option.Threads=1";

/// Make openings for matches
#[derive(Args)]
pub(crate) struct OpeningsArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Make(MakeArgs),
}

/// Random moves, kept where a short search finds the position balanced; no position twice
#[derive(Args)]
struct MakeArgs {
    /// How many
    #[arg(long, value_name = "N", default_value_t = 500)]
    count: usize,

    /// Random moves: a number or a range such as 6-10
    #[arg(long, value_name = "N", default_value = "8", value_parser = plies)]
    plies: RangeInclusive<usize>,

    /// How far from zero the value may be, in hundredths of a pawn
    #[arg(long, value_name = "CP", default_value_t = 100)]
    margin: u32,

    /// Nodes of the search that judges
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    nodes: u64,

    /// The engine that judges, as in "nue match"; our own if missing
    #[arg(long, value_name = "KEY=VALUE,…")]
    engine: Option<String>,

    /// Where all begin: startpos, a handicap or an SFEN
    #[arg(long, value_name = "POSITION", default_value = "startpos")]
    start: String,

    /// Seed: the same gives the same openings, with one thread of the engine
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How many are judged at a time
    #[arg(long, short = 'j', value_name = "N", default_value_t = 1)]
    concurrency: usize,

    /// File to write; standard output if missing
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    game: GameArg,
}

/// Runs the command.
pub(crate) fn run(args: &OpeningsArgs) -> CommandResult {
    let Command::Make(args) = &args.command;
    let position = start::resolve(args.game.game, &args.start, &[])?;
    let start = Opening::new(position, Vec::new())
        .map_err(|e| Failure::failed(format!("--start {:?}: {e}", args.start)))?;
    let recipe = OpeningRecipe {
        start,
        plies: args.plies.clone(),
        margin: i32::try_from(args.margin).unwrap_or(i32::MAX),
        count: args.count,
        seed: args.seed,
    };
    let file = args.out.as_ref().map(|path| NewFile::begin(path, args.force)).transpose()?;
    let made = make_openings(args, &recipe)?;
    let judge = args.engine.as_deref().unwrap_or(JUDGE);
    let text = recipe.text(&made, &format!("{} nodes of {judge}", args.nodes));
    match file {
        Some(file) => file.finish(text.as_bytes())?,
        None => write!(io::stdout(), "{text}")?,
    }
    if made.len() < args.count {
        let message = format!("only {} of {} openings were made", made.len(), args.count);
        return Err(Failure::failed(message));
    }
    Ok(())
}

fn make_openings(args: &MakeArgs, recipe: &OpeningRecipe) -> Result<Vec<JudgedOpening>, Failure> {
    let spec = format!("nodes={},{}", args.nodes, args.engine.as_deref().unwrap_or(JUDGE));
    let given = pairs(&spec);
    let engine = EngineSpec::from_pairs(given.iter().map(|(k, v)| (k.as_str(), v.as_str())))
        .map_err(|e| Failure::usage(format!("--engine: {e}")))?;
    let plan = Plan {
        game: args.game.game,
        engines: vec![engine],
        schedule: Schedule::new(Format::RoundRobin, 1, 0, 1, args.seed),
        openings: vec![recipe.start.clone()],
        terms: Terms::default(),
        concurrency: args.concurrency,
        cpus: Vec::new(),
    };
    let runner = assemble::match_runner();
    runner.try_out(&plan, 0).map_err(|fault| Failure::failed(format!("the engine: {fault}")))?;
    let bar = ProgressBar::with_draw_target(Some(args.count as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} openings {msg} {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let made = make(recipe, &plan, &runner, &mut |made, candidates| {
        bar.set_position(made as u64);
        bar.set_message(format!("of {candidates} candidates"));
    });
    bar.finish_and_clear();
    made.map_err(|error| match error {
        PlayerError::Fault(fault) => Failure::failed(format!("the engine: {fault}")),
        PlayerError::Abandoned => Failure::failed("interrupted"),
    })
}

fn plies(text: &str) -> Result<RangeInclusive<usize>, String> {
    let wrong = || "expected a number such as 8, or a range such as 6-10 (at most 200)".to_owned();
    let number = |text: &str| text.parse().ok().filter(|n: &usize| (0..=200).contains(n));
    let (least, most) = text.split_once('-').unwrap_or((text, text));
    let range = number(least).ok_or_else(wrong)?..=number(most).ok_or_else(wrong)?;
    if range.is_empty() { Err(wrong()) } else { Ok(range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_plies() {
        assert_eq!(plies("8"), Ok(8..=8));
        assert_eq!(plies("6-10"), Ok(6..=10));
        for wrong in ["", "-", "10-6", "x", "1-2-3", "201", "-5"] {
            assert!(plies(wrong).is_err(), "{wrong}");
        }
    }
}
