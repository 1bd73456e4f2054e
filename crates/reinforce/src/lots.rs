//! What is decided of a game before it begins: where, with which temperatures, and whether it is played out.
//!
//! All of it follows from the number of the game, so that whoever reads its record decides the same again.

use balance::{Assignment, Balance, Temperature};
use rules::Color;
use seed::Rng;
use serde::{Deserialize, Serialize};

/// What games are played with, by their numbers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assignments {
    /// The games of a generation, the first of which has that number among all of the run.
    Balanced { balance: Balance, first: u64 },
    /// One pair of temperatures after another, each twice with colours changed, from one start after another: how
    /// temperatures are measured.
    Paired { pairs: Vec<(Temperature, Temperature)>, starts: usize },
    /// One pair of playouts after another, White's and Black's, then the next start: how strength by playouts is
    /// measured.
    Playouts { pairs: Vec<(u32, u32)>, starts: usize },
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
            Self::Playouts { pairs, starts } => {
                let round = number / pairs.len().max(1) as u64;
                let start = (round % (*starts).max(1) as u64) as usize;
                let (black, white) = Default::default();
                Assignment { start, revision: 0, black, white }
            }
        }
    }

    /// Playouts of either side, by its index, where they are not those of the settings.
    fn playouts(&self, number: u64) -> Option<[u32; 2]> {
        let Self::Playouts { pairs, .. } = self else { return None };
        let (white, black) = pairs.get((number % pairs.len().max(1) as u64) as usize).copied()?;
        let mut each = [0; 2];
        (each[Color::Black.index()], each[Color::White.index()]) = (black, white);
        Some(each)
    }

    /// Which pair plays that game, and whether its second one has Black.
    pub(crate) fn pair(&self, number: u64) -> (usize, bool) {
        let pairs = match self {
            Self::Balanced { .. } | Self::Playouts { .. } => 1,
            Self::Paired { pairs, .. } => pairs.len().max(1),
        };
        ((number / 2 % pairs as u64) as usize, number % 2 == 1)
    }
}

/// What is decided of games before they begin.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// Of either side, by its index, where they are not those of the settings.
    pub(crate) playouts: Option<[u32; 2]>,
}

impl Lots {
    /// Of game `number`; the stream goes on with the game itself.
    pub(crate) fn draw(&self, number: u64) -> (Lot, Rng) {
        let mut rng = Rng::for_purpose(self.seed, &[number]);
        let is_played_out = rng.unit() < self.played_out;
        let assignment = self.assignments.of(number);
        (Lot { assignment, is_played_out, playouts: self.assignments.playouts(number) }, rng)
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

    #[test]
    fn every_pair_of_playouts_plays_from_every_start() {
        let pairs = vec![(8, 8), (16, 8), (8, 16)];
        let all = Assignments::Playouts { pairs: pairs.clone(), starts: 2 };
        let mut seen = std::collections::BTreeMap::new();
        for number in 0..12 {
            let each = all.playouts(number).expect("of this game alone");
            let (white, black) = (each[Color::White.index()], each[Color::Black.index()]);
            let Assignment { start, black: cold, white: cool, .. } = all.of(number);
            assert_eq!((cold, cool), Default::default());
            *seen.entry((start, white, black)).or_insert(0) += 1;
        }
        let wanted: Vec<_> = [0, 1]
            .into_iter()
            .flat_map(|start| pairs.iter().map(move |&(white, black)| ((start, white, black), 2)))
            .collect();
        assert_eq!(seen, wanted.into_iter().collect());
    }
}
