//! A position as what stands where: between packed bits and positions.

use crate::error::PackError;
use rules::{
    AnyPosition, Color, Game, Hand, Kind, Kings, Minishogi, Piece, Position, Shogi, Square, Variant,
};
use std::fmt::Write;

/// Pieces, hands and side to move, whether or not they make sense.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Placement {
    pub(crate) game: Game,
    pub(crate) turn: Color,
    /// By square; a board of 25 squares uses the first of them.
    pub(crate) board: [Piece; 81],
    pub(crate) hands: [Hand; 2],
}

impl Placement {
    pub(crate) const fn empty(game: Game) -> Self {
        let (board, hands) = ([Piece::NONE; 81], [Hand::EMPTY; 2]);
        Self { game, turn: Color::Black, board, hands }
    }

    pub(crate) fn of<V: Variant>(pos: &Position<V>) -> Self {
        let mut placement = Self::empty(V::GAME);
        for (index, piece) in placement.board.iter_mut().enumerate().take(V::SQUARES) {
            *piece = pos.piece_at(Square::new(index));
        }
        placement.turn = pos.turn();
        placement.hands = Color::BOTH.map(|c| pos.hand(c));
        placement
    }

    pub(crate) fn of_any(pos: &AnyPosition) -> Self {
        match pos {
            AnyPosition::Shogi(p) => Self::of(p),
            AnyPosition::Minishogi(p) => Self::of(p),
        }
    }

    /// The pieces on the board.
    pub(crate) fn squares(&self) -> &[Piece] {
        &self.board[..self.game.squares()]
    }

    /// How many pieces of each kind, kings apart, are on neither board nor hands, by kind number.
    #[cfg(test)]
    pub(crate) fn missing(&self) -> [i32; 8] {
        let mut left = set(self.game);
        for kind in self.squares().iter().filter_map(|p| p.kind()) {
            if kind != Kind::King {
                left[kind.unpromoted().index()] -= 1;
            }
        }
        for hand in self.hands {
            for kind in Kind::HAND {
                left[kind.index()] -= hand.count(kind) as i32;
            }
        }
        left
    }

    /// The hash of the position, whether or not it makes sense.
    pub(crate) fn hash(&self) -> u64 {
        let (board, hands, turn) = (self.squares(), self.hands, self.turn);
        match self.game {
            Game::Shogi => Position::<Shogi>::key_of_placement(board, hands, turn),
            Game::Minishogi => Position::<Minishogi>::key_of_placement(board, hands, turn),
        }
    }

    /// The position, with that number for its next move. Kings may be missing.
    pub(crate) fn position(&self, ply: u32) -> Result<AnyPosition, PackError> {
        let (board, hands, turn) = (self.squares(), self.hands, self.turn);
        let placed = match self.game {
            Game::Shogi => Position::<Shogi>::from_placement(board, hands, turn, ply, Kings::Any)
                .map(AnyPosition::from),
            Game::Minishogi => {
                Position::<Minishogi>::from_placement(board, hands, turn, ply, Kings::Any)
                    .map(AnyPosition::from)
            }
        };
        // What is wrong is said in words people know.
        placed.or_else(|_| self.as_text(ply))
    }

    /// The same by way of SFEN, whose reader names whatever is wrong.
    fn as_text(&self, ply: u32) -> Result<AnyPosition, PackError> {
        let size = self.game.size();
        let mut text = String::with_capacity(128);
        for rank in 0..size {
            if rank > 0 {
                text.push('/');
            }
            let mut empty = 0u8;
            for file in (0..size).rev() {
                let piece = self.board[file * size + rank];
                if piece.is_none() {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    text.push((b'0' + empty) as char);
                    empty = 0;
                }
                push_piece(&mut text, piece);
            }
            if empty > 0 {
                text.push((b'0' + empty) as char);
            }
        }
        text.extend([' ', self.turn.letter(), ' ']);
        let hands = text.len();
        for color in Color::BOTH {
            for kind in Kind::SFEN_HAND_ORDER {
                let count = self.hands[color.index()].count(kind);
                if count > 1 {
                    let _ = write!(text, "{count}");
                }
                if count > 0 {
                    push_piece(&mut text, Piece::new(color, kind));
                }
            }
        }
        if text.len() == hands {
            text.push('-');
        }
        let _ = write!(text, " {ply}");
        Ok(AnyPosition::from_sfen_with(self.game, &text, Kings::Any)?)
    }
}

fn push_piece(text: &mut String, piece: Piece) {
    let (Some(kind), Some(color)) = (piece.kind(), piece.color()) else { return };
    if kind.is_promoted() {
        text.push('+');
    }
    let letter = kind.letter();
    text.push(if color == Color::Black { letter } else { letter.to_ascii_lowercase() });
}

/// How many pieces of each kind the game has, kings apart.
pub(crate) fn set(game: Game) -> [i32; 8] {
    let pieces = match game {
        Game::Shogi => Shogi::PIECES,
        Game::Minishogi => Minishogi::PIECES,
    };
    std::array::from_fn(|kind| pieces[kind] as i32)
}
