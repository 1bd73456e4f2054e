//! Rounds by the clock, as floodgate has them: at fixed times everybody who waits is paired by
//! rating.

use super::{ConnId, GameRequest, Lobby, Now, Timer};
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
}

impl History {
    pub(super) fn played(&mut self, conditions: &Conditions, _winner: Option<Color>) {
        if self.last.len() > NAMES {
            // Only a comfort: forgetting it costs at most a rematch.
            *self = Self::default();
        }
        let [black, white] = &conditions.names;
        self.last.insert(black.clone(), white.clone());
        self.last.insert(white.clone(), black.clone());
        *self.blacks.entry(black.clone()).or_default() += 1;
        *self.blacks.entry(white.clone()).or_default() -= 1;
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
        let Some(table) = self.settings.timetables.get(index) else { return };
        if self.draining {
            return;
        }
        let wait = GameRequest { game: table.game.clone(), color: None };
        let queue = self.waiting.get(wait.game.as_str()).cloned().unwrap_or_default();
        let mut players: Vec<(ConnId, String)> =
            queue.into_iter().filter_map(|id| Some((id, self.name_of(id)?))).collect();
        let rating = |name: &String| self.ratings.get(name).copied().unwrap_or(UNRATED);
        players.sort_by_key(|(_, name)| Reverse((rating(name) * 100.0) as i64));
        let at = |name: &String| players.iter().position(|(_, other)| other == name);
        let last = |who: usize| at(self.history.last.get(&players.get(who)?.1)?);
        let blacks: Vec<i32> = players
            .iter()
            .map(|(_, name)| self.history.blacks.get(name).copied().unwrap_or(0))
            .collect();
        let pairs = pairing::neighbours(players.len(), &last, &blacks);
        for pair in pairs {
            let pair_players = [players[pair.black].0, players[pair.white].0];
            self.start_game(pair_players, &wait, now);
        }
    }
}
