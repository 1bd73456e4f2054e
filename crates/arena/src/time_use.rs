//! How much time each player of a match used, and what it did with it: two players with the same
//! clock should use as much of it.

use crate::game::Played;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// Time used by one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TimeUse {
    /// Answers it thought about.
    pub moves: u64,
    /// Microseconds for all of them, and for the longest.
    pub micros: u64,
    pub longest: u64,
    /// Nodes it says it read, and the time of the answers it says so of.
    pub nodes: u64,
    pub counted: u64,
}

impl TimeUse {
    /// Of both players of a game, by colour.
    pub fn of(played: &Played) -> [Self; 2] {
        let mut uses = [Self::default(); 2];
        let mut turn = played.opening.position().turn();
        for played in &played.moves {
            let nodes = played.info.as_ref().and_then(|info| info.nodes);
            uses[turn.index()].add(played.time, nodes);
            turn = turn.opponent();
        }
        if let Some(time) = played.last {
            uses[turn.index()].add(time, None);
        }
        uses
    }

    fn add(&mut self, time: Duration, nodes: Option<u64>) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.moves += 1;
        self.micros = self.micros.saturating_add(micros);
        self.longest = self.longest.max(micros);
        if let Some(nodes) = nodes {
            self.nodes = self.nodes.saturating_add(nodes);
            self.counted = self.counted.saturating_add(micros);
        }
    }

    /// Takes in another game's.
    pub fn join(&mut self, other: &Self) {
        self.moves += other.moves;
        self.micros = self.micros.saturating_add(other.micros);
        self.longest = self.longest.max(other.longest);
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.counted = self.counted.saturating_add(other.counted);
    }

    /// In words, for a player of so many games.
    pub fn text(&self, games: u64) -> String {
        let seconds = |micros: u64| micros as f64 / 1e6;
        let mut text = format!(
            "{:.2} s a game, {:.1} ms a move, longest {:.2} s",
            seconds(self.micros) / games.max(1) as f64,
            1000.0 * seconds(self.micros) / self.moves.max(1) as f64,
            seconds(self.longest)
        );
        if self.counted > 0 {
            let speed = self.nodes as f64 / seconds(self.counted);
            text += &format!(", {:.0} thousand nodes a second", speed / 1000.0);
        }
        text
    }

    /// As an object.
    pub fn json(&self) -> Value {
        json!({
            "moves": self.moves,
            "ms": self.micros as f64 / 1000.0,
            "longest_ms": self.longest as f64 / 1000.0,
            "nodes": self.nodes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_nodes_add_up() {
        let mut both = TimeUse::default();
        both.add(Duration::from_millis(100), Some(50_000));
        let mut other = TimeUse::default();
        other.add(Duration::from_millis(300), None);
        both.join(&other);
        let words = "0.20 s a game, 200.0 ms a move, longest 0.30 s, 500 thousand nodes a second";
        assert_eq!(both.text(2), words);
        assert_eq!(other.text(1), "0.30 s a game, 300.0 ms a move, longest 0.30 s");
        assert_eq!(TimeUse::default().text(0), "0.00 s a game, 0.0 ms a move, longest 0.00 s");
        assert_eq!(both.json()["ms"], 400.0);
    }
}
