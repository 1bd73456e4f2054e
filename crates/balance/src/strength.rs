//! Strength as giver and as receiver of a handicap, by playouts.
//!
//! A giver is measured against one receiver that stays as it is, at growing numbers of playouts; the gain
//! from each number to the next says how well it scales. For the receiver the other way round. Elo here
//! holds from one start against one opponent: rows of different opponents are not on one scale.

use crate::wdl::Wdl;
use rating::Rating;
use serde::{Deserialize, Serialize};

/// Who played, how strongly.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Player {
    pub name: String,
    /// A move; nodes of a search that counts those.
    pub playouts: u64,
}

/// Games of a giver against a receiver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HandicapMatch {
    /// The name of the start.
    pub start: String,
    pub giver: Player,
    pub receiver: Player,
    /// As the giver sees it.
    pub score: Wdl,
}

/// Whose strength is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Plays without the pieces: White, 上手.
    Giver,
    /// Plays with all of them: Black, 下手.
    Receiver,
}

impl HandicapMatch {
    fn seen_by(&self, role: Role) -> (&Player, &Player, Wdl) {
        match role {
            Role::Giver => (&self.giver, &self.receiver, self.score),
            Role::Receiver => (&self.receiver, &self.giver, self.score.reversed()),
        }
    }
}

/// A player's strength from one start against one opponent.
#[derive(Clone, PartialEq, Debug)]
pub struct Strength {
    pub start: String,
    pub player: Player,
    pub opponent: Player,
    pub score: Wdl,
    /// Above the opponent, the handicap included; `None` where one side has all points.
    pub elo: Option<Rating>,
    /// Over the same player with the next fewer playouts.
    pub gain: Option<Rating>,
}

/// Strengths of all players in a role: by start as they come, then by player, opponent and playouts. Matches of
/// the same players from the same start are taken together.
pub fn strengths(matches: &[HandicapMatch], role: Role) -> Vec<Strength> {
    let mut rows: Vec<Strength> = Vec::new();
    for played in matches {
        let (player, opponent, score) = played.seen_by(role);
        let same = rows.iter_mut().find(|row| {
            row.start == played.start && row.player == *player && row.opponent == *opponent
        });
        match same {
            Some(row) => row.score = row.score.plus(score),
            None => rows.push(Strength {
                start: played.start.clone(),
                player: player.clone(),
                opponent: opponent.clone(),
                score,
                elo: None,
                gain: None,
            }),
        }
    }
    let order: Vec<String> = rows.iter().map(|row| row.start.clone()).collect();
    let place = |start: &str| order.iter().position(|known| known == start);
    rows.sort_by(|a, b| {
        let key = |row: &Strength| (place(&row.start), row.player.name.clone());
        let by_playouts = (&a.opponent, a.player.playouts).cmp(&(&b.opponent, b.player.playouts));
        key(a).cmp(&key(b)).then(by_playouts)
    });
    rows.iter_mut().for_each(|row| row.elo = row.score.difference());
    for index in 1..rows.len() {
        rows[index].gain = gain(&rows[index - 1], &rows[index]);
    }
    rows
}

fn gain(before: &Strength, after: &Strength) -> Option<Rating> {
    let same = before.start == after.start
        && before.player.name == after.player.name
        && before.opponent == after.opponent;
    let (Some(a), Some(b)) = (before.elo.filter(|_| same), after.elo) else { return None };
    // The matches are independent: errors add as squares do.
    Some(Rating { elo: b.elo - a.elo, error: (a.error * a.error + b.error * b.error).sqrt() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(start: &str, giver: (&str, u64), receiver: (&str, u64), wins: u64) -> HandicapMatch {
        let player = |(name, playouts): (&str, u64)| Player { name: name.to_owned(), playouts };
        HandicapMatch {
            start: start.to_owned(),
            giver: player(giver),
            receiver: player(receiver),
            score: Wdl { wins, draws: 0, losses: 400 - wins },
        }
    }

    #[test]
    fn gains_are_between_neighbours_against_the_same_opponent() {
        let matches = [
            played("6", ("nue", 100), ("nue", 1), 197),
            played("6", ("nue", 10), ("nue", 1), 31),
            played("6", ("nue", 1000), ("nue", 1), 301),
            played("rook", ("nue", 10), ("nue", 1), 234),
            played("6", ("nue", 10), ("other", 1), 200),
        ];
        let rows = strengths(&matches, Role::Giver);
        let found: Vec<_> = rows
            .iter()
            .map(|row| (row.start.as_str(), row.player.playouts, row.opponent.name.as_str()))
            .collect();
        let wanted = [("6", 10, "nue"), ("6", 100, "nue"), ("6", 1000, "nue"), ("6", 10, "other")];
        assert_eq!(found[..4], wanted);
        assert_eq!(found[4], ("rook", 10, "nue"));
        // The paper's −427, −5 and 193 of 400 games, and the gains of 422 and 198.
        let elo: Vec<f64> = rows.iter().map(|row| row.elo.expect("both scored").elo).collect();
        for (found, wanted) in elo.iter().zip([-430.0, -5.2, 193.2, 0.0]) {
            assert!((found - wanted).abs() < 1.0, "{found} {wanted}");
        }
        let gains: Vec<Option<f64>> =
            rows.iter().map(|row| row.gain.map(|gain| gain.elo.round())).collect();
        assert_eq!(gains, [None, Some((elo[1] - elo[0]).round()), Some(198.0), None, None]);
        let gain = rows[2].gain.expect("a neighbour");
        assert!((gain.error - 26.5).abs() < 1.0, "{gain:?}");
    }

    #[test]
    fn the_receiver_sees_the_same_games_from_the_other_side() {
        let matches = [
            played("2", ("a", 800), ("b", 1), 300),
            played("2", ("a", 800), ("b", 10), 100),
            played("2", ("a", 800), ("b", 10), 100),
            played("2", ("a", 800), ("b", 100), 0),
        ];
        let rows = strengths(&matches, Role::Receiver);
        assert_eq!(rows.iter().map(|row| row.score.wins).collect::<Vec<_>>(), [100, 600, 400]);
        assert_eq!(rows[1].score.games(), 800, "matches of the same players are one");
        assert!(rows[1].gain.is_some_and(|gain| gain.elo > 300.0));
        assert!(rows[2].elo.is_none() && rows[2].gain.is_none(), "all points on one side");
        assert!(strengths(&[], Role::Giver).is_empty());
    }
}
