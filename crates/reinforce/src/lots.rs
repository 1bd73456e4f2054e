//! What is decided of a game before it begins: where, with which temperatures, and whether it is played out.
//!
//! All of it follows from the number of the game, so that whoever reads its record decides the same again.

use balance::{Assignment, Balance, Temperature};
use seed::Rng;

/// What games are played with, by their numbers.
#[derive(Clone, Debug)]
pub enum Assignments {
    /// The games of a generation, the first of which has that number among all of the run.
    Balanced { balance: Balance, first: u64 },
    /// One pair of temperatures after another, each twice with colours changed, from one start after another: how
    /// temperatures are measured.
    Paired { pairs: Vec<(Temperature, Temperature)>, starts: usize },
}

impl Assignments {
    /// What game `number` is played with.
    pub fn of(&self, number: u64) -> Assignment {
        match self {
            Self::Balanced { balance, first } => balance.assignment(first.saturating_add(number)),
            Self::Paired { pairs, starts } => {
                let (pair, is_changed) = self.pair(number);
                let (a, b) = pairs.get(pair).copied().unwrap_or_default();
                let (black, white) = if is_changed { (b, a) } else { (a, b) };
                let round = number / 2 / pairs.len().max(1) as u64;
                let start = (round % (*starts).max(1) as u64) as usize;
                Assignment { start, revision: 0, black, white }
            }
        }
    }

    /// Which pair plays that game, and whether its second one has Black.
    pub(crate) fn pair(&self, number: u64) -> (usize, bool) {
        let pairs = match self {
            Self::Balanced { .. } => 1,
            Self::Paired { pairs, .. } => pairs.len().max(1),
        };
        ((number / 2 % pairs as u64) as usize, number % 2 == 1)
    }
}

/// What is decided of games before they begin.
#[derive(Clone, Debug)]
pub struct Lots {
    pub assignments: Assignments,
    pub seed: u64,
    /// Share of the games that are played out, by which the threshold for resigning is judged.
    pub played_out: f64,
}

/// The same of one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lot {
    pub(crate) assignment: Assignment,
    pub(crate) is_played_out: bool,
}

impl Lots {
    /// Of game `number`; the stream goes on with the game itself.
    pub(crate) fn draw(&self, number: u64) -> (Lot, Rng) {
        let mut rng = Rng::for_purpose(self.seed, &[number]);
        let is_played_out = rng.unit() < self.played_out;
        (Lot { assignment: self.assignments.of(number), is_played_out }, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_plays_every_start_with_both_colours() {
        let pairs: Vec<_> = [(0, 300), (0, 600), (300, 600)]
            .map(|(a, b)| (Temperature::from_thousandths(a), Temperature::from_thousandths(b)))
            .into();
        let all = Assignments::Paired { pairs: pairs.clone(), starts: 2 };
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..12 {
            let (pair, is_changed) = all.pair(number);
            let Assignment { start, black, white, .. } = all.of(number);
            let wanted = if is_changed { (pairs[pair].1, pairs[pair].0) } else { pairs[pair] };
            assert_eq!((black, white), wanted);
            assert!(seen.insert((start, black, white)), "{number}");
        }
        assert_eq!(all.of(12), all.of(0));
    }
}
