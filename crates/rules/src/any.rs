//! A position of either game, for code above the line where generics end.

use crate::{
    Color, Declaration, Delta, Game, GameRepetition, Hand, Kings, Minishogi, Move, MoveError,
    MoveList, Piece, Position, SfenError, Shogi, Square,
};

/// A position of shogi or of minishogi.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "positions are few and moved rarely")]
pub enum AnyPosition {
    Shogi(Position<Shogi>),
    Minishogi(Position<Minishogi>),
}

/// Calls the same method on whichever position it is.
macro_rules! each {
    ($self:expr, $p:ident => $e:expr) => {
        match $self {
            AnyPosition::Shogi($p) => $e,
            AnyPosition::Minishogi($p) => $e,
        }
    };
}

impl AnyPosition {
    /// The start position of an even game.
    pub fn startpos(game: Game) -> Self {
        match game {
            Game::Shogi => Self::Shogi(Position::startpos()),
            Game::Minishogi => Self::Minishogi(Position::startpos()),
        }
    }

    /// Reads a position with both kings.
    pub fn from_sfen(game: Game, s: &str) -> Result<Self, SfenError> {
        Self::from_sfen_with(game, s, Kings::Both)
    }

    /// Reads a position; `kings` says whether it may lack kings.
    pub fn from_sfen_with(game: Game, s: &str, kings: Kings) -> Result<Self, SfenError> {
        Ok(match game {
            Game::Shogi => Self::Shogi(Position::from_sfen_with(s, kings)?),
            Game::Minishogi => Self::Minishogi(Position::from_sfen_with(s, kings)?),
        })
    }

    /// Shogi or minishogi.
    pub fn game(&self) -> Game {
        match self {
            Self::Shogi(_) => Game::Shogi,
            Self::Minishogi(_) => Game::Minishogi,
        }
    }

    /// See [`Position::sfen`].
    pub fn sfen(&self) -> String {
        each!(self, p => p.sfen())
    }

    /// See [`Position::turn`].
    pub fn turn(&self) -> Color {
        each!(self, p => p.turn())
    }

    /// See [`Position::ply`].
    pub fn ply(&self) -> u32 {
        each!(self, p => p.ply())
    }

    /// See [`Position::played`].
    pub fn played(&self) -> usize {
        each!(self, p => p.played())
    }

    /// See [`Position::moves_played`].
    pub fn moves_played(&self) -> Vec<Move> {
        each!(self, p => p.moves_played())
    }

    /// See [`Position::without_history`].
    #[must_use]
    pub fn without_history(&self) -> Self {
        each!(self, p => p.without_history().into())
    }

    /// See [`Position::piece_at`].
    pub fn piece_at(&self, sq: Square) -> Piece {
        each!(self, p => p.piece_at(sq))
    }

    /// See [`Position::hand`].
    pub fn hand(&self, color: Color) -> Hand {
        each!(self, p => p.hand(color))
    }

    /// See [`Position::king`].
    pub fn king(&self, color: Color) -> Option<Square> {
        each!(self, p => p.king(color))
    }

    /// See [`Position::in_check`].
    pub fn in_check(&self) -> bool {
        each!(self, p => p.in_check())
    }

    /// See [`Position::key`].
    pub fn key(&self) -> u64 {
        each!(self, p => p.key())
    }

    /// See [`Position::legal_moves`].
    pub fn legal_moves(&self) -> MoveList {
        each!(self, p => p.legal_moves())
    }

    /// See [`Position::is_legal`].
    pub fn is_legal(&self, m: Move) -> bool {
        each!(self, p => p.is_legal(m))
    }

    /// See [`Position::why_illegal`].
    pub fn why_illegal(&self, m: Move) -> Option<&'static str> {
        each!(self, p => p.why_illegal(m))
    }

    /// See [`Position::parse_usi`].
    pub fn parse_usi(&self, s: &str) -> Result<Move, MoveError> {
        each!(self, p => p.parse_usi(s))
    }

    /// See [`Position::gives_check`].
    pub fn gives_check(&self, m: Move) -> bool {
        each!(self, p => p.gives_check(m))
    }

    /// See [`Position::play`].
    pub fn play(&mut self, m: Move) -> Delta {
        each!(self, p => p.play(m))
    }

    /// See [`Position::undo`].
    pub fn undo(&mut self) {
        each!(self, p => p.undo());
    }

    /// See [`Position::repetition`].
    pub fn repetition(&self) -> Option<GameRepetition> {
        each!(self, p => p.repetition())
    }

    /// See [`Position::occurrences`].
    pub fn occurrences(&self) -> usize {
        each!(self, p => p.occurrences())
    }

    /// See [`Position::can_declare`].
    pub fn can_declare(&self, rule: Declaration) -> bool {
        each!(self, p => p.can_declare(rule))
    }

    /// See [`Position::is_mated`].
    pub fn is_mated(&self) -> bool {
        each!(self, p => p.is_mated())
    }

    /// See [`crate::perft()`].
    pub fn perft(&mut self, depth: usize, bulk: bool) -> u64 {
        each!(self, p => crate::perft(p, depth, bulk))
    }

    /// See [`crate::perft_while`].
    pub fn perft_while(
        &mut self,
        depth: usize,
        go_on: &mut dyn FnMut() -> bool,
        each: &mut dyn FnMut(Move, u64),
    ) -> Option<u64> {
        each!(self, p => crate::perft_while(p, depth, go_on, each))
    }

    /// See [`crate::divide`].
    pub fn divide(&mut self, depth: usize, bulk: bool) -> Vec<(Move, u64)> {
        each!(self, p => crate::divide(p, depth, bulk))
    }
}

impl From<Position<Shogi>> for AnyPosition {
    fn from(p: Position<Shogi>) -> Self {
        Self::Shogi(p)
    }
}

impl From<Position<Minishogi>> for AnyPosition {
    fn from(p: Position<Minishogi>) -> Self {
        Self::Minishogi(p)
    }
}
