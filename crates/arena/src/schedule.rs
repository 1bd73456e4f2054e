//! Which games a match consists of, in which order. A game is named by its number; everything
//! else about it follows from that, so a match can be resumed anywhere.

use seed::Rng;
use std::fmt;
use std::str::FromStr;

/// Who meets whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Everybody meets everybody (with two engines: one against one).
    #[default]
    RoundRobin,
    /// The first engine meets each of the others.
    Gauntlet,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "round-robin" => Ok(Self::RoundRobin),
            "gauntlet" => Ok(Self::Gauntlet),
            _ => Err("expected round-robin or gauntlet".to_owned()),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RoundRobin => "round-robin",
            Self::Gauntlet => "gauntlet",
        })
    }
}

/// One game of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduledGame {
    /// Its number, from 0.
    pub id: u64,
    /// The pairing, as index.
    pub pairing: usize,
    /// The pair of games this one belongs to, numbered over the whole match.
    pub pair: u64,
    /// The opening, as index.
    pub opening: usize,
    /// Engines by colour, as indices.
    pub players: [usize; 2],
}

/// All games of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    rounds: u64,
    order: Vec<usize>,
}

impl Schedule {
    /// A match of `engines` engines in which every pairing plays `rounds` openings from both
    /// sides, in the order the seed gives.
    pub fn new(format: Format, engines: usize, rounds: u64, openings: usize, seed: u64) -> Self {
        let pairings = match format {
            Format::Gauntlet => (1..engines).map(|other| (0, other)).collect(),
            Format::RoundRobin => {
                (0..engines).flat_map(|a| (a + 1..engines).map(move |b| (a, b))).collect()
            }
        };
        let mut order: Vec<usize> = (0..openings.max(1)).collect();
        Rng::new(seed).shuffle(&mut order);
        Self { pairings, rounds, order }
    }

    /// The pairings, as indices of engines.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.rounds.saturating_mul(self.pairings.len() as u64).saturating_mul(2)
    }

    /// Whether openings are played more than once.
    pub fn repeats_openings(&self) -> bool {
        self.rounds > self.order.len() as u64
    }

    /// A game by its number; `None` beyond the end.
    pub fn game(&self, id: u64) -> Option<ScheduledGame> {
        if id >= self.games() {
            return None;
        }
        let pair = id / 2;
        let count = self.pairings.len() as u64;
        let pairing = (pair % count) as usize;
        let round = pair / count;
        let opening = self.order[(round % self.order.len() as u64) as usize];
        let (a, b) = self.pairings[pairing];
        let players = if id.is_multiple_of(2) { [a, b] } else { [b, a] };
        Some(ScheduledGame { id, pairing, pair, opening, players })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn games(schedule: &Schedule) -> Vec<ScheduledGame> {
        (0..).map_while(|id| schedule.game(id)).collect()
    }

    #[test]
    fn every_pairing_plays_every_opening_from_both_sides() {
        for (format, engines, pairings) in [
            (Format::RoundRobin, 2, 1),
            (Format::RoundRobin, 4, 6),
            (Format::Gauntlet, 4, 3),
            (Format::Gauntlet, 2, 1),
        ] {
            let schedule = Schedule::new(format, engines, 5, 5, 3);
            let played = games(&schedule);
            assert_eq!(schedule.pairings().len(), pairings);
            assert_eq!(played.len() as u64, schedule.games());
            let mut seen: HashMap<_, u32> = HashMap::new();
            for game in &played {
                *seen.entry((game.players, game.opening)).or_default() += 1;
            }
            assert_eq!(seen.len(), pairings * 2 * 5);
            assert!(seen.values().all(|&n| n == 1));
            for two in played.chunks(2) {
                assert_eq!((two[0].pair, two[0].opening), (two[1].pair, two[1].opening));
                assert_eq!(two[0].players[0], two[1].players[1]);
            }
        }
    }

    #[test]
    fn openings_come_in_seeded_order_and_again_when_used_up() {
        let order = |seed| {
            games(&Schedule::new(Format::RoundRobin, 2, 40, 20, seed))
                .iter()
                .map(|t| t.opening)
                .collect::<Vec<_>>()
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert_eq!(order(1)[..40], order(1)[40..]);
        assert!(Schedule::new(Format::RoundRobin, 2, 40, 20, 1).repeats_openings());
        assert!(!Schedule::new(Format::RoundRobin, 2, 20, 20, 1).repeats_openings());
    }

    #[test]
    fn nothing_to_play_is_no_game() {
        assert_eq!(Schedule::new(Format::RoundRobin, 1, 5, 5, 1).game(0), None);
        assert_eq!(Schedule::new(Format::RoundRobin, 2, 0, 5, 1).game(0), None);
    }
}
