//! The win rate below which games are given up.
//!
//! Some games are played out whatever happens (one in ten, in PAL's loop). They tell which of those that
//! would have been given up would not have been lost, and the threshold is held where that is less than
//! one in twenty. A side gives up when its win rate was no higher than the threshold in several of its
//! moves running.

use play::Outcome;
use rules::Color;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A win rate in thousandths.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash, Serialize, Deserialize,
)]
#[serde(from = "u16", into = "u16")]
pub struct WinRate(u16);

/// Thousandths in a whole.
const WHOLE: u16 = 1000;

impl WinRate {
    /// So many thousandths, 1000 at most.
    pub fn from_thousandths(thousandths: u16) -> Self {
        Self(thousandths.min(WHOLE))
    }

    /// A share from 0 to 1, rounded; not a number is 0.
    pub fn from_share(share: f64) -> Self {
        // The cast saturates.
        Self::from_thousandths((share * f64::from(WHOLE)).round() as u16)
    }

    /// From 0 to 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / f64::from(WHOLE)
    }

    /// Thousandths.
    pub const fn thousandths(self) -> u16 {
        self.0
    }
}

impl From<u16> for WinRate {
    fn from(thousandths: u16) -> Self {
        Self::from_thousandths(thousandths)
    }
}

impl From<WinRate> for u16 {
    fn from(rate: WinRate) -> Self {
        rate.0
    }
}

/// When games are given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ResignRule {
    /// Moves of a side running; 5 in PAL's loop.
    pub moves: u8,
    /// Percent of the games given up that may be no losses.
    pub percent: u8,
    /// No threshold is higher.
    pub highest: WinRate,
    /// Games played out from which the threshold comes: as many of the latest, and up to twice as many.
    pub games: u64,
}

impl Default for ResignRule {
    fn default() -> Self {
        Self { moves: 5, percent: 5, highest: WinRate(300), games: 5000 }
    }
}

/// Both sides' win rates in one game, each as its own search saw it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ResignWatch {
    moves: u8,
    /// By colour: the latest win rates.
    latest: [VecDeque<WinRate>; 2],
    /// By colour: the lowest threshold that would have made that side give up.
    lowest: [Option<WinRate>; 2],
}

impl ResignWatch {
    /// A game that begins.
    pub fn new(rule: &ResignRule) -> Self {
        let moves = rule.moves.max(1);
        Self { moves, latest: Default::default(), lowest: [None; 2] }
    }

    /// A side found its win rate to be that at its move.
    pub fn saw(&mut self, side: Color, rate: WinRate) {
        let latest = &mut self.latest[side as usize];
        if latest.len() >= usize::from(self.moves) {
            latest.pop_front();
        }
        latest.push_back(rate);
        if let Some(held) = self.held(side) {
            let lowest = &mut self.lowest[side as usize];
            *lowest = Some(lowest.map_or(held, |lowest| lowest.min(held)));
        }
    }

    /// The highest win rate of the side's last moves, if there were enough of them.
    fn held(&self, side: Color) -> Option<WinRate> {
        let latest = &self.latest[side as usize];
        let enough = latest.len() >= usize::from(self.moves);
        enough.then(|| latest.iter().copied().max()).flatten()
    }

    /// Whether the side that moves gives up; never without a threshold.
    pub fn resigns(&self, side: Color, threshold: Option<WinRate>) -> bool {
        matches!((self.held(side), threshold), (Some(held), Some(threshold)) if held <= threshold)
    }
}

/// Games played out, by the lowest threshold at which something would have happened.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct PlayedOut {
    games: u64,
    /// By thousandths: somebody would have given up.
    resigned: Vec<u64>,
    /// By thousandths: somebody would have given up who did not lose.
    wrongly: Vec<u64>,
}

impl PlayedOut {
    fn add(&mut self, resigned: Option<WinRate>, wrongly: Option<WinRate>) {
        self.games += 1;
        for (counts, rate) in [(&mut self.resigned, resigned), (&mut self.wrongly, wrongly)] {
            let Some(rate) = rate else { continue };
            let at = usize::from(rate.0);
            if counts.len() <= at {
                counts.resize(at + 1, 0);
            }
            counts[at] += 1;
        }
    }
}

/// The threshold, from games played out.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ResignThreshold {
    rule: ResignRule,
    /// Being filled.
    latest: PlayedOut,
    /// Full: goes when the latest are as many.
    before: PlayedOut,
}

impl ResignThreshold {
    /// Nobody gives up until games have been played out.
    pub fn new(rule: ResignRule) -> Self {
        Self { rule, latest: PlayedOut::default(), before: PlayedOut::default() }
    }

    /// When games are given up.
    pub const fn rule(&self) -> &ResignRule {
        &self.rule
    }

    /// Counts a game that was played out whatever its win rates; one without a result is not counted.
    pub fn played_out(&mut self, watch: &ResignWatch, outcome: Outcome) {
        let mut would = (None, None);
        for side in [Color::Black, Color::White] {
            let Some(result) = outcome.for_side(side) else { return };
            let Some(lowest) = watch.lowest[side as usize] else { continue };
            would.0 = least(would.0, lowest);
            // Where both sides would have given up, one after the other, it counts as wrong although
            // the loser might have been first: the share found is never too low.
            if result >= 0 {
                would.1 = least(would.1, lowest);
            }
        }
        self.latest.add(would.0, would.1);
        if self.latest.games >= self.rule.games.max(1) {
            self.before = std::mem::take(&mut self.latest);
        }
    }

    /// Games the threshold comes from.
    pub const fn games(&self) -> u64 {
        self.latest.games + self.before.games
    }

    /// How many games would have been given up at a threshold, and how many of them wrongly.
    pub fn at(&self, threshold: WinRate) -> (u64, u64) {
        let sum =
            |counts: &[u64]| -> u64 { counts.iter().take(usize::from(threshold.0) + 1).sum() };
        let both = [&self.latest, &self.before];
        (both.map(|b| sum(&b.resigned)).iter().sum(), both.map(|b| sum(&b.wrongly)).iter().sum())
    }

    /// The highest threshold at which, by all that is known with 99 % certainty, fewer games are given up
    /// wrongly than the rule allows; `None` as long as there is none.
    pub fn threshold(&self) -> Option<WinRate> {
        let allowed = f64::from(self.rule.percent) / 100.0;
        let mut sums = (0u64, 0u64);
        let mut found = None;
        for at in 0..=self.rule.highest.0 {
            let count = |counts: &Vec<u64>| counts.get(usize::from(at)).copied().unwrap_or(0);
            for block in [&self.latest, &self.before] {
                sums.0 += count(&block.resigned);
                sums.1 += count(&block.wrongly);
            }
            if upper_bound(sums.1, sums.0) < allowed {
                found = Some(WinRate(at));
            }
        }
        found
    }
}

fn least(so_far: Option<WinRate>, rate: WinRate) -> Option<WinRate> {
    Some(so_far.map_or(rate, |so_far| so_far.min(rate)))
}

/// The share that is exceeded with a chance of one in a hundred (Wilson, 1927), because the highest of many
/// thresholds is looked for; 1 of nothing. Nothing but
/// exact operations and a square root: the same bits on every machine.
fn upper_bound(some: u64, all: u64) -> f64 {
    if all == 0 {
        return 1.0;
    }
    let (n, p) = (all as f64, some as f64 / all as f64);
    let z = 2.326_347_874_040_841;
    let middle = p + z * z / (2.0 * n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (middle + half) / (1.0 + z * z / n)
}

#[cfg(test)]
mod tests;
