//! Counting results by pairing.

use std::collections::HashMap;

/// Results of one side against another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MatchScore {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Complete pairs by points: 0, ½, 1, 1½, 2.
    pub pairs: [u64; 5],
}

impl MatchScore {
    /// Number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points, a draw being half of one.
    pub const fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Share of the points; one half if there are none.
    pub fn ratio(&self) -> f64 {
        if self.games() == 0 { 0.5 } else { self.points() / self.games() as f64 }
    }

    /// The same seen from the other side.
    pub const fn reversed(&self) -> Self {
        let [a, b, c, d, e] = self.pairs;
        Self { wins: self.losses, draws: self.draws, losses: self.wins, pairs: [e, d, c, b, a] }
    }

    /// Both together.
    pub fn plus(&self, other: &Self) -> Self {
        let mut pairs = self.pairs;
        pairs.iter_mut().zip(other.pairs).for_each(|(a, b)| *a += b);
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
            pairs,
        }
    }
}

/// Results as they come, with pairs put together.
#[derive(Clone, Debug, Default)]
pub struct PairCounter {
    score: MatchScore,
    /// Half points of the game of a pair that came first.
    open: HashMap<u64, u8>,
}

impl PairCounter {
    /// Counts a game of that pair: `half_points` for the first side, 0 to 2.
    pub fn add(&mut self, pair: u64, half_points: u8) {
        match half_points {
            0 => self.score.losses += 1,
            1 => self.score.draws += 1,
            _ => self.score.wins += 1,
        }
        match self.open.remove(&pair) {
            Some(first) => self.score.pairs[usize::from(first + half_points.min(2)).min(4)] += 1,
            None => {
                self.open.insert(pair, half_points.min(2));
            }
        }
    }

    /// Games whose pair is not complete, by half points: lost, drawn, won.
    pub fn singles(&self) -> [u64; 3] {
        self.open.values().fold([0; 3], |mut counts, &half_points| {
            counts[usize::from(half_points.min(2))] += 1;
            counts
        })
    }

    /// What has been counted.
    pub const fn score(&self) -> &MatchScore {
        &self.score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_close_when_their_second_game_comes() {
        let mut tally = PairCounter::default();
        for (pair, half_points) in [(0, 2), (1, 0), (1, 1), (2, 2), (0, 2), (3, 0)] {
            tally.add(pair, half_points);
        }
        let score = *tally.score();
        assert_eq!((score.wins, score.draws, score.losses), (3, 1, 2));
        assert_eq!(score.pairs, [0, 1, 0, 0, 1]);
        assert_eq!(tally.singles(), [1, 0, 1]);
        assert_eq!((score.games(), score.points()), (6, 3.5));
        assert_eq!(score.reversed().pairs, [1, 0, 0, 1, 0]);
        assert_eq!(score.plus(&score.reversed()).ratio(), 0.5);
        assert_eq!(MatchScore::default().ratio(), 0.5);
    }
}
