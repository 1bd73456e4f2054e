//! `nue cluster`: many engines as one, itself a USI engine.

use crate::failure::{CommandResult, Failure};
use crate::input::{Line, next_line};
use crate::start::GameArg;
use crate::{assemble, output};
use ::cluster::config::{self, preset};
use ::cluster::{Cluster, ClusterSettings, OfferSettings, offer};
use clap::{Args, Subcommand};
use display::say;
use engines::ProgramCommand;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use think::{TimeSource, WallTime};

/// Play with many engines as one: consultation, pondering on several replies
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ClusterArgs {
    /// TOML file that names the engines and how they work together
    #[arg(value_name = "CONFIG", required_unless_present = "preset")]
    config: Option<PathBuf>,
    /// Without a file: duo is alpha-beta, tree search and mate solver on this machine
    #[arg(long, conflicts_with = "config", value_parser = preset::PRESETS)]
    preset: Option<String>,
    #[command(flatten)]
    game: GameArg,
    #[command(subcommand)]
    command: Option<ClusterCommand>,
}

#[derive(Subcommand)]
enum ClusterCommand {
    /// Offer an engine of this machine to a cluster elsewhere
    Child(ChildArgs),
}

#[derive(Args)]
struct ChildArgs {
    /// Address and port to listen on
    #[arg(long, default_value = "127.0.0.1:4090")]
    listen: String,
    /// File with the token that a cluster has to know
    #[arg(long, value_name = "FILE")]
    token_file: PathBuf,
    /// Certificate in PEM; needed unless only this machine can connect
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// Its key in PEM
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
    /// Command line of the USI engine to offer instead of our own
    #[arg(long, value_name = "COMMAND", value_parser = ProgramCommand::from_command_line)]
    program: Option<ProgramCommand>,
    #[command(flatten)]
    game: GameArg,
}

/// Runs the command.
pub(crate) fn run(args: ClusterArgs) -> CommandResult {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let clock = Arc::clone(&time);
    let factory = Arc::new(move |game| assemble::engine(game, Arc::clone(&clock)));
    if let Some(ClusterCommand::Child(args)) = args.command {
        let (listen, token_file, program) = (args.listen, args.token_file, args.program);
        let (tls, game) = (args.certificate.zip(args.key), args.game.game);
        let settings = OfferSettings { listen, token_file, tls, program, game, factory, time };
        return Ok(offer(settings, &mut say)?);
    }
    let (config, folder) =
        config::load(args.config.as_deref()).map_err(|error| Failure::usage(error.to_string()))?;
    let (author, output) = (env!("CARGO_PKG_AUTHORS").to_owned(), output::stdout());
    let game = args.game.game;
    let settings = ClusterSettings { config, folder, game, author, factory, time, output };
    let (cluster, input) = Cluster::new(settings);
    let mut stdin = BufReader::new(std::io::stdin());
    let lines = std::iter::from_fn(move || next_line(&mut stdin));
    input.read(lines.filter_map(|line| match line {
        Line::Text(text) | Line::NotText(text) => Some(text),
        Line::TooLong(_) => None,
    }))?;
    Ok(cluster.run()?)
}
