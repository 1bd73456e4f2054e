//! Where games begin: an even start and handicaps.

use rules::{AnyPosition, Game, Handicap, Minishogi, Variant, start_sfen};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A start position with its name. In handicaps White gives pieces, moves first and is the weaker side
/// between equals.
#[derive(Clone, PartialEq, Eq, Debug, Hash, Serialize, Deserialize)]
pub struct Start {
    pub name: String,
    pub sfen: String,
}

/// Why there is no such start.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("start {name:?} is neither a handicap nor a position of {game}: {why}")]
pub struct StartError {
    pub name: String,
    pub game: Game,
    pub why: String,
}

/// The seven starts of the paper.
const SHOGI: [Handicap; 7] = [
    Handicap::Even,
    Handicap::Lance,
    Handicap::Bishop,
    Handicap::Rook,
    Handicap::Two,
    Handicap::Four,
    Handicap::Six,
];

/// Seven of minishogi, from a small handicap to a large one. Nobody has agreed on names or an order
/// there: pieces are left out as in shogi, the smaller ones first, then rook and bishop, then the silver,
/// too.
const MINISHOGI: [(&str, &str); 6] = [
    ("silver", "rb1gk"),
    ("gold", "rbs1k"),
    ("bishop", "r1sgk"),
    ("rook", "1bsgk"),
    ("2", "2sgk"),
    ("3", "3gk"),
];

impl Start {
    /// By its name among the usual ones, by that of another handicap, or as an SFEN. A game has as many moves as were
    /// made since its start: whatever came before a position, its next move is the first.
    pub fn parse(game: Game, text: &str) -> Result<Self, StartError> {
        if let Some(usual) = Self::usual(game).into_iter().find(|start| start.name == text) {
            return Ok(usual);
        }
        let sfen = start_sfen(game, text).unwrap_or_else(|_| text.to_owned());
        let start = Self { name: text.to_owned(), sfen };
        let sfen = start.position(game)?.sfen();
        let board = sfen.rsplit_once(' ').map_or(sfen.as_str(), |(board, _)| board);
        Ok(Self { sfen: format!("{board} 1"), ..start })
    }

    /// The position.
    pub fn position(&self, game: Game) -> Result<AnyPosition, StartError> {
        let named = |why: String| StartError { name: self.name.clone(), game, why };
        AnyPosition::from_sfen(game, &self.sfen).map_err(|error| named(error.to_string()))
    }

    /// The starts that are learned at once, the even one first.
    pub fn usual(game: Game) -> Vec<Self> {
        match game {
            Game::Shogi => SHOGI
                .iter()
                .map(|handicap| Self { name: handicap.name().to_owned(), sfen: handicap.sfen() })
                .collect(),
            Game::Minishogi => {
                let even =
                    Self { name: Handicap::Even.to_string(), sfen: Minishogi::START.to_owned() };
                let handicap = |&(name, rank): &(&str, &str)| Self {
                    name: name.to_owned(),
                    sfen: format!("{rank}/4p/5/P4/KGSBR w - 1"),
                };
                std::iter::once(even).chain(MINISHOGI.iter().map(handicap)).collect()
            }
        }
    }
}

/// The game, stored by its name.
pub mod game_name {
    use rules::Game;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes the name.
    pub fn serialize<S: Serializer>(game: &Game, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(game.name())
    }

    /// Reads a name.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Game, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Color;
    use std::collections::BTreeSet;

    #[test]
    fn every_start_is_a_position_that_can_be_played() {
        for game in Game::ALL {
            let starts = Start::usual(game);
            assert_eq!(starts.len(), 7);
            let names: BTreeSet<_> = starts.iter().map(|start| &start.name).collect();
            assert_eq!(names.len(), 7);
            let mut keys = BTreeSet::new();
            for start in &starts {
                let position = AnyPosition::from_sfen(game, &start.sfen).expect("a position");
                assert_eq!(position.sfen(), start.sfen);
                assert!(!position.legal_moves().as_slice().is_empty());
                let turn = if start.name == "even" { Color::Black } else { Color::White };
                assert_eq!(position.turn(), turn, "{}", start.name);
                assert!(keys.insert(position.key()));
                assert_eq!(Start::parse(game, &start.name).as_ref(), Ok(start));
            }
        }
    }

    #[test]
    fn other_starts_are_handicaps_or_positions() {
        assert_eq!(Start::parse(Game::Shogi, "8").expect("a handicap").name, "8");
        let sfen = "4k/5/5/5/K4 b RG 1";
        assert_eq!(Start::parse(Game::Minishogi, sfen).expect("a position").sfen, sfen);
        let later = Start::parse(Game::Minishogi, "4k/5/5/5/K4 b RG 17").expect("a position");
        assert_eq!(later.sfen, sfen, "its next move is the first of the game");
        let told = Start::parse(Game::Minishogi, "lance").expect_err("no lances there").to_string();
        assert!(told.contains("lance") && told.contains("minishogi"), "{told}");
    }
}
