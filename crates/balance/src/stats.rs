//! What millions of games had in common, start by start, in bounded memory.
//!
//! Games come one after another and are not kept: scores over time, how games ended, how many positions
//! at a ply are different, the commonest first plies and the commonest positions after them.

use crate::openings::{Opening, OpeningRule, opening_set};
use crate::series::Series;
use crate::start::{Start, game_name};
use crate::wdl::Wdl;
use play::{Ending, Reason};
use rules::{AnyPosition, Color, Game, Move};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

mod distinct;
mod frequent;

pub use distinct::Distinct;
pub use frequent::Frequent;

/// What is looked at, and how much of it is kept for each start.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StatisticsSettings {
    /// Plies after which positions are compared.
    pub distinct_ply: usize,
    /// Positions kept; above that they are a sample.
    pub distinct_most: usize,
    /// Plies of an opening.
    pub opening_plies: usize,
    /// Openings kept, as lines and as positions; above that the rarest are forgotten.
    pub openings_most: usize,
    /// Games of a start in one point of its curve.
    pub games_each: u64,
}

impl Default for StatisticsSettings {
    /// The plies of the paper; some tens of megabytes for seven starts.
    fn default() -> Self {
        Self {
            distinct_ply: 30,
            distinct_most: 1 << 16,
            opening_plies: 16,
            openings_most: 20_000,
            games_each: 500,
        }
    }
}

/// The first plies of games, as the 16 bits of each move.
pub(crate) type Line = Vec<u16>;

/// What is known of one start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StartStatistics {
    start: Start,
    score: Wdl,
    plies: u64,
    /// By the names of reasons.
    ends: BTreeMap<String, u64>,
    open: Wdl,
    scores: Series<Wdl>,
    distinct: Distinct,
    lines: Frequent<Line, ()>,
    /// By key of the position, with the first line that led there.
    positions: Frequent<u64, Line>,
}

/// What is known of all starts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Statistics {
    #[serde(with = "game_name")]
    game: Game,
    settings: StatisticsSettings,
    starts: Vec<StartStatistics>,
}

/// Why a game cannot be counted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StatisticsError {
    #[error("there is no start number {start}: there are {starts}")]
    UnknownStart { start: usize, starts: usize },
    #[error("the start {name:?} cannot be read: {sfen:?}: {why}")]
    Start { name: String, sfen: String, why: String },
    #[error("move {number} of a game from {start:?} is not legal: {usi}")]
    Illegal { start: String, number: usize, usi: String },
}

impl Statistics {
    /// Nothing is known yet.
    pub fn new(game: Game, starts: Vec<Start>, settings: StatisticsSettings) -> Self {
        let fresh = |start| StartStatistics {
            start,
            score: Wdl::default(),
            plies: 0,
            ends: BTreeMap::new(),
            open: Wdl::default(),
            scores: Series::default(),
            distinct: Distinct::new(settings.distinct_most),
            lines: Frequent::new(settings.openings_most),
            positions: Frequent::new(settings.openings_most),
        };
        Self { game, settings, starts: starts.into_iter().map(fresh).collect() }
    }

    /// What is known of each start.
    pub fn starts(&self) -> &[StartStatistics] {
        &self.starts
    }

    /// The game that is played.
    pub const fn game(&self) -> Game {
        self.game
    }

    /// Plies after which positions are compared, and others like it.
    pub const fn settings(&self) -> &StatisticsSettings {
        &self.settings
    }

    /// Counts a game. It is checked as far as it is looked at; nothing of a game that is refused is counted.
    pub fn add(
        &mut self,
        start: usize,
        moves: &[Move],
        ending: Ending,
    ) -> Result<(), StatisticsError> {
        let starts = self.starts.len();
        let Some(counted) = self.starts.get_mut(start) else {
            return Err(StatisticsError::UnknownStart { start, starts });
        };
        let StatisticsSettings { distinct_ply, opening_plies, .. } = self.settings;
        let plies = distinct_ply.max(opening_plies).min(moves.len());
        let keys = keys_along(self.game, &counted.start, &moves[..plies])?;
        if let Some(&key) = keys.get(distinct_ply) {
            counted.distinct.add(key);
        }
        if let Some(&key) = keys.get(opening_plies) {
            let line: Line = moves[..opening_plies].iter().map(|m| m.bits()).collect();
            counted.positions.add(key, || line.clone());
            counted.lines.add(line, || ());
        }
        counted.count_result(moves.len(), ending, self.settings.games_each);
        Ok(())
    }

    /// The commonest first plies of a start with how often they came, at most so many. Counts may be too low by
    /// [`StartStatistics::lines_missed`].
    pub fn lines(
        &self,
        start: usize,
        most: usize,
    ) -> Result<Vec<(Vec<Move>, u64)>, StatisticsError> {
        let sorted = self.start(start)?.lines.sorted();
        // What is no move, in a damaged file, is written as none.
        let moves = |line: &Line| -> Vec<Move> {
            line.iter().map(|&bits| Move::from_bits(self.game, bits).unwrap_or_default()).collect()
        };
        Ok(sorted.into_iter().take(most).map(|(line, count, ())| (moves(line), count)).collect())
    }

    fn start(&self, start: usize) -> Result<&StartStatistics, StatisticsError> {
        let starts = self.starts.len();
        self.starts.get(start).ok_or(StatisticsError::UnknownStart { start, starts })
    }

    /// Openings of a start: its commonest positions, far enough from each other.
    pub fn opening_set(
        &self,
        start: usize,
        rule: OpeningRule,
    ) -> Result<Vec<Opening>, StatisticsError> {
        let counted = self.start(start)?;
        let positions = counted.positions.sorted();
        let candidates = positions.into_iter().map(|(_, count, line)| (count, line.as_slice()));
        opening_set(self.game, &counted.start, candidates, rule)
    }
}

impl StartStatistics {
    /// Where these games began.
    pub const fn start(&self) -> &Start {
        &self.start
    }

    /// Black's score.
    pub const fn score(&self) -> &Wdl {
        &self.score
    }

    /// Games, those without a result included.
    pub fn games(&self) -> u64 {
        self.ends.values().sum()
    }

    /// The mean length of a game; 0 without games.
    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.games().max(1) as f64
    }

    /// How many games ended for that reason.
    pub fn ended_by(&self, reason: Reason) -> u64 {
        self.ends.get(reason.name()).copied().unwrap_or(0)
    }

    /// Reasons why games ended, by name, with how many did.
    pub const fn ends(&self) -> &BTreeMap<String, u64> {
        &self.ends
    }

    /// Black's score over time: shares of the points after so many games of this start.
    pub fn score_over_time(&self) -> Vec<(u64, f64)> {
        let mut games = 0;
        let point = |score: &Wdl| {
            games += score.games();
            (games, score.share())
        };
        self.scores.entries().iter().map(point).collect()
    }

    /// Positions after [`StatisticsSettings::distinct_ply`] plies.
    pub const fn distinct(&self) -> &Distinct {
        &self.distinct
    }

    /// How much too low the counts of lines may be.
    pub const fn lines_missed(&self) -> u64 {
        self.lines.missed()
    }

    fn count_result(&mut self, plies: usize, ending: Ending, games_each: u64) {
        self.plies = self.plies.saturating_add(plies as u64);
        *self.ends.entry(ending.reason.name().to_owned()).or_default() += 1;
        let Some(result) = ending.outcome.for_side(Color::Black) else { return };
        self.score.add(result);
        self.open.add(result);
        if self.open.games() >= games_each.max(1) {
            self.scores.push(std::mem::take(&mut self.open));
        }
    }
}

/// The keys of all positions of a line, that of the start first.
fn keys_along(game: Game, start: &Start, moves: &[Move]) -> Result<Vec<u64>, StatisticsError> {
    let mut position = position_of(game, start)?;
    let mut keys = vec![position.key()];
    for (index, &m) in moves.iter().enumerate() {
        play_legal(&mut position, m, game, start, index)?;
        keys.push(position.key());
    }
    Ok(keys)
}

pub(crate) fn position_of(game: Game, start: &Start) -> Result<AnyPosition, StatisticsError> {
    AnyPosition::from_sfen(game, &start.sfen).map_err(|error| StatisticsError::Start {
        name: start.name.clone(),
        sfen: start.sfen.clone(),
        why: error.to_string(),
    })
}

/// Plays move number `index`, counted from 0, if it is legal.
pub(crate) fn play_legal(
    position: &mut AnyPosition,
    m: Move,
    game: Game,
    start: &Start,
    index: usize,
) -> Result<(), StatisticsError> {
    // A move of the other game may name a square that is not on this board.
    let known = Move::from_bits(game, m.bits());
    if let Some(m) = known.filter(|&m| position.is_legal(m)) {
        position.play(m);
        return Ok(());
    }
    let usi = known.map_or_else(|| format!("bits {:#06x}", m.bits()), |m| m.usi(game));
    Err(StatisticsError::Illegal { start: start.name.clone(), number: index + 1, usi })
}

#[cfg(test)]
mod tests;
