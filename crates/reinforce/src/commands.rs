//! `nue rl`: what reinforcement learning knows about temperatures and starts. The flags, and what is done with them.

mod playouts;

use self::playouts::PlayoutsArgs;
use crate::error::RunError;
use crate::flags::temperature;
use crate::matches::{NetMatch, total};
use crate::nets::{CALIBRATION, KeptWorkers, Players};
use crate::playouts::MeasuredPlayouts;
use crate::report::Report;
use crate::run::{Machine, Watcher};
use crate::settings::{PlaySettings, SettingsError};
use crate::temperatures::{Measurement, told};
use crate::training::Trainer;
use balance::{Start, StartError, Temperature, Wdl};
use clap::{Args, Subcommand};
use rules::Game;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use think::TimeSource;

/// Look at reinforcement learning: what temperatures cost, what starts are worth
#[derive(Args, Clone, Debug)]
pub struct RlArgs {
    #[command(subcommand)]
    command: RlCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum RlCommand {
    Table(TableArgs),
    Match(MatchArgs),
    Playouts(PlayoutsArgs),
    Report(ReportArgs),
}

/// Measure what a temperature costs: games of a net against itself at two temperatures
///
/// Stopped or killed, the same command continues with the games beside the table.
#[derive(Args, Clone, Debug)]
struct TableArgs {
    /// Net in real numbers (.nuedf)
    net: PathBuf,

    /// Table to write (JSON); its games are kept beside it (.teacher)
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// The game: shogi or minishogi
    #[arg(long, default_value = "shogi")]
    game: Game,

    /// Temperatures; 0 must be among them
    #[arg(long, value_name = "T,…", value_delimiter = ',', value_parser = temperature,
          default_value = "0,0.25,0.5,0.75,1,1.3")]
    temperatures: Vec<Temperature>,

    /// Games of each pair, half of them with either colour
    #[arg(long, value_name = "N", default_value_t = 400,
          value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    games: u64,

    /// Where games begin, one after another: a handicap or an SFEN (may be repeated)
    #[arg(long, value_name = "NAME|SFEN", default_value = "even")]
    start: Vec<String>,

    /// Playouts of a move
    #[arg(long, value_name = "N", default_value_t = 32)]
    playouts: u32,

    /// Plies in which both sides draw moves with temperature 1 at least, so that games differ
    #[arg(long, value_name = "N", default_value_t = 8)]
    opening_plies: u32,

    /// Another one plays other games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Threads; all processors if missing
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<NonZeroUsize>,
}

/// Play a net against another on equal playouts, many games at a time
///
/// Every start is played with both colours. Stopped or killed, the same command continues with the games in the file.
#[derive(Args, Clone, Debug)]
struct MatchArgs {
    /// Net in real numbers (.nuedf)
    first: PathBuf,

    /// The net it plays against (.nuedf)
    second: PathBuf,

    /// File of the games (.teacher), new or of the same match
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// The game: shogi or minishogi
    #[arg(long, default_value = "shogi")]
    game: Game,

    /// How many to play in all, as many with each colour
    #[arg(long, value_name = "N", default_value_t = 400,
          value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    games: u64,

    /// Where games begin, one after another: a handicap or an SFEN (may be repeated)
    #[arg(long, value_name = "NAME|SFEN", default_value = "even")]
    start: Vec<String>,

    /// Playouts of a move
    #[arg(long, value_name = "N", default_value_t = 64)]
    playouts: u32,

    /// Plies in which moves are drawn with temperature 1
    #[arg(long, value_name = "N", default_value_t = 8)]
    opening_plies: u32,

    /// Another one plays other games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Threads; all processors if missing
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<NonZeroUsize>,
}

impl MatchArgs {
    fn net_match(&self) -> Result<NetMatch, SettingsError> {
        let starts = self.start.iter().map(|text| Start::parse(self.game, text));
        let starts = starts.collect::<Result<Vec<Start>, StartError>>()?;
        let mut play =
            PlaySettings { starts, playouts: self.playouts, ..PlaySettings::usual(self.game) };
        play.exploration.plies = self.opening_plies;
        Ok(NetMatch {
            first: self.first.clone(),
            second: self.second.clone(),
            play,
            games: self.games,
            seed: self.seed,
            calibration: CALIBRATION,
        })
    }

    /// What the first net scored, start by start and in all, for people.
    fn told(&self, scores: &[Wdl]) -> String {
        let line = |name: &str, score: &Wdl| {
            let Wdl { wins, draws, losses } = *score;
            let elo = score.moderated_difference();
            format!(
                "{name}: {wins}-{draws}-{losses}, {:.1} %, {elo:+.0} Elo",
                100.0 * score.share()
            )
        };
        let each = self.start.iter().zip(scores).map(|(name, score)| line(name, score));
        let all = (scores.len() > 1).then(|| line("all", &total(scores)));
        each.chain(all).collect::<Vec<_>>().join("\n")
    }
}

/// Tables, pictures and opening sets of what a run recorded about its starts
#[derive(Args, Clone, Debug)]
struct ReportArgs {
    /// Folder of "nue learn --method rl"
    folder: PathBuf,

    /// Folder to write, new or empty
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,

    /// What "nue rl playouts" wrote of its net, to be told and drawn too
    #[arg(long, value_name = "FILE")]
    playouts: Option<PathBuf>,
}

impl RlArgs {
    /// Does what was asked for; the last thing to say about it.
    pub fn run(
        &self,
        version: &str,
        time: &Arc<dyn TimeSource>,
        stop: &AtomicBool,
        watcher: &mut dyn Watcher,
    ) -> Result<String, RunError> {
        match &self.command {
            RlCommand::Table(args) => {
                let (measurement, machine) = (args.measurement()?, machine(args.threads, version));
                let watch = &mut |progress: &_| watcher.played(progress);
                let workers = KeptWorkers::default();
                let table = measurement.run(&args.out, &machine, &workers, time, stop, watch);
                watcher.step_over();
                Ok(told(&table?))
            }
            RlCommand::Match(args) => {
                let threads = args.threads.unwrap_or_else(cores);
                let watch = &mut |progress: &_| watcher.played(progress);
                let scores = args.net_match()?.run(&args.out, threads, &**time, stop, watch);
                watcher.step_over();
                Ok(args.told(&scores?))
            }
            RlCommand::Playouts(args) => args.run(version, time, stop, watcher),
            RlCommand::Report(args) => {
                let strength = args.playouts.as_deref().map(MeasuredPlayouts::read).transpose()?;
                Report::read(&args.folder)?.with_playouts(strength).write(&args.out)?;
                Ok(format!("written: {}", args.out.join("report.md").display()))
            }
        }
    }
}

impl TableArgs {
    fn measurement(&self) -> Result<Measurement, SettingsError> {
        let mut play = PlaySettings { playouts: self.playouts, ..PlaySettings::usual(self.game) };
        let starts = self.start.iter().map(|text| Start::parse(self.game, text));
        play.starts = starts.collect::<Result<Vec<Start>, StartError>>()?;
        let (net, temperatures) = (self.net.clone(), self.temperatures.clone());
        let (opening_plies, games, seed) = (self.opening_plies, self.games, self.seed);
        Ok(Measurement { net, play, opening_plies, temperatures, games, seed })
    }
}

/// The net in integers, on so many threads or all there are; nothing is trained.
fn machine(threads: Option<NonZeroUsize>, version: &str) -> Machine {
    Machine {
        threads: threads.unwrap_or_else(cores),
        games: None,
        players: Players::Native { calibration: CALIBRATION },
        trainer: Trainer::default(),
        version: version.to_owned(),
    }
}

fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}
