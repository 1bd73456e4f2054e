//! `nue data split`: training and validation, no game in both.

use super::format::Format;
use super::input::{self, Flow, InputArgs};
use super::progress::Progress;
use super::sink::{self, Sink};
use super::tally::Tally;
use super::{OutputArgs, count, same_format};
use crate::failure::{Failure, Outcome};
use arena::seed::Seed;
use std::path::PathBuf;

/// Split games into training and validation; a game goes whole to one of them
#[derive(clap::Args)]
pub(crate) struct SplitArgs {
    #[command(flatten)]
    input: InputArgs,
    /// File for training
    #[arg(long, value_name = "OUT")]
    train: PathBuf,
    /// File for validation
    #[arg(long, value_name = "OUT")]
    validation: PathBuf,
    /// Share of the games that goes to validation, 0 to 1
    #[arg(long, default_value_t = 0.05)]
    share: f64,
    /// Another seed, another choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Replace the files if they exist
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub(crate) fn run(args: &SplitArgs) -> Outcome {
    let (sources, format) = args.input.alike()?;
    if matches!(format, Format::Psv | Format::Hcpe) {
        return Err(Failure::usage(format!(
            "{format} does not tell which positions belong to one game: split the games they \
             were made from"
        )));
    }
    if !(0.0..=1.0).contains(&args.share) {
        return Err(Failure::usage(format!("--share is {}, expected 0 to 1", args.share)));
    }
    let header = args.input.header(&sources)?;
    let game = header.game;
    let mut inputs = input::paths(&sources);
    for path in [&args.train, &args.validation] {
        same_format(&OutputArgs { output: path.clone(), force: args.force }, format)?;
        sink::check(path, &inputs, args.force)?;
        if inputs.last() == Some(&args.train) && path == &args.train {
            return Err(Failure::usage("--train and --validation name the same file"));
        }
        inputs.push(path.clone());
    }
    let mut train = Sink::new(&args.train, format, header.clone(), args.force)?;
    let mut validation = Sink::new(&args.validation, format, header, args.force)?;
    let progress = Progress::new(input::total(&sources));
    let (mut tally, mut held_back) = (Tally::default(), Tally::default());
    input::games(&sources, game, &progress, &mut tally, &mut |game, tally| {
        // By what was played, not by its place: a game that comes twice stays on one side.
        let lot = Seed::new(args.seed).branch(game.fingerprint()).unit();
        if lot < args.share {
            validation.write(&game, &mut held_back)?;
        } else {
            train.write(&game, tally)?;
        }
        Ok(Flow::Next)
    })?;
    train.publish()?;
    validation.publish()?;
    progress.clear();
    let parts = [(&args.train, &tally), (&args.validation, &held_back)].map(|(path, tally)| {
        let (games, positions) = (count(tally.games), count(tally.positions));
        format!("{}: {games} games, {positions} positions", path.display())
    });
    tally.add(held_back);
    tally.report(&parts.join("\n"))
}
