//! A net against another, many games at a time: how a gate decides, and how two nets are compared quickly.
//!
//! Both compute in integers on the threads that play, with equal playouts, so that the same match always has the
//! same games. Every start is played with both colours; games differ by the draws of their first plies.

use crate::error::RunError;
use crate::lots::{Assignments, Lots};
use crate::nets;
use crate::pool::SelfPlay;
use crate::records::{PlayProgress, play_to_file};
use crate::review::read_games;
use crate::settings::PlaySettings;
use balance::{Temperature, Wdl};
use rules::Color;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use teacher::Header;
use think::TimeSource;

/// A match to play.
#[derive(Clone, Debug)]
pub struct NetMatch {
    /// The nets, in real numbers.
    pub first: PathBuf,
    pub second: PathBuf,
    /// How games are played; noise, playout caps and temperatures behind the first plies are left out of them.
    pub play: PlaySettings,
    /// Games; one more if they are not even, so that colours are.
    pub games: u64,
    pub seed: u64,
    /// Positions that integers are calibrated on.
    pub calibration: usize,
}

impl NetMatch {
    fn settings(&self) -> PlaySettings {
        PlaySettings {
            fast_share: 0.0,
            noise: 0.0,
            forced: 0.0,
            later_temperature: Temperature::ZERO,
            ..self.play.clone()
        }
    }

    fn lots(&self) -> Lots {
        let pairs = vec![(Temperature::ZERO, Temperature::ZERO)];
        let assignments = Assignments::Paired { pairs, starts: self.play.starts.len() };
        Lots { assignments, seed: self.seed, played_out: 1.0 }
    }

    /// Plays what is missing of the games in that file; the first net's score by start, in games that the referee
    /// confirms. Broken off, the same goes on.
    pub fn run(
        &self,
        path: &Path,
        threads: NonZeroUsize,
        time: &dyn TimeSource,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&PlayProgress),
    ) -> Result<Vec<Wdl>, RunError> {
        let (settings, lots) = (self.settings(), self.lots());
        settings.check()?;
        let open = |path: &Path| nets::native(path, threads.get(), self.calibration, &mut |_| ());
        let count = self.games.div_ceil(2) * 2;
        let mut play = SelfPlay {
            settings: &settings,
            lots: &lots,
            resign: None,
            first: 0,
            last: count,
            net: open(&self.first)?,
            other: Some(open(&self.second)?),
            threads,
            games: threads,
            stop,
        };
        let starts = settings.starts.iter().flat_map(|start| start.sfen.bytes().chain([b'\n']));
        let header = Header::new(settings.game)
            .with("starts", format!("{} ({:016x})", settings.starts.len(), seed::fnv1a(starts)))
            .with("opening plies", settings.exploration.plies)
            .with("nets", format!("{} against {}", self.first.display(), self.second.display()))
            .with("playouts", settings.playouts)
            .with("policy temperature", settings.policy_temperature)
            .with("games", count)
            .with("seed", self.seed);
        if !play_to_file(&mut play, path, header, time, watch)? {
            return Err(RunError::Interrupted);
        }
        let mut scores = vec![Wdl::default(); settings.starts.len()];
        let mut number = 0_u64;
        read_games(path, &settings, &lots, &mut |lot, game| {
            let side = if number.is_multiple_of(2) { Color::Black } else { Color::White };
            if let Some(result) = game.outcome.for_side(side) {
                scores[lot.assignment.start].add(result);
            }
            number += 1;
        })?;
        Ok(scores)
    }
}

/// All scores together.
pub fn total(scores: &[Wdl]) -> Wdl {
    scores.iter().fold(Wdl::default(), |sum, score| sum.plus(*score))
}
