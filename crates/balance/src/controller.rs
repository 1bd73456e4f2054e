//! The temperature of every start, adjusted until it scores one half.
//!
//! Each start has a weakening in Elo: above zero Black's, below zero White's. After so many games of a
//! start the Elo difference of what they scored is measured and a share of it, one half, added to the
//! weakening; the [`Table`] says which temperature that is. The rule is the paper's.
//!
//! It settles whatever the true law of temperatures is, as long as a step of the table is worth less
//! than four steps in truth: what is left of an error after an adjustment is 1 − (true step ÷ step of the
//! table) ÷ 2 of it. Up to twice the table's steps it comes from one side and never swings.
//!
//! Games are counted for the temperatures they were begun with, told by [`Assignment::revision`]: those
//! that were under way at an adjustment say nothing about what came after it. Whoever hands games over in
//! the order they were begun, and not in the order they ended, gives short games no advantage, and has
//! the same run whatever the speed of its machines.

use crate::elo::Elo;
use crate::series::{Merge, Series};
use crate::start::{Start, game_name};
use crate::table::Table;
use crate::temperature::Temperature;
use crate::wdl::Wdl;
use play::Outcome;
use rating::Rating;
use rules::{Color, Game};
use seed::Rng;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Purpose of the stream that chooses starts ("start" in ASCII).
const START: u64 = 0x0073_7461_7274;

/// When and how temperatures are adjusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// Games of a start between two adjustments; 8,000 in the paper.
    pub every: u64,
    /// Share of the measured difference that is added, in percent; 50 in the paper.
    pub percent: u8,
    /// Whether White is weakened where White is the stronger; in the paper only Black is.
    pub either_side: bool,
    /// No temperature is higher, whatever the table says beyond its end.
    pub highest: Temperature,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            every: 500,
            percent: 50,
            either_side: true,
            highest: Temperature::from_thousandths(3000),
        }
    }
}

impl Settings {
    /// As in the paper.
    pub fn paper() -> Self {
        Self { every: 8000, either_side: false, ..Self::default() }
    }
}

/// What was scored between two adjustments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Window {
    /// Black's.
    pub score: Wdl,
    /// The weakening under which it was scored.
    pub weakening: Elo,
}

impl Merge for Window {
    fn merged(self, later: Self) -> Self {
        let sum = self.weakening.thousandths() + later.weakening.thousandths();
        Self { score: self.score.plus(later.score), weakening: Elo::from_thousandths(sum / 2) }
    }
}

/// How one start is kept even.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StartBalance {
    start: Start,
    weakening: Elo,
    revision: u64,
    /// Black's score since the last adjustment.
    open: Wdl,
    history: Series<Window>,
}

/// The temperatures of all starts, and what they come from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredBalance", into = "StoredBalance")]
pub struct Balance {
    game: Game,
    settings: Settings,
    seed: u64,
    table: Table,
    starts: Vec<StartBalance>,
}

/// The same as stored, before it is checked.
#[derive(Serialize, Deserialize)]
struct StoredBalance {
    #[serde(with = "game_name")]
    game: Game,
    settings: Settings,
    seed: u64,
    table: Table,
    starts: Vec<StartBalance>,
}

/// What a game is played with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Assignment {
    /// Number of the start, from 0.
    pub start: usize,
    /// How often its temperatures were adjusted before; goes back with the result.
    pub revision: u64,
    pub black: Temperature,
    pub white: Temperature,
}

impl Assignment {
    /// That side's temperature.
    pub const fn temperature(&self, side: Color) -> Temperature {
        match side {
            Color::Black => self.black,
            Color::White => self.white,
        }
    }
}

/// A change of a weakening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Adjustment {
    /// Number of the start, from 0.
    pub start: usize,
    /// Black's score that was its reason.
    pub score: Wdl,
    pub before: Elo,
    pub after: Elo,
}

/// Why there is no balance.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BalanceError {
    #[error("no start position was named: games must begin somewhere")]
    NoStarts,
    #[error("{0} games between adjustments are none: give 1 or more")]
    Every(u64),
    #[error("{0} percent of the difference cannot be corrected: give 1 to 100")]
    Percent(u8),
    #[error("the start {name:?} cannot be read: {sfen:?}: {why}")]
    Start { name: String, sfen: String, why: String },
    #[error("there is no start number {start}: there are {starts}")]
    UnknownStart { start: usize, starts: usize },
}

impl Balance {
    /// Nobody is weakened yet. The seed decides which game begins where.
    pub fn new(
        game: Game,
        starts: Vec<Start>,
        settings: Settings,
        table: Table,
        seed: u64,
    ) -> Result<Self, BalanceError> {
        let fresh = |start| StartBalance {
            start,
            weakening: Elo::ZERO,
            revision: 0,
            open: Wdl::default(),
            history: Series::default(),
        };
        let starts = starts.into_iter().map(fresh).collect();
        Self { game, settings, seed, table, starts }.checked()
    }

    fn checked(self) -> Result<Self, BalanceError> {
        if self.starts.is_empty() {
            return Err(BalanceError::NoStarts);
        }
        if self.settings.every == 0 {
            return Err(BalanceError::Every(self.settings.every));
        }
        if !(1..=100).contains(&self.settings.percent) {
            return Err(BalanceError::Percent(self.settings.percent));
        }
        for StartBalance { start, .. } in &self.starts {
            if let Err(error) = rules::AnyPosition::from_sfen(self.game, &start.sfen) {
                let Start { name, sfen } = start.clone();
                return Err(BalanceError::Start { name, sfen, why: error.to_string() });
            }
        }
        Ok(self)
    }

    /// The game that is played.
    pub const fn game(&self) -> Game {
        self.game
    }

    /// The starts, each with what is known of it.
    pub fn starts(&self) -> &[StartBalance] {
        &self.starts
    }

    /// Strength by temperature as it is taken to be.
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// What the game with that number is played with: its start, each equally likely and the same
    /// whenever it is asked for; the temperatures of now.
    pub fn assignment(&self, game: u64) -> Assignment {
        let start = Rng::for_purpose(self.seed, &[START, game]).below(self.starts.len());
        let (black, white) = self.temperatures(&self.starts[start]);
        Assignment { start, revision: self.starts[start].revision, black, white }
    }

    /// The temperatures a start is played with now: Black's and White's, one of which is 0.
    pub fn temperatures(&self, start: &StartBalance) -> (Temperature, Temperature) {
        let temperature = self.temperature(start.weakening.abs());
        if start.weakening < Elo::ZERO {
            (Temperature::ZERO, temperature)
        } else {
            (temperature, Temperature::ZERO)
        }
    }

    fn temperature(&self, weakening: Elo) -> Temperature {
        self.table.temperature_of(weakening).min(self.settings.highest)
    }

    /// Counts a finished game of a start, played with the temperatures of that revision, and adjusts them
    /// when there are enough. A game without a result, or of an earlier revision, is not counted.
    pub fn finished(
        &mut self,
        start: usize,
        revision: u64,
        outcome: Outcome,
    ) -> Result<Option<Adjustment>, BalanceError> {
        let mut score = Wdl::default();
        if let Some(result) = outcome.for_side(Color::Black) {
            score.add(result);
        }
        self.count(start, revision, score)
    }

    /// The same for games that were all played with the temperatures of that revision: with Black's score
    /// in all of them, however many more than needed they are.
    pub fn count(
        &mut self,
        start: usize,
        revision: u64,
        score: Wdl,
    ) -> Result<Option<Adjustment>, BalanceError> {
        let starts = self.starts.len();
        let Some(balance) = self.starts.get_mut(start) else {
            return Err(BalanceError::UnknownStart { start, starts });
        };
        if revision != balance.revision {
            return Ok(None);
        }
        balance.open = balance.open.plus(score);
        if balance.open.games() < self.settings.every {
            return Ok(None);
        }
        let most = self.table.elo_of(self.settings.highest);
        let (before, score) = (balance.weakening, balance.open);
        let least = if self.settings.either_side { -most.thousandths() } else { 0 };
        let step = Elo::from_points(score.moderated_difference()).thousandths()
            * i64::from(self.settings.percent)
            / 100;
        let after = (before.thousandths() + step).clamp(least, most.thousandths());
        balance.weakening = Elo::from_thousandths(after);
        balance.revision += 1;
        balance.open = Wdl::default();
        balance.history.push(Window { score, weakening: before });
        Ok(Some(Adjustment { start, score, before, after: balance.weakening }))
    }

    /// Takes a table that was measured anew. Temperatures stay as they are, so that games under way and
    /// scores of now keep their meaning; the weakenings are what the new table says they are.
    pub fn replace_table(&mut self, table: Table) {
        for balance in &mut self.starts {
            let temperature = self.table.temperature_of(balance.weakening.abs());
            let elo = table.elo_of(temperature.min(self.settings.highest)).thousandths();
            let signed = if balance.weakening < Elo::ZERO { -elo } else { elo };
            balance.weakening = Elo::from_thousandths(signed);
        }
        self.table = table;
    }
}

impl StartBalance {
    /// Where its games begin.
    pub const fn start(&self) -> &Start {
        &self.start
    }

    /// How much Black is weakened; below zero, White.
    pub const fn weakening(&self) -> Elo {
        self.weakening
    }

    /// How often its temperatures were adjusted.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Scores and weakenings so far, the earliest first.
    pub const fn history(&self) -> &Series<Window> {
        &self.history
    }

    /// What the start is worth to Black among equals: the mean weakening of the last so many entries of
    /// the history and what was left to score under it, with the error of that score. `None` as long as
    /// there is no history, or one side had all points.
    pub fn worth(&self, entries: usize) -> Option<Rating> {
        let all = self.history.entries();
        let last = &all[all.len().saturating_sub(entries)..];
        let score = last.iter().fold(Wdl::default(), |sum, window| sum.plus(window.score));
        let mean = last.iter().map(|w| w.weakening.points()).sum::<f64>() / last.len() as f64;
        let Rating { elo, error } = score.difference()?;
        Some(Rating { elo: mean + elo, error })
    }
}

impl TryFrom<StoredBalance> for Balance {
    type Error = BalanceError;

    fn try_from(stored: StoredBalance) -> Result<Self, BalanceError> {
        let StoredBalance { game, settings, seed, table, starts } = stored;
        Self { game, settings, seed, table, starts }.checked()
    }
}

impl From<Balance> for StoredBalance {
    fn from(balance: Balance) -> Self {
        let Balance { game, settings, seed, table, starts } = balance;
        Self { game, settings, seed, table, starts }
    }
}

#[cfg(test)]
mod tests;
