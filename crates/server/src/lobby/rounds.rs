//! Rounds by the clock, as floodgate has them: at fixed times everybody who waits is paired by
//! rating.

use super::{ConnId, GameRequest, Lobby, Now, Pairing, Timer};
use crate::conditions::Conditions;
use crate::tournament::pairing;
use rules::Color;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::Duration;

/// The rating of somebody who has none yet.
const UNRATED: f64 = 0.0;

/// Names remembered at most.
const NAMES: usize = 100_000;

/// What is remembered of games for the sake of the next pairing.
#[derive(Default)]
pub(super) struct History {
    last: HashMap<String, String>,
    /// Games as Black less games as White.
    blacks: HashMap<String, i32>,
    /// Whether the last game was won.
    won: HashMap<String, bool>,
    /// Rounds without an opponent.
    sat_out: HashMap<String, u32>,
}

impl History {
    pub(super) fn played(&mut self, conditions: &Conditions, winner: Option<Color>) {
        if self.last.len() > NAMES {
            // Only a comfort: forgetting it costs at most a rematch.
            *self = Self::default();
        }
        let [black, white] = &conditions.names;
        self.last.insert(black.clone(), white.clone());
        self.last.insert(white.clone(), black.clone());
        *self.blacks.entry(black.clone()).or_default() += 1;
        *self.blacks.entry(white.clone()).or_default() -= 1;
        for color in Color::BOTH {
            let name = conditions.names[color.index()].clone();
            self.won.insert(name, winner == Some(color));
        }
    }
}

impl Lobby {
    pub(super) fn schedule_round(&mut self, index: usize, now: Now) {
        let Some(table) = self.settings.timetables.get(index) else { return };
        let wait = table.next_after(now.wall) - now.wall;
        let wait = Duration::from_secs(u64::try_from(wait).unwrap_or(1));
        self.timer(now.at + wait, Timer::Round(index));
    }

    /// The round is due: pairs everybody who waits for it.
    pub(super) fn play_round(&mut self, index: usize, now: Now) {
        self.schedule_round(index, now);
        let Some(table) = self.settings.timetables.get(index).cloned() else { return };
        if self.draining {
            return;
        }
        let wait = GameRequest { game: table.game.clone(), color: None };
        let queue = self.waiting.get(wait.game.as_str()).cloned().unwrap_or_default();
        let mut players: Vec<(ConnId, String)> =
            queue.into_iter().filter_map(|id| Some((id, self.name_of(id)?))).collect();
        if table.exclude_unrated {
            players.retain(|(_, name)| self.ratings.contains_key(name));
        }
        let rating = |name: &String| self.ratings.get(name).copied().unwrap_or(UNRATED);
        players.sort_by_key(|(_, name)| Reverse((rating(name) * 100.0) as i64));
        if table.pairing == Pairing::Swiss {
            // Stable: by rating within each group.
            players.sort_by_key(|(_, name)| Reverse(self.history.won.get(name) == Some(&true)));
        }
        if players.len() % 2 == 1 {
            self.sit_out(&mut players);
        }
        if table.pairing == Pairing::Random {
            for at in (1..players.len()).rev() {
                let other = self.toss.below(at + 1);
                players.swap(at, other);
            }
        }
        for [black, white] in self.round_pairs(&players, table.pairing) {
            self.start_game([players[black].0, players[white].0], &wait, Some(&table), now);
        }
    }

    /// Takes out whoever has no opponent in an odd field: who has sat out least, of these the last.
    fn sit_out(&mut self, players: &mut Vec<(ConnId, String)>) {
        let times = |name: &String| self.history.sat_out.get(name).copied().unwrap_or(0);
        let least = (0..players.len()).rev().min_by_key(|&at| times(&players[at].1));
        if let Some(at) = least {
            let (_, name) = players.remove(at);
            *self.history.sat_out.entry(name).or_default() += 1;
        }
    }

    /// Black and White of every game, by their places.
    fn round_pairs(&self, players: &[(ConnId, String)], pairing: Pairing) -> Vec<[usize; 2]> {
        let at = |name: &String| players.iter().position(|(_, other)| other == name);
        let last = |who: usize| at(self.history.last.get(&players.get(who)?.1)?);
        let blacks: Vec<i32> = players
            .iter()
            .map(|(_, name)| self.history.blacks.get(name).copied().unwrap_or(0))
            .collect();
        let pairs = match pairing {
            Pairing::LeastDifference => {
                let rating = |(_, name): &(ConnId, String)| {
                    self.ratings.get(name).copied().unwrap_or(UNRATED)
                };
                let ratings: Vec<f64> = players.iter().map(rating).collect();
                pairing::least_difference(&ratings, &last, &blacks)
            }
            _ => pairing::neighbours(players.len(), &last, &blacks),
        };
        pairs.into_iter().map(|pair| [pair.black, pair.white]).collect()
    }
}
