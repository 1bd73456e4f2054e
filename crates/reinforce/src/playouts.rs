//! Strength as giver and as receiver of a handicap by playouts, measured: games of one net against itself in which
//! one side has more playouts than the other.

use crate::error::RunError;
use crate::files;
use crate::lots::{Assignments, Lots};
use crate::nets::{self, CALIBRATION};
use crate::pool::{PlayerNet, SelfPlay};
use crate::records::{PlayProgress, play_to_file};
use crate::review::read_games;
use crate::run::Machine;
use crate::settings::{PlaySettings, SettingsError};
use balance::{
    Exploration, HandicapMatch, Player, Role, Start, Strength, Temperature, Wdl, strengths,
};
use lab::LabError;
use rules::Color;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use teacher::Header;
use think::TimeSource;

/// Strengths to measure.
#[derive(Clone, Debug)]
pub struct PlayoutMeasurement {
    /// The net: real numbers or integers in a file, or the one inside the executable.
    pub net: Option<PathBuf>,
    /// How games are played, from which starts, with how many playouts of whoever has the fewest; noise and playout
    /// caps are left out of them, and trees are not kept from move to move.
    pub play: PlaySettings,
    /// How many times the playouts: every one is played by the giver against the fewest, and by the receiver.
    pub ratios: Vec<u32>,
    /// Games of each pair from each start.
    pub games: u64,
    pub seed: u64,
}

/// What was measured, as it is stored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredPlayouts {
    /// The game, by its name.
    pub game: String,
    /// What was played with.
    pub origin: String,
    pub seed: u64,
    /// By start as asked for, then by pair.
    pub matches: Vec<HandicapMatch>,
    /// How many games of each were different.
    pub different: Vec<u64>,
}

impl PlayoutMeasurement {
    /// Where the games are kept until all are played, beside the file.
    pub fn games_beside(out: &Path) -> PathBuf {
        out.with_extension("teacher")
    }

    /// Playouts of giver and receiver: as many on both sides, then more for one of them.
    fn pairs(&self) -> Result<Vec<(u32, u32)>, SettingsError> {
        let least = self.play.playouts;
        let ratios: BTreeSet<u32> = self.ratios.iter().copied().filter(|&r| r != 1).collect();
        let mut pairs = vec![(least, least)];
        for ratio in ratios {
            let more = least.checked_mul(ratio).filter(|&more| more >= least);
            let more = more.ok_or_else(|| SettingsError::Value {
                name: "ratio",
                value: ratio.to_string(),
                wanted: "it must be 1 or more, and such playouts must be possible",
            })?;
            pairs.extend([(more, least), (least, more)]);
        }
        Ok(pairs)
    }

    /// Nothing varies a game but the temperature of the first plies. Playouts are the most that are asked for, so that
    /// these are checked.
    fn settings(&self, pairs: &[(u32, u32)]) -> Result<PlaySettings, SettingsError> {
        self.play.check()?;
        let most = pairs.iter().map(|&(giver, receiver)| giver.max(receiver)).max();
        let settings = PlaySettings {
            playouts: most.unwrap_or(self.play.playouts),
            fast_share: 0.0,
            noise: 0.0,
            forced: 0.0,
            exploration: Exploration { temperature: Temperature::ONE, ..self.play.exploration },
            later_temperature: Temperature::ZERO,
            ..self.play.clone()
        };
        settings.check()?;
        Ok(settings)
    }

    /// The net, and what it is called.
    fn net(&self, threads: usize) -> Result<(PlayerNet, String), RunError> {
        match &self.net {
            Some(path) => {
                let net = nets::native(path, threads, CALIBRATION, &mut |_| ())?;
                Ok((net, path.display().to_string()))
            }
            None => Ok((
                nets::shipped(self.play.game, threads)?,
                "the net inside the executable".to_owned(),
            )),
        }
    }

    /// Plays what is missing of the games beside `out`, and writes what they came to there. Broken off, the same goes
    /// on.
    pub fn run(
        &self,
        out: &Path,
        machine: &Machine,
        time: &Arc<dyn TimeSource>,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&PlayProgress),
    ) -> Result<MeasuredPlayouts, RunError> {
        if out.exists() {
            return Err(LabError::at(out, &"is there already; name another file").into());
        }
        let pairs = self.pairs()?;
        let settings = self.settings(&pairs)?;
        let assignments =
            Assignments::Playouts { pairs: pairs.clone(), starts: settings.starts.len() };
        let lots = Lots { assignments, seed: self.seed, played_out: 1.0 };
        let kinds = (pairs.len() * settings.starts.len()) as u64;
        let (net, called) = self.net(machine.threads.get())?;
        let about = net.describe();
        let mut play = SelfPlay {
            settings: &settings,
            lots: &lots,
            resign: None,
            first: 0,
            last: self.games.saturating_mul(kinds),
            net,
            other: None,
            threads: machine.threads,
            games: machine.at_a_time(settings.playouts),
            stop,
        };
        let told: Vec<String> = pairs.iter().map(|(a, b)| format!("{a}:{b}")).collect();
        let starts: Vec<&str> = settings.starts.iter().map(|start| start.name.as_str()).collect();
        let header = Header::new(settings.game)
            .with("net", &called)
            .with("starts", starts.join(" "))
            .with("playouts", told.join(" "))
            .with("opening plies", settings.exploration.plies)
            .with("games", play.last)
            .with("seed", self.seed);
        let path = Self::games_beside(out);
        if !play_to_file(&mut play, &path, header, &**time, watch)? {
            return Err(RunError::Interrupted);
        }
        let (matches, different) = counted(&path, &settings, &lots, &pairs)?;
        let plies = settings.exploration.plies;
        let origin = format!(
            "{called} ({about}), {} games a pair and start, moves of the first {plies} plies drawn by their visits",
            self.games
        );
        let game = settings.game.name().to_owned();
        let measured = MeasuredPlayouts { game, origin, seed: self.seed, matches, different };
        files::write(out, &measured)?;
        Ok(measured)
    }
}

/// What every pair scored from every start in games that the referee confirms, and how many of them were different.
fn counted(
    path: &Path,
    settings: &PlaySettings,
    lots: &Lots,
    pairs: &[(u32, u32)],
) -> Result<(Vec<HandicapMatch>, Vec<u64>), RunError> {
    let player = |playouts: u32| Player { name: "net".to_owned(), playouts: playouts.into() };
    let fresh = |start: &Start| {
        let start = start.name.clone();
        pairs.iter().map(move |&(giver, receiver)| HandicapMatch {
            start: start.clone(),
            giver: player(giver),
            receiver: player(receiver),
            score: Wdl::default(),
        })
    };
    let mut matches: Vec<HandicapMatch> = settings.starts.iter().flat_map(fresh).collect();
    let mut seen = vec![BTreeSet::new(); matches.len()];
    let mut number = 0;
    read_games(path, settings, lots, &mut |lot, game| {
        let at = lot.assignment.start * pairs.len() + number % pairs.len();
        if let Some(result) = game.outcome.for_side(Color::White) {
            matches[at].score.add(result);
        }
        let moves: Vec<_> = game.plies.iter().map(|ply| ply.mv.usi(settings.game)).collect();
        seen[at].insert(moves.join(" "));
        number += 1;
    })?;
    Ok((matches, seen.iter().map(|games| games.len() as u64).collect()))
}

impl MeasuredPlayouts {
    /// What was measured, from its file.
    pub fn read(path: &Path) -> Result<Self, RunError> {
        let missing = || LabError::at(path, &"is missing; nue rl playouts writes such files");
        Ok(files::read(path)?.ok_or_else(missing)?)
    }

    /// Strengths in a role against the fewest playouts.
    pub fn strengths(&self, role: Role) -> Vec<Strength> {
        let least = self.matches.iter().map(|m| m.giver.playouts.min(m.receiver.playouts)).min();
        let mut rows = strengths(&self.matches, role);
        rows.retain(|row| Some(row.opponent.playouts) == least);
        rows
    }

    /// A table for people: a line for every start, role and number of playouts.
    pub fn told(&self) -> String {
        let mut text = format!("{}: {}\n", self.game, self.origin);
        for (role, name) in ROLES {
            let _ = writeln!(
                text,
                "{name:<9} playouts  against   games   score    Elo   error    gain"
            );
            for row in self.strengths(role) {
                let _ = writeln!(
                    text,
                    "{:<9} {:>8} {:>8} {:>7}   {:.3} {}",
                    row.start,
                    row.player.playouts,
                    row.opponent.playouts,
                    row.score.games(),
                    row.score.share(),
                    elo(&row)
                );
            }
        }
        let games: u64 = self.matches.iter().map(|m| m.score.games()).sum();
        let _ = write!(text, "{} of {games} games differ", self.different.iter().sum::<u64>());
        text
    }

    /// The same for a report.
    pub fn markdown(&self) -> String {
        let mut text = format!("## Strength by playouts\n\n{}: {}.\n", self.game, self.origin);
        for (role, name) in ROLES {
            let _ = write!(
                text,
                "\n| start | {name}'s playouts | the other's | games | score | Elo | gain |\n|---|---|---|---|---|---|---|\n"
            );
            for row in self.strengths(role) {
                let told = |rating: Option<rating::Rating>| {
                    rating.map_or_else(
                        || "–".to_owned(),
                        |r| format!("{:.0} ± {:.0}", r.elo, 2.0 * r.error),
                    )
                };
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {} | {:.3} | {} | {} |",
                    row.start,
                    row.player.playouts,
                    row.opponent.playouts,
                    row.score.games(),
                    row.score.share(),
                    told(row.elo),
                    told(row.gain)
                );
            }
        }
        text.push_str("\nErrors are two standard errors; no Elo where one side has all points.\n");
        text
    }
}

const ROLES: [(Role, &str); 2] = [(Role::Giver, "giver"), (Role::Receiver, "receiver")];

/// Elo, its standard error and the gain, in columns.
fn elo(row: &Strength) -> String {
    let Some(rating) = row.elo else { return "     –".to_owned() };
    let gain = row.gain.map_or_else(String::new, |gain| format!("{:>8.0}", gain.elo));
    format!("{:>6.0} {:>7.0}{gain}", rating.elo, rating.error)
}
