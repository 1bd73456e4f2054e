//! Games won, drawn and lost by one side.

use rating::{Fit, Rating, Results, Terms, elo_of};
use serde::{Deserialize, Serialize};

/// What one side scored against the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Wdl {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Wdl {
    /// Number of games.
    pub const fn games(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// Share of the points, a draw being half of one; one half if there are none.
    pub fn share(&self) -> f64 {
        let games = self.games();
        if games == 0 { 0.5 } else { (self.wins as f64 + self.draws as f64 / 2.0) / games as f64 }
    }

    /// Counts a game by its result: 1 won, 0 drawn, −1 lost.
    pub fn add(&mut self, result: i8) {
        let count = match result.signum() {
            1 => &mut self.wins,
            0 => &mut self.draws,
            _ => &mut self.losses,
        };
        *count = count.saturating_add(1);
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            wins: self.wins.saturating_add(other.wins),
            draws: self.draws.saturating_add(other.draws),
            losses: self.losses.saturating_add(other.losses),
        }
    }

    /// The same seen from the other side.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    /// How far this side is above the other, with its standard error; `None` where one side has all
    /// points, or there are none.
    pub fn difference(&self) -> Option<Rating> {
        let mut results = Results::new(2);
        self.put_into(&mut results, (0, 1));
        Fit::new(&results, Terms::default())?.difference(0, 1)
    }

    /// The difference in Elo as if one more game had been drawn: finite whatever was scored, and the same
    /// bits on every machine.
    pub fn moderated_difference(&self) -> f64 {
        let games = self.games() as f64 + 1.0;
        elo_of((self.wins as f64 + self.draws as f64 / 2.0 + 0.5) / games)
    }

    /// Adds the games to results between two players.
    pub(crate) fn put_into(&self, results: &mut Results, pair: (usize, usize)) {
        for (times, points) in [(self.wins, 1.0), (self.draws, 0.5), (self.losses, 0.0)] {
            results.add_times(times, pair, 1, points, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted_and_turned_round() {
        let mut score = Wdl::default();
        for result in [1, 1, 0, -1, 1] {
            score.add(result);
        }
        assert_eq!(score, Wdl { wins: 3, draws: 1, losses: 1 });
        assert_eq!((score.games(), score.share()), (5, 0.7));
        assert!((score.reversed().share() - 0.3).abs() < 1e-12);
        assert_eq!(score.plus(score.reversed()).share(), 0.5);
        assert_eq!(Wdl::default().share(), 0.5);
    }

    #[test]
    fn differences_are_those_of_the_elo_scale() {
        let score = Wdl { wins: 5300, draws: 0, losses: 4700 };
        let difference = score.difference().expect("both have points");
        assert!((difference.elo - 20.87).abs() < 0.01, "{difference:?}");
        assert!((difference.error - 3.48).abs() < 0.05, "{difference:?}");
        assert!((score.moderated_difference() - 20.87).abs() < 0.01);
        let clean = Wdl { wins: 10, ..Wdl::default() };
        assert!(clean.difference().is_none());
        assert!((clean.moderated_difference() - 528.9).abs() < 0.1);
        assert_eq!(Wdl::default().moderated_difference(), 0.0);
        assert!(Wdl::default().difference().is_none());
    }
}
