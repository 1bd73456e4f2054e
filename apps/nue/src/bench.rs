//! `nue bench`: fixed positions at a fixed depth. The total of nodes is the signature of search
//! and evaluation: it changes when, and only when, they do.

use crate::evaluation::EvaluationArgs;
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use assembly::bench::{Bench, DEPTH, Total};
use clap::Args;
use rules::Game;
use std::io::{self, Write};
use std::sync::Arc;
use think::{TimeSource, WallTime};

/// Search fixed positions of both games; ends with the signature (all nodes read) and the speed
#[derive(Args)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    evaluation: EvaluationArgs,

    /// Depth in plies
    #[arg(long, value_name = "N", default_value_t = DEPTH,
          value_parser = clap::value_parser!(u32).range(1..=40))]
    depth: u32,

    /// Threads; the signature is the same every time with one only
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,

    /// Only the positions of this game: shogi or minishogi
    #[arg(long, value_parser = |s: &str| s.parse::<Game>())]
    game: Option<Game>,
}

pub(crate) fn run(args: &BenchArgs) -> CommandResult {
    let named = args.evaluation.named()?;
    if let (Some(game), Some(found)) = (args.game, named.game())
        && game != found
    {
        let about = named.describe();
        return Err(Failure::usage(format!("--game {game}, but {about} is for {found}")));
    }
    let games = Game::ALL.into_iter().filter(|&game| args.game.is_none_or(|only| only == game));
    let sets: Vec<_> = games.map(|game| (game, named.fitting(game))).collect();
    let mut failed = None;
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let bench = Bench::new(Some(args.depth), args.threads);
    let cancelled = bench.clone();
    let interrupted = interrupt::and_then(move || cancelled.cancel());
    let total = bench.run(&sets, &time, &mut |line| {
        failed = failed.take().or_else(|| writeln!(io::stdout(), "{line}").err());
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    interrupt::check(&interrupted, ": there is no signature without all positions")?;
    let Some(Total { nodes, time }) = total else {
        return Err(Failure::failed("the bench did not finish"));
    };
    let nps = (nodes as f64 / time.as_secs_f64().max(1e-9)) as u64;
    writeln!(io::stdout(), "signature: {nodes}\nnps: {nps}")?;
    Ok(())
}
