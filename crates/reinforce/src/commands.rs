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
use arena::opening::Opening;
use arena::request::OpeningSource;
use balance::{Start, StartError, Temperature, Wdl};
use clap::{Args, Subcommand};
use rules::Game;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
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

    /// Positions, lines or game records to begin from, as in "nue match", instead of --start
    #[arg(long, value_name = "FILE", conflicts_with = "start")]
    openings: Option<PathBuf>,

    /// Playouts of a move
    #[arg(long, value_name = "N", default_value_t = 64)]
    playouts: u32,

    /// Plies in which moves are drawn with temperature 1 [default: 8; with --openings 0]
    #[arg(long, value_name = "N")]
    opening_plies: Option<u32>,

    /// Priors of both are softmax(logits / T), as in "nue learn"
    #[arg(long, value_name = "T", default_value_t = 1.0)]
    policy_temperature: f32,

    /// Another one plays other games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Threads; all processors if missing
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<NonZeroUsize>,
}

impl MatchArgs {
    fn net_match(&self) -> Result<NetMatch, SettingsError> {
        let starts = match &self.openings {
            Some(file) => openings(self.game, file)?,
            None => {
                let starts = self.start.iter().map(|text| Start::parse(self.game, text));
                starts.collect::<Result<Vec<Start>, StartError>>()?
            }
        };
        let usual = if self.openings.is_some() { 0 } else { 8 };
        let plies = self.opening_plies.unwrap_or(usual);
        // Nets that draw nothing play the same game again.
        let different = 2 * starts.len() as u64;
        if plies == 0 && self.games > different {
            let told = format!("{} from {} positions", self.games, starts.len());
            let wanted = "without drawn moves each can be played twice, once with each colour: fewer games, or --opening-plies";
            return Err(SettingsError::Value { name: "games", value: told, wanted });
        }
        let mut play =
            PlaySettings { starts, playouts: self.playouts, ..PlaySettings::usual(self.game) };
        play.exploration.plies = plies;
        play.policy_temperature = self.policy_temperature;
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
        if self.openings.is_some() {
            return line(&format!("{} openings", scores.len()), &total(scores));
        }
        let each = self.start.iter().zip(scores).map(|(name, score)| line(name, score));
        let all = (scores.len() > 1).then(|| line("all", &total(scores)));
        each.chain(all).collect::<Vec<_>>().join("\n")
    }
}

/// The positions that the openings of a file come to, as starts.
fn openings(game: Game, file: &Path) -> Result<Vec<Start>, SettingsError> {
    let source = OpeningSource {
        game,
        file: Some(file.to_owned()),
        plies: None,
        start: String::new(),
        max_moves: 0,
    };
    let mut left_out = Vec::new();
    let read = source.read(&mut left_out).map_err(|e| SettingsError::Openings(e.to_string()))?;
    // A match from fewer openings than were asked for would not be that match.
    if let Some(why) = left_out.into_iter().next() {
        return Err(SettingsError::Openings(format!("{}: {why}", file.display())));
    }
    let start = |opening: &Opening| Start::parse(game, &opening.position().sfen());
    Ok(read.iter().map(start).collect::<Result<_, _>>()?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: MatchArgs,
    }

    fn asked(words: &str) -> Result<NetMatch, String> {
        let words = format!("x a b --out c --game minishogi {words}");
        let line = Line::try_parse_from(words.split_whitespace()).map_err(|e| e.to_string())?;
        line.args.net_match().map_err(|e| e.to_string())
    }

    #[test]
    fn priors_of_a_match_are_flattened_if_asked_for() {
        assert_eq!(asked("").unwrap().play.policy_temperature, 1.0);
        let flat = asked("--policy-temperature 1.5").unwrap().play;
        assert_eq!(flat.constants().unwrap().temperature, 1.5);
        let told = asked("--policy-temperature 0").unwrap().play.check().unwrap_err().to_string();
        assert!(told.contains("policy-temperature is 0"), "{told}");
        assert!(asked("--policy-temperature warm").unwrap_err().contains("warm"));
    }

    #[test]
    fn a_match_begins_from_openings_that_are_played_once_with_each_colour() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("openings.txt");
        let start = "sfen rbsgk/4p/5/P4/KGSBR b - 1";
        std::fs::write(&file, format!("{start} moves 3e4d\n{start} moves 2e3d 4a3b\n")).unwrap();
        let words = format!("--openings {}", file.display());
        let played = asked(&format!("{words} --games 4")).unwrap();
        let sfens: Vec<&str> = played.play.starts.iter().map(|start| &*start.sfen).collect();
        assert_eq!(played.play.exploration.plies, 0);
        assert!(sfens.len() == 2 && sfens[0].ends_with(" w - 1"), "{sfens:?}");
        assert!(sfens[1].ends_with(" b - 1"), "moves count from there: {sfens:?}");
        played.play.check().unwrap();
        let told = asked(&format!("{words} --games 6")).unwrap_err();
        assert!(told.contains("6 from 2 positions"), "{told}");
        assert!(asked(&format!("{words} --games 6 --opening-plies 2")).is_ok());
        assert_eq!(asked("--games 400").unwrap().play.exploration.plies, 8);
        assert!(asked(&format!("{words} --start even")).unwrap_err().contains("--start"));
        // What is wrong is told, and nothing is left out.
        for (text, why) in
            [(&*format!("{start}\n{start} moves\nsfen 5/5 b - 1\n"), "left out"), ("", "no game")]
        {
            std::fs::write(&file, text).unwrap();
            let told = asked(&words).unwrap_err();
            assert!(told.contains(why) && told.contains("openings.txt"), "{told}");
        }
        assert!(asked("--openings /nowhere").unwrap_err().contains("/nowhere"));
    }
}
