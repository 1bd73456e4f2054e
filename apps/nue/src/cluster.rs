//! `nue cluster`: many engines as one, itself a USI engine.

use crate::failure::{CommandResult, Failure};
use crate::start::GameArg;
use crate::{assemble, output};
use ::cluster::config::{self, preset};
use ::cluster::{Broker, Cluster, ClusterSettings, OfferSettings, Offered, Place, offer, weights};
use clap::{Args, Subcommand};
use display::say;
use engines::ProgramCommand;
use engines::shell::input::{Line, next_line};
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
    Child(Box<ChildArgs>),
    /// Learn what each engine's vote is worth from the disagreements in a log
    Learn(LearnArgs),
}

#[derive(Args)]
struct LearnArgs {
    /// Log of a cluster
    log: PathBuf,
    /// File for the weights, to be named as "weights" in the cluster's file
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Replace the file
    #[arg(long)]
    force: bool,
    /// Nodes our engine reads after every move that was wanted; more than the children had
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    nodes: u64,
    #[command(flatten)]
    game: GameArg,
}

#[derive(Args)]
struct ChildArgs {
    /// Address and port to listen on
    #[arg(long, default_value = "127.0.0.1:4090")]
    listen: String,
    /// File with the token that a cluster has to know
    #[arg(long, value_name = "FILE", required_unless_present = "nats")]
    token_file: Option<PathBuf>,
    /// Offer it at the broker of a fleet instead: nats://HOST:PORT or tls://HOST:PORT
    #[arg(long, value_name = "URL", requires = "name", conflicts_with_all = ["listen", "token_file", "certificate"])]
    nats: Option<String>,
    /// What it is called there
    #[arg(long, requires = "nats")]
    name: Option<String>,
    /// First word of the fleet's subjects
    #[arg(long, default_value = "fleet", requires = "nats")]
    prefix: String,
    /// File with the nkey to log in with
    #[arg(long, value_name = "FILE", requires = "nats")]
    nkey: Option<PathBuf>,
    /// Certificates to trust, in PEM
    #[arg(long, value_name = "FILE", requires = "nats")]
    ca: Option<PathBuf>,
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

/// Where an engine is offered.
fn place(args: ChildArgs) -> Place {
    let (prefix, nkey, ca) = (args.prefix, args.nkey, args.ca);
    let named = args.nats.zip(args.name);
    let broker = named.map(|(url, name)| Broker { url, name, prefix, nkey, ca });
    Place::chosen(broker, args.listen, args.token_file, args.certificate.zip(args.key))
}

fn learn(args: &LearnArgs, time: Arc<dyn TimeSource>) -> CommandResult {
    let mut engine = assemble::engine(args.game.game, time);
    engine.is_ready(&mut say);
    let bounds = (args.game.game, args.nodes);
    say(&weights::learn_from(&args.log, &args.out, args.force, engine, bounds)?);
    Ok(())
}

pub(crate) fn run(args: ClusterArgs) -> CommandResult {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let clock = Arc::clone(&time);
    let factory = Arc::new(move |game| assemble::engine(game, Arc::clone(&clock)));
    match args.command {
        None => {}
        Some(ClusterCommand::Learn(args)) => return learn(&args, time),
        Some(ClusterCommand::Child(args)) => {
            let (program, game) = (args.program.clone(), args.game.game);
            let engine = Offered { program, game, factory, time };
            return Ok(offer(OfferSettings { place: place(*args), engine }, &mut say)?);
        }
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
