//! Where a match stands.

use crate::schedule::{Schedule, ScheduledGame};
use crate::stats::{MatchScore, PairCounter};
use crate::time_use::TimeUse;
use engines::FaultKind;
use rating::{Fit, Results};
use rules::Color;
use std::collections::BTreeMap;

/// Results so far, by pairing and by engine.
#[derive(Clone, Debug)]
pub struct Standings {
    pairings: Vec<(usize, usize)>,
    counters: Vec<PairCounter>,
    faults: Vec<BTreeMap<FaultKind, u64>>,
    /// Faulty games of an engine since its last sound one.
    rows: Vec<u64>,
    colors: [u64; 3],
    games: u64,
    times: Vec<TimeUse>,
}

/// What counts about a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountedGame {
    /// Who won; `None` for a draw.
    pub winner: Option<Color>,
    /// Why the loser lost, if by a fault.
    pub fault: Option<FaultKind>,
}

impl Standings {
    /// Of a match that begins.
    pub fn new(schedule: &Schedule, engines: usize) -> Self {
        let pairings = schedule.pairings().to_vec();
        Self {
            counters: vec![PairCounter::default(); pairings.len()],
            pairings,
            faults: vec![BTreeMap::new(); engines],
            rows: vec![0; engines],
            colors: [0; 3],
            games: 0,
            times: vec![TimeUse::default(); engines],
        }
    }

    /// Counts a game.
    pub fn add(&mut self, scheduled: &ScheduledGame, outcome: CountedGame) {
        let (first, _) = self.pairings[scheduled.pairing];
        let half_points = match outcome.winner {
            None => 1,
            Some(color) if scheduled.players[color.index()] == first => 2,
            Some(_) => 0,
        };
        self.counters[scheduled.pairing].add(scheduled.pair, half_points);
        self.games += 1;
        self.colors[outcome.winner.map_or(2, Color::index)] += 1;
        let loser = outcome.winner.map(|winner| scheduled.players[winner.opponent().index()]);
        for engine in scheduled.players {
            match outcome.fault {
                Some(cause) if Some(engine) == loser => {
                    *self.faults[engine].entry(cause).or_default() += 1;
                    self.rows[engine] += 1;
                }
                _ => self.rows[engine] = 0,
            }
        }
    }

    /// Counts the time both players of a game used, by colour.
    pub fn add_time(&mut self, scheduled: &ScheduledGame, uses: &[TimeUse; 2]) {
        for (&engine, time) in scheduled.players.iter().zip(uses) {
            self.times[engine].join(time);
        }
    }

    /// The time an engine used.
    pub fn time_use(&self, engine: usize) -> &TimeUse {
        &self.times[engine]
    }

    /// Games counted.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Games won by Black, won by White, drawn.
    pub const fn colors(&self) -> [u64; 3] {
        self.colors
    }

    /// The pairings with the first engine's score in each.
    pub fn pairings(&self) -> impl Iterator<Item = ((usize, usize), &MatchScore)> {
        self.pairings.iter().copied().zip(self.counters.iter().map(PairCounter::score))
    }

    /// An engine's score against all others together.
    pub fn score(&self, engine: usize) -> MatchScore {
        self.pairings().fold(MatchScore::default(), |sum, ((a, b), score)| {
            if a == engine {
                sum.plus(score)
            } else if b == engine {
                sum.plus(&score.reversed())
            } else {
                sum
            }
        })
    }

    /// Ratings of all engines from all pairings together, their mean 0. A pair of games is one
    /// observation.
    pub fn ratings(&self) -> Option<Fit> {
        let mut results = Results::new(self.faults.len());
        for (pairing, tally) in self.pairings.iter().zip(&self.counters) {
            for (games, counts) in [(2, &tally.score().pairs[..]), (1, &tally.singles()[..])] {
                for (half_points, &times) in counts.iter().enumerate() {
                    results.add_times(times, *pairing, games, half_points as f64 / 2.0, 1.0);
                }
            }
        }
        Fit::new(&results, rating::Terms::default())
    }

    /// How an engine lost games otherwise than on the board.
    pub fn faults(&self, engine: usize) -> &BTreeMap<FaultKind, u64> {
        &self.faults[engine]
    }

    /// The engine whose last games, that many, were all lost by faults.
    pub fn hopeless(&self, row: u64) -> Option<usize> {
        self.rows.iter().position(|&n| row > 0 && n >= row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Format;
    use Color::{Black, White};

    #[test]
    fn results_are_counted_for_both_engines_whatever_their_colours() {
        let schedule = Schedule::new(Format::RoundRobin, 2, 2, 1, 0);
        let mut standings = Standings::new(&schedule, 2);
        let won = |winner| CountedGame { winner: Some(winner), fault: None };
        let drawn = CountedGame { winner: None, fault: None };
        let crash = CountedGame { winner: Some(Black), fault: Some(FaultKind::Crash) };
        // Engine 0 is Black, White, Black, White.
        for (id, outcome) in [(0, won(Black)), (1, won(White)), (2, drawn), (3, crash)] {
            standings.add(&schedule.game(id).unwrap(), outcome);
        }
        let score = standings.score(0);
        assert_eq!((score.wins, score.draws, score.losses), (2, 1, 1));
        assert_eq!(score.pairs, [0, 1, 0, 0, 1]);
        assert_eq!(standings.score(1), score.reversed());
        assert_eq!(standings.colors(), [2, 1, 1]);
        assert_eq!(standings.faults(0).get(&FaultKind::Crash), Some(&1));
        assert!(standings.faults(1).is_empty());
        assert_eq!((standings.hopeless(1), standings.hopeless(2)), (Some(0), None));
        assert_eq!(standings.hopeless(0), None);
    }

    /// Everybody is rated by everybody's games: who never met may be compared all the same.
    #[test]
    fn ratings_take_all_pairings_together() {
        let schedule = Schedule::new(Format::Gauntlet, 3, 200, 1, 0);
        let mut standings = Standings::new(&schedule, 3);
        assert_eq!(standings.ratings(), None);
        for scheduled in (0..schedule.games()).map_while(|id| schedule.game(id)) {
            // The first engine takes three quarters from the second, a quarter from the third.
            let strong = if scheduled.players.contains(&1) { 0 } else { 2 };
            let upset = scheduled.pair / 2 % 4 == 0;
            let black_strong = scheduled.players[0] == strong;
            let winner = if black_strong == upset { White } else { Black };
            standings.add(&scheduled, CountedGame { winner: Some(winner), fault: None });
        }
        let fit = standings.ratings().unwrap();
        let far = fit.difference(2, 1).unwrap();
        assert!((far.elo - 800.0 * 3f64.log10()).abs() < 1e-6, "{far:?}");
        assert!(far.error > fit.difference(0, 1).unwrap().error);
    }
}
