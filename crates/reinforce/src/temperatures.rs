//! What a temperature costs, measured: games of one net against itself at two temperatures.

use crate::error::RunError;
use crate::files;
use crate::lots::{Assignments, Lots};
use crate::nets::{self, KeptWorkers};
use crate::pool::SelfPlay;
use crate::records::{PlayProgress, play_to_file};
use crate::review::read_games;
use crate::run::Machine;
use crate::settings::PlaySettings;
use balance::{Exploration, Table, Temperature, TemperatureMatch, Wdl};
use lab::LabError;
use rules::Color;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use teacher::Header;
use think::TimeSource;

/// A table to measure.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The net, in real numbers.
    pub net: PathBuf,
    /// How games are played; noise and playout caps are left out of them.
    pub play: PlaySettings,
    /// Plies in which both sides draw moves with temperature 1 at least. Without them cool players play the same
    /// game again and again, and figures look surer than they are.
    pub opening_plies: u32,
    pub temperatures: Vec<Temperature>,
    /// Games of each pair of temperatures, half of them with either colour.
    pub games: u64,
    pub seed: u64,
}

impl Measurement {
    /// Where the games are kept until there is a table, beside it.
    pub fn games_beside(out: &Path) -> PathBuf {
        out.with_extension("teacher")
    }

    /// Behind the opening every move of a side has its temperature, and nothing else varies a game.
    fn settings(&self) -> PlaySettings {
        PlaySettings {
            fast_share: 0.0,
            noise: 0.0,
            forced: 0.0,
            exploration: Exploration { plies: self.opening_plies, ..Exploration::default() },
            later_temperature: Temperature::ZERO,
            ..self.play.clone()
        }
    }

    fn lots(&self) -> Lots {
        let pairs = Table::pairings(&self.temperatures);
        let assignments = Assignments::Paired { pairs, starts: self.play.starts.len() };
        Lots { assignments, seed: self.seed, played_out: 1.0 }
    }

    /// Plays what is missing of the games beside `out`, and writes the table there. Broken off, the same goes on.
    pub fn run(
        &self,
        out: &Path,
        machine: &Machine,
        workers: &KeptWorkers,
        time: &Arc<dyn TimeSource>,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&PlayProgress),
    ) -> Result<Table, RunError> {
        if out.exists() {
            return Err(LabError::at(out, &"is there already; name another file").into());
        }
        let (settings, lots) = (self.settings(), self.lots());
        settings.check()?;
        let pairs = Table::pairings(&self.temperatures);
        let count = self.games.div_ceil(2) * 2 * pairs.len() as u64;
        let (path, threads) = (Self::games_beside(out), machine.threads);
        let net = nets::open(
            &machine.players,
            &self.net,
            settings.game,
            threads.get(),
            workers,
            time,
            &mut |_| (),
        )?;
        let mut play = SelfPlay {
            settings: &settings,
            lots: &lots,
            resign: None,
            first: 0,
            last: count,
            net,
            other: None,
            threads,
            games: machine.at_a_time(settings.playouts),
            stop,
        };
        let told: Vec<String> = self.temperatures.iter().map(Temperature::to_string).collect();
        let header = Header::new(settings.game)
            .with("net", self.net.display())
            .with("temperatures", told.join(" "))
            .with("playouts", settings.playouts)
            .with("opening plies", self.opening_plies)
            .with("games", count)
            .with("seed", self.seed);
        if !play_to_file(&mut play, &path, header, &**time, watch)? {
            return Err(RunError::Interrupted);
        }
        let matches = matches(&path, &settings, &lots, &pairs)?;
        let origin = format!("{} playouts, {} games a pair", settings.playouts, self.games);
        let table = Table::measured(origin, &matches)?;
        files::write(out, &table)?;
        Ok(table)
    }
}

/// What was scored between each pair, in games that the referee confirms.
fn matches(
    path: &Path,
    settings: &PlaySettings,
    lots: &Lots,
    pairs: &[(Temperature, Temperature)],
) -> Result<Vec<TemperatureMatch>, RunError> {
    let fresh = |&(first, second)| TemperatureMatch { first, second, score: Wdl::default() };
    let mut matches: Vec<TemperatureMatch> = pairs.iter().map(fresh).collect();
    let mut number = 0;
    read_games(path, settings, lots, &mut |_, game| {
        let (pair, is_changed) = lots.assignments.pair(number);
        let side = if is_changed { Color::White } else { Color::Black };
        if let Some(result) = game.outcome.for_side(side) {
            matches[pair].score.add(result);
        }
        number += 1;
    })?;
    Ok(matches)
}

/// A table for people: a line for every temperature.
pub fn told(table: &Table) -> String {
    let line = |row: &balance::Row| {
        let (elo, error) = (row.elo.points(), row.error.points());
        format!("{:>11} {elo:>10.0} {error:>7.0}", row.temperature.to_string())
    };
    let head = "temperature   Elo lost   error".to_owned();
    std::iter::once(head).chain(table.rows().iter().map(line)).collect::<Vec<_>>().join("\n")
}
