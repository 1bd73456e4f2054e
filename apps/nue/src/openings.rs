//! `nue openings make`: balanced positions to begin games from.

use crate::assemble;
use crate::failure::{CommandResult, Failure};
use crate::flags::fleet::FleetFlag;
use crate::start::GameArg;
use arena::opening::PlyRange;
use arena::opening_maker::{OpeningMakerError, OpeningSettings, parse_plies};
use clap::{Args, Subcommand};
use display::{OpeningsBar, say};
use fleet::Spec;
use fleet::exchange::make_openings;
use std::io::{self, Write};
use std::path::PathBuf;

/// Make openings for matches
#[derive(Args)]
pub(crate) struct OpeningsArgs {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Make(MakeArgs),
}

/// Random moves, kept where a short search finds the position balanced; no position twice
#[derive(Args)]
pub(crate) struct MakeArgs {
    /// Number of openings to make
    #[arg(long, value_name = "N", default_value_t = usual().count)]
    count: usize,

    /// Random moves: a number or a range such as 6-10
    #[arg(long, value_name = "N", default_value_t = usual().plies, value_parser = parse_plies)]
    plies: PlyRange,

    /// How far from zero the value may be, in hundredths of a pawn
    #[arg(long, value_name = "CP", default_value_t = usual().margin)]
    margin: u32,

    /// Nodes of the search that judges
    #[arg(long, value_name = "N", default_value_t = usual().nodes,
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// The engine that judges, as in "nue match"; our own if missing
    #[arg(long, value_name = "KEY=VALUE,…")]
    engine: Option<String>,

    /// Where all begin: startpos, a handicap or an SFEN
    #[arg(long, value_name = "POSITION", default_value_t = usual().start)]
    start: String,

    /// Seed: the same gives the same openings, with one thread of the engine
    #[arg(long, value_name = "N", default_value_t = usual().seed)]
    seed: u64,

    /// How many are judged at a time
    #[arg(long, short = 'j', value_name = "N", default_value_t = usual().concurrency)]
    concurrency: usize,

    /// File to write; standard output if missing
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    game: GameArg,

    #[command(flatten)]
    fleet: FleetFlag,
}

fn usual() -> OpeningSettings {
    OpeningSettings::default()
}

pub(crate) fn run(args: &OpeningsArgs) -> CommandResult {
    let Command::Make(args) = &args.command;
    let settings = args.settings();
    let out = args.out.as_deref().map(|path| (path, args.force));
    let spec = || Spec::Openings(Box::new(settings.clone()));
    if args.fleet.submitted("openings", spec, None, out)? {
        return Ok(());
    }
    let runner = assemble::match_runner();
    let bar = OpeningsBar::new(args.count);
    let mut progress = |made: usize, candidates: u64| bar.show(made, candidates);
    let mut make = || match args.fleet.is_local() {
        true => make_openings(&settings, &runner, &mut progress),
        false => settings.make(&runner, &mut progress),
    };
    let mut text = String::new();
    let made = match &args.out {
        Some(path) => OpeningSettings::write_made(path, args.force, make),
        None => make().map(|made| {
            text = made.text;
            made.count
        }),
    };
    bar.clear();
    let made = made?;
    write!(io::stdout(), "{text}")?;
    if made < args.count {
        return Err(Failure::failed(format!("only {made} of {} openings were made", args.count)));
    }
    if let Some(path) = &args.out {
        say(&format!("{}: {made} openings written", path.display()));
    }
    Ok(())
}

impl MakeArgs {
    /// The openings these flags ask for.
    pub(crate) fn settings(&self) -> OpeningSettings {
        OpeningSettings {
            game: self.game.game,
            count: self.count,
            plies: self.plies,
            margin: self.margin,
            nodes: self.nodes,
            engine: self.engine.clone(),
            start: self.start.clone(),
            seed: self.seed,
            concurrency: self.concurrency,
        }
    }
}

impl From<OpeningMakerError> for Failure {
    fn from(error: OpeningMakerError) -> Self {
        match error {
            OpeningMakerError::Request(error) => Self::from(error),
            OpeningMakerError::Interrupted => Self::Interrupted(error.to_string()),
            OpeningMakerError::Exists(_) => Self::usage(error.to_string()),
            error => Self::failed(error.to_string()),
        }
    }
}
