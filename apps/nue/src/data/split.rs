//! `nue data split`: training and validation, no game in both.

use super::args::InputArgs;
use super::summary::report;
use crate::failure::CommandResult;
use chart::grouped;
use corpus::Target;
use corpus::split::{self, Split};
use display::InputBar;
use std::path::{Path, PathBuf};

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
    /// Share of the games that goes to validation, between 0 and 1
    #[arg(long, default_value_t = 0.05)]
    share: f64,
    /// Another seed, another choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Replace the files if they exist
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &SplitArgs) -> CommandResult {
    let target = |path: &Path| Target { path: path.to_owned(), force: args.force, resume: false };
    let request = Split {
        inputs: args.input.interruptible(),
        train: target(&args.train),
        validation: target(&args.validation),
        share: args.share,
        seed: args.seed,
    };
    let bar = InputBar::new();
    let parts = split::run(&request, &|progress| bar.show(progress))?;
    bar.rate();
    let lines = [(&args.train, &parts.train), (&args.validation, &parts.validation)].map(
        |(path, counts)| {
            let (games, positions) = (grouped(counts.games), grouped(counts.positions));
            format!("{}: {games} games, {positions} positions", path.display())
        },
    );
    report(&parts.all(), &lines.join("\n"))
}
