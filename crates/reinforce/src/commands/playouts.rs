//! The flags of `nue rl playouts`, and what is done with them.

use super::machine;
use crate::error::RunError;
use crate::playouts::PlayoutMeasurement;
use crate::run::Watcher;
use crate::settings::{PlaySettings, SettingsError};
use balance::{Exploration, Start, StartError};
use clap::Args;
use rules::Game;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use think::TimeSource;

/// Measure strength as giver and as receiver of handicaps by playouts: games of a net against itself
///
/// From every start both sides have the same playouts, then the giver more than the receiver, then the receiver
/// more than the giver. Stopped or killed, the same command continues with the games beside the file.
#[derive(Args, Clone, Debug)]
pub(super) struct PlayoutsArgs {
    /// Net in real numbers (.nuedf) or integers (.nued); the one inside the executable if missing
    net: Option<PathBuf>,

    /// File to write (JSON); its games are kept beside it (.teacher)
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// The game: shogi or minishogi
    #[arg(long, default_value = "shogi")]
    game: Game,

    /// Where games begin, one after another: a handicap or an SFEN (may be repeated); the game's seven if missing
    #[arg(long, value_name = "NAME|SFEN")]
    start: Vec<String>,

    /// Playouts of a move of whoever has the fewest
    #[arg(long, value_name = "N", default_value_t = 16)]
    playouts: u32,

    /// How many times as many the other side has
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2,4,8")]
    ratios: Vec<u32>,

    /// Games of each pair of playouts from each start
    #[arg(long, value_name = "N", default_value_t = 200,
          value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,

    /// Moves of the first so many plies are drawn by their visits, so that games differ
    #[arg(long, value_name = "N", default_value_t = 10)]
    opening_plies: u32,

    /// Another one plays other games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Threads; all processors if missing
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<NonZeroUsize>,
}

impl PlayoutsArgs {
    /// Measures; the last thing to say about it.
    pub(super) fn run(
        &self,
        version: &str,
        time: &Arc<dyn TimeSource>,
        stop: &AtomicBool,
        watcher: &mut dyn Watcher,
    ) -> Result<String, RunError> {
        let (measurement, machine) = (self.measurement()?, machine(self.threads, version));
        let watch = &mut |progress: &_| watcher.played(progress);
        let measured = measurement.run(&self.out, &machine, time, stop, watch);
        watcher.step_over();
        Ok(measured?.told())
    }

    fn measurement(&self) -> Result<PlayoutMeasurement, SettingsError> {
        let usual = PlaySettings::usual(self.game);
        let exploration = Exploration { plies: self.opening_plies, ..usual.exploration };
        let mut play = PlaySettings { playouts: self.playouts, exploration, ..usual };
        if !self.start.is_empty() {
            let starts = self.start.iter().map(|text| Start::parse(self.game, text));
            play.starts = starts.collect::<Result<Vec<Start>, StartError>>()?;
        }
        let (net, ratios) = (self.net.clone(), self.ratios.clone());
        Ok(PlayoutMeasurement { net, play, ratios, games: self.games, seed: self.seed })
    }
}
