//! `nue cluster`: many engines as one, itself a USI engine.

use crate::failure::{CommandResult, Failure};
use crate::input::{Line, next_line};
use crate::start::GameArg;
use crate::{assemble, output};
use ::cluster::config::preset;
use ::cluster::{Cluster, ClusterSettings, Config, OfferSettings, offer};
use clap::{Args, Subcommand};
use display::say;
use engines::ProgramCommand;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, available_parallelism};
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
    /// Threads of a preset; as many as this machine has if not given
    #[arg(long, requires = "preset")]
    threads: Option<NonZero<usize>>,
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
    #[arg(long, value_name = "COMMAND")]
    program: Option<String>,
    #[command(flatten)]
    game: GameArg,
}

/// Runs the command.
pub(crate) fn run(args: &ClusterArgs) -> CommandResult {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let clock = Arc::clone(&time);
    let factory = Arc::new(move |game| assemble::engine(game, Arc::clone(&clock)));
    if let Some(ClusterCommand::Child(args)) = &args.command {
        let program = args.program.as_deref().map(ProgramCommand::from_command_line).transpose();
        let settings = OfferSettings {
            listen: args.listen.clone(),
            token_file: args.token_file.clone(),
            tls: args.certificate.clone().zip(args.key.clone()),
            program: program.map_err(|error| Failure::usage(format!("--program: {error}")))?,
            game: args.game.game,
            factory,
            time,
        };
        return offer(settings, &mut say).map_err(|e| Failure::failed(e.to_string()));
    }
    let (config, folder) = configuration(args)?;
    let (cluster, input) = Cluster::new(ClusterSettings {
        config,
        folder,
        game: args.game.game,
        author: env!("CARGO_PKG_AUTHORS").to_owned(),
        factory,
        time,
        output: output::stdout(),
    });
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut stdin = std::io::stdin().lock();
        while let Some(line) = next_line(&mut stdin) {
            let (Line::Text(text) | Line::NotText(text)) = line else { continue };
            if !input.line(text) {
                return;
            }
        }
        input.end();
    })?;
    cluster.run().map_err(|error| Failure::failed(error.to_string()))
}

/// What the file or the preset says, and where its paths are meant from.
fn configuration(args: &ClusterArgs) -> Result<(Config, PathBuf), Failure> {
    let Some(path) = &args.config else {
        let threads = args.threads.or_else(|| available_parallelism().ok()).map_or(2, NonZero::get);
        let config = preset::duo(threads).map_err(|error| Failure::failed(error.to_string()))?;
        return Ok((config, PathBuf::new()));
    };
    let failed =
        |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let config = Config::parse(&text).map_err(|error| failed(&error))?;
    Ok((config, path.parent().map_or_else(PathBuf::new, Path::to_owned)))
}
