//! The command line of `nue match`, and the same from a TOML file.

use crate::failure::Failure;
use crate::flags::{FleetFlag, MatchFlags};
use crate::start::GameArg;
use arena::request::MatchRequest;
use arena::stats::Sprt;
use clap::{Args, FromArgMatches};
use std::ffi::OsString;
use std::path::PathBuf;

/// Play a match between engines, with statistics
///
/// An engine is KEY=VALUE pairs with commas between them:
///   cmd=PROGRAM        executable, or "self" for this program's own engine
///   name=NAME          name in tables and records
///   arg=TEXT           argument, may be repeated      dir=FOLDER   working folder
///   env.NAME=VALUE     environment variable           option.NAME=VALUE   USI option
///   tc=10+0.1          clock in seconds (10: sudden death; 5:00+3: minutes)
///   byoyomi=1000       milliseconds for each move, alone or after tc
///   movetime=200       milliseconds for each move     nodes=100k   depth=8
///   margin=100         milliseconds it may overstep its time, instead of --margin
///   ponder=true        thinks on the opponent's time
///   startup=60         seconds it may take to get ready
///   stall=5            seconds past its limit before it counts as hung
/// A comma inside a value is written "\,". Times may have a unit: 500ms, 2s, 5m.
#[derive(Args)]
#[command(verbatim_doc_comment, args_override_self = true)]
pub(crate) struct MatchArgs {
    /// An engine; at least two
    #[arg(long = "engine", value_name = "KEY=VALUE,…")]
    engines: Vec<String>,

    /// TOML file with the same settings; what is given here overrides it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Games of every pairing, half of them from each side
    #[arg(long, value_name = "N", default_value_t = usual().games)]
    games: u64,

    /// Who meets whom: round-robin, or gauntlet (the first engine against the others)
    #[arg(long, value_name = "FORMAT", default_value_t = usual().format)]
    format: arena::Format,

    /// Seed of the order of openings
    #[arg(long, value_name = "N", default_value_t = usual().seed)]
    seed: u64,

    /// Games at a time
    #[arg(long, short = 'j', value_name = "N", default_value_t = usual().concurrency, value_parser = at_a_time)]
    concurrency: usize,

    /// Stop when the difference is known: elo0=0,elo1=5[,alpha=0.05,beta=0.05,model=normalised|logistic]
    #[arg(long, value_name = "KEY=VALUE,…")]
    sprt: Option<Sprt>,

    /// CSA file all games are appended to, with a journal beside it
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Go on with the match in --out
    #[arg(long)]
    resume: bool,

    /// Replace the match in --out
    #[arg(long, conflicts_with = "resume")]
    force: bool,

    /// Folder for logs: every line to and from each program, with the time
    #[arg(long, value_name = "FOLDER")]
    log: Option<PathBuf>,
    /// Print results as lines of JSON
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    flags: MatchFlags,

    #[command(flatten)]
    pub(super) fleet: FleetFlag,

    #[command(flatten)]
    game: GameArg,
}

fn usual() -> MatchRequest {
    MatchRequest::default()
}

impl MatchArgs {
    /// The match these arguments ask for.
    pub(crate) fn request(&self) -> MatchRequest {
        let mut request = MatchRequest {
            engines: self.engines.clone(),
            game: self.game.game,
            games: self.games,
            format: self.format,
            seed: self.seed,
            concurrency: self.concurrency,
            sprt: self.sprt,
            out: self.out.clone(),
            resume: self.resume,
            force: self.force,
            log: self.log.clone(),
            ..MatchRequest::default()
        };
        self.flags.fill(&mut request);
        request
    }

    /// The arguments with those of the file they name put before them.
    pub(super) fn with_config(self) -> Result<Self, Failure> {
        let Some(path) = &self.config else { return Ok(self) };
        let text = std::fs::read_to_string(path)
            .map_err(|e| Failure::failed(format!("{}: {e}", path.display())))?;
        let from_file = arena::config_file::words(&text)
            .map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
        // The command line as it was typed, after what the file says.
        let typed = std::env::args_os().skip_while(|word| word != "match").skip(1);
        let all = from_file.into_iter().map(OsString::from).chain(typed);
        Self::parse_words(all).map_err(|e| Failure::usage(format!("{}: {e}", path.display())))
    }

    fn parse_words(words: impl Iterator<Item = OsString>) -> Result<Self, clap::Error> {
        let command = Self::augment_args(clap::Command::new("nue match").no_binary_name(true));
        Self::from_arg_matches(&command.try_get_matches_from(words)?)
    }
}

fn at_a_time(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|n| (1..=10_000).contains(n));
    number.ok_or_else(|| "expected a number from 1 to 10000".to_owned())
}
