//! Where games begin: a start position and moves from it.

use engines::GameLine;
use kifu::{Record, Termination};
use rules::{AnyPosition, Color, Game, Move};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;
use think::quote;
use thiserror::Error;
use usi::{SetPosition, Start};

/// A start position and the moves both players accept without thinking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    start: AnyPosition,
    moves: Vec<Move>,
    end: AnyPosition,
}

/// Why a game cannot begin there.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OpeningError {
    /// A king is missing.
    #[error("{0} has no king")]
    NoKing(Color),
    /// The game is over before it begins.
    #[error("the game is over there")]
    Over,
    /// A position of the other game.
    #[error("the position is one of {found}, the match is {wanted}")]
    Game { found: Game, wanted: Game },
    /// A move of the line is not legal.
    #[error("{} cannot be played: {why}", quote(text))]
    Illegal { text: String, why: String },
}

/// Plies from the first to the last of them, both included: `8`, or `6-10`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlyRange {
    pub first: usize,
    pub last: usize,
}

impl PlyRange {
    /// A range in words, within bounds.
    pub fn within(text: &str, bounds: RangeInclusive<usize>) -> Option<Self> {
        let number = |text: &str| text.parse().ok().filter(|n| bounds.contains(n));
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = Self { first: number(first)?, last: number(last)? };
        (range.first <= range.last).then_some(range)
    }
}

impl fmt::Display for PlyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { first, last } if first == last => write!(f, "{first}"),
            Self { first, last } => write!(f, "{first}-{last}"),
        }
    }
}

impl Opening {
    /// A position and moves that are legal from it.
    pub fn new(start: AnyPosition, moves: Vec<Move>) -> Result<Self, OpeningError> {
        if let Some(color) = Color::BOTH.into_iter().find(|&c| start.king(c).is_none()) {
            return Err(OpeningError::NoKing(color));
        }
        let mut end = start.clone();
        for &m in &moves {
            if let Some(why) = end.why_illegal(m) {
                let text = m.usi(end.game());
                return Err(OpeningError::Illegal { text, why: why.to_owned() });
            }
            end.play(m);
        }
        if end.is_mated() || end.repetition().is_some() {
            return Err(OpeningError::Over);
        }
        Ok(Self { start, moves, end })
    }

    /// The start position of an even game.
    pub fn even(game: Game) -> Self {
        let start = AnyPosition::startpos(game);
        Self { end: start.clone(), start, moves: Vec::new() }
    }

    /// The beginning of a record: at most `plies` moves of its main line. An illegal move among
    /// them, which a record may end with, is an error: whoever wrote the line meant to play it.
    pub fn from_record(record: &Record, plies: Option<usize>) -> Result<Self, OpeningError> {
        let mut moves = record.moves();
        let plies = plies.unwrap_or(usize::MAX);
        if let (true, Some(Termination::IllegalMove(Some(text)))) =
            (moves.len() < plies, record.ending())
        {
            let why = format!("it is illegal at ply {}", moves.len() + 1);
            return Err(OpeningError::Illegal { text: text.clone(), why });
        }
        moves.truncate(plies);
        Self::new(record.start().clone(), moves)
    }

    /// The position where the players begin to think, with its history.
    pub const fn position(&self) -> &AnyPosition {
        &self.end
    }

    /// The moves before.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position before all moves.
    pub const fn start(&self) -> &AnyPosition {
        &self.start
    }

    /// Shogi or minishogi.
    pub fn game(&self) -> Game {
        self.start.game()
    }

    /// The game as it begins, as engines are told of it.
    pub fn game_line(&self) -> GameLine {
        GameLine::new(self.position().clone())
    }

    /// What engines are told: the start and these moves.
    pub fn command(&self) -> SetPosition {
        let game = self.game();
        let sfen = self.start.sfen();
        let start = if sfen == AnyPosition::startpos(game).sfen() {
            Start::Startpos
        } else {
            Start::Sfen(sfen)
        };
        SetPosition { start, moves: self.moves.iter().map(|m| m.usi(game)).collect() }
    }

    /// The opening as a line of text that [`kifu`] reads back.
    pub fn line(&self) -> String {
        // `startpos` alone would not tell the game.
        let mut command = self.command();
        if self.game() != Game::Shogi {
            command.start = Start::Sfen(self.start.sfen());
        }
        command.to_string()
    }
}
