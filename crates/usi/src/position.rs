//! The `position` command, as typed and as meant.

use crate::ParseError;
use crate::words::trimmed;
use rules::{AnyPosition, Game, Kings, start_sfen};
use std::fmt;
use thiserror::Error;

/// Where the moves of a `position` command begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// The start position of the game.
    Startpos,
    /// An SFEN as typed, words joined by one space.
    Sfen(String),
}

/// The `position` command as typed: neither the SFEN nor the moves have been looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetPosition {
    pub start: Start,
    /// The moves from there.
    pub moves: Vec<String>,
}

/// Why a `position` command means no position.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// No start position has that name.
    #[error("{0}; or \"startpos\", or an SFEN in quotes")]
    Name(String),
    /// The SFEN is not one.
    #[error("{0}")]
    Sfen(String),
    /// The SFEN is of the other game.
    #[error("the board has {ranks} ranks, but the game is {game}: set option USI_Variant")]
    OtherGame {
        /// Ranks of the board given.
        ranks: usize,
        /// The game it was read for.
        game: Game,
    },
    /// One of the moves cannot be played.
    #[error("move {number} of the list: {reason}")]
    Move {
        /// Its place in the list, from 1.
        number: usize,
        /// Why not, with the move quoted.
        reason: String,
    },
}

impl SetPosition {
    /// The command a person means: `startpos`, a start position by name (a handicap), or an SFEN,
    /// with moves from there.
    pub fn named(game: Game, text: &str, moves: &[String]) -> Result<Self, PositionError> {
        let text = text.trim();
        let start = match text {
            "startpos" => Start::Startpos,
            _ if text.contains('/') => {
                Start::Sfen(text.strip_prefix("sfen ").unwrap_or(text).to_owned())
            }
            name => {
                let sfen = start_sfen(game, name);
                Start::Sfen(sfen.map_err(|e| PositionError::Name(e.to_string()))?)
            }
        };
        let words = moves.iter().flat_map(|m| m.split_ascii_whitespace());
        Ok(Self { start, moves: words.map(str::to_owned).collect() })
    }

    /// The command that sets up a position with the moves that led to it.
    pub fn of(position: &AnyPosition) -> Self {
        let game = position.game();
        let moves = position.moves_played();
        let mut root = position.clone();
        for _ in &moves {
            root.undo();
        }
        let sfen = root.sfen();
        let usual = sfen == AnyPosition::startpos(game).sfen();
        let start = if usual { Start::Startpos } else { Start::Sfen(sfen) };
        Self { start, moves: moves.iter().map(|m| m.usi(game)).collect() }
    }

    /// Reads what follows `position`. The word `sfen` may be left out.
    pub fn parse(rest: &str) -> Result<Self, ParseError> {
        let mut words = trimmed(rest).split_ascii_whitespace().peekable();
        let expected = "\"startpos\" or \"sfen\" and a position";
        let missing = |after: &str| ParseError::Missing { after: after.to_owned(), expected };
        let start = match words.next() {
            None => return Err(missing("position")),
            Some("moves") => return Err(missing("moves")),
            Some("startpos") => Start::Startpos,
            Some(word) => {
                let mut sfen: Vec<&str> = if word == "sfen" { vec![] } else { vec![word] };
                while let Some(word) = words.next_if(|&w| w != "moves") {
                    sfen.push(word);
                }
                if sfen.is_empty() {
                    return Err(missing(word));
                }
                Start::Sfen(sfen.join(" "))
            }
        };
        match words.next() {
            None | Some("moves") => {}
            Some(found) => {
                return Err(ParseError::Unexpected {
                    after: "startpos".to_owned(),
                    expected: "\"moves\"",
                    found: found.to_owned(),
                });
            }
        }
        Ok(Self { start, moves: words.map(str::to_owned).collect() })
    }

    /// The position meant, with the moves as its history. Kings may be missing: mate problems
    /// are set up this way.
    pub fn resolve(&self, game: Game) -> Result<AnyPosition, PositionError> {
        let mut position = match &self.start {
            Start::Startpos => AnyPosition::startpos(game),
            Start::Sfen(sfen) => {
                AnyPosition::from_sfen_with(game, sfen, Kings::Any).map_err(|e| {
                    let board = sfen.split(' ').next().unwrap_or_default();
                    let ranks = board.split('/').count();
                    let other = Game::ALL.iter().any(|g| *g != game && g.size() == ranks);
                    if other {
                        PositionError::OtherGame { ranks, game }
                    } else {
                        PositionError::Sfen(e.to_string())
                    }
                })?
            }
        };
        for (index, text) in self.moves.iter().enumerate() {
            let m = position
                .parse_usi(text)
                .map_err(|e| PositionError::Move { number: index + 1, reason: e.to_string() })?;
            position.play(m);
        }
        Ok(position)
    }
}

/// What follows `position `.
impl fmt::Display for SetPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Start::Startpos => f.write_str("startpos")?,
            Start::Sfen(sfen) => write!(f, "sfen {sfen}")?,
        }
        if !self.moves.is_empty() {
            f.write_str(" moves")?;
        }
        self.moves.iter().try_for_each(|m| write!(f, " {m}"))
    }
}
