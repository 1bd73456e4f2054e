//! A board being set up piece by piece, as the position parts of the formats do it.

use crate::error::Problem;
use rules::{
    AnyPosition, Color, Game, Kind, Kings, Minishogi, Piece, SfenError, Shogi, Square, Variant,
};

/// Pieces on squares and in hands, not yet known to be a position.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    pub(crate) game: Game,
    cells: [Piece; 81],
    /// Counts by colour and kind number.
    hands: [[usize; 9]; 2],
    pub(crate) turn: Color,
    /// Number of the next move.
    pub(crate) ply: u32,
}

impl Placement {
    /// An empty board, Black to move.
    pub(crate) const fn empty(game: Game) -> Self {
        Self { game, cells: [Piece::NONE; 81], hands: [[0; 9]; 2], turn: Color::Black, ply: 1 }
    }

    pub(crate) fn of(pos: &AnyPosition) -> Self {
        let mut p = Self::empty(pos.game());
        for sq in Square::all(p.game) {
            p.cells[sq.index()] = pos.piece_at(sq);
        }
        for color in Color::BOTH {
            for kind in Kind::HAND {
                p.hands[color.index()][kind.index()] = pos.hand(color).count(kind);
            }
        }
        p.turn = pos.turn();
        p.ply = pos.ply();
        p
    }

    pub(crate) const fn at(&self, sq: Square) -> Piece {
        self.cells[sq.index()]
    }

    pub(crate) const fn put(&mut self, sq: Square, piece: Piece) {
        self.cells[sq.index()] = piece;
    }

    /// Adds pieces to a hand. A promoted piece or a king cannot be held.
    pub(crate) fn give(&mut self, color: Color, kind: Kind, count: usize) -> Result<(), Problem> {
        if !Kind::HAND.contains(&kind) {
            return Err(Problem::NotInHand(format!("{kind:?}")));
        }
        let held = &mut self.hands[color.index()][kind.index()];
        *held = held.saturating_add(count);
        Ok(())
    }

    pub(crate) fn hand(&self, color: Color, kind: Kind) -> usize {
        self.hands[color.index()].get(kind.index()).copied().unwrap_or(0)
    }

    /// Puts every piece of the set that is not yet anywhere into this hand.
    pub(crate) fn give_the_rest(&mut self, color: Color) {
        for kind in Kind::HAND {
            let all = match self.game {
                Game::Shogi => Shogi::PIECES[kind.index()],
                Game::Minishogi => Minishogi::PIECES[kind.index()],
            };
            let on_board =
                self.cells.iter().filter(|p| p.kind().map(Kind::unpromoted) == Some(kind)).count();
            let in_hands: usize = Color::BOTH.iter().map(|&c| self.hand(c, kind)).sum();
            let rest = all.saturating_sub(on_board).saturating_sub(in_hands);
            self.hands[color.index()][kind.index()] += rest;
        }
    }

    fn sfen(&self) -> String {
        let n = self.game.size();
        let mut text = String::new();
        for rank in 1..=n {
            let mut empty = 0;
            for file in (1..=n).rev() {
                let piece = Square::at(self.game, file, rank).map_or(Piece::NONE, |sq| self.at(sq));
                if piece.is_none() {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    text.push_str(&empty.to_string());
                    empty = 0;
                }
                text.push_str(&piece.sfen());
            }
            if empty > 0 {
                text.push_str(&empty.to_string());
            }
            text.push(if rank < n { '/' } else { ' ' });
        }
        text.push(self.turn.letter());
        text.push(' ');
        let before = text.len();
        for color in Color::BOTH {
            for kind in Kind::SFEN_HAND_ORDER {
                match self.hand(color, kind) {
                    0 => {}
                    1 => text.push_str(&Piece::new(color, kind).sfen()),
                    n => text.push_str(&format!("{n}{}", Piece::new(color, kind).sfen())),
                }
            }
        }
        if text.len() == before {
            text.push('-');
        }
        text.push_str(&format!(" {}", self.ply));
        text
    }

    /// The position, if it is one.
    pub(crate) fn position(&self) -> Result<AnyPosition, Problem> {
        Ok(set_up(self.game, &self.sfen())?)
    }
}

/// A position as records have them: kings may be missing, and curiosities of old collections
/// (two pawns on a file, pieces that can never move) are taken as they are.
pub(crate) fn set_up(game: Game, sfen: &str) -> Result<AnyPosition, SfenError> {
    AnyPosition::from_sfen_with(game, sfen, Kings::Any)
        .or_else(|_| AnyPosition::from_sfen_with(game, sfen, Kings::Lenient))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_survives_being_taken_apart() {
        for (game, sfen) in [
            (Game::Shogi, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 7"),
            (Game::Shogi, "3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1"),
            (Game::Minishogi, "rbsgk/4p/5/P4/KGSBR b - 1"),
        ] {
            let pos = AnyPosition::from_sfen_with(game, sfen, Kings::Any).unwrap();
            assert_eq!(Placement::of(&pos).position().unwrap().sfen(), sfen);
        }
    }

    #[test]
    fn the_rest_of_the_set() {
        let mut p = Placement::empty(Game::Shogi);
        p.give(Color::Black, Kind::Rook, 2).unwrap();
        p.give_the_rest(Color::White);
        assert_eq!(p.hand(Color::White, Kind::Pawn), 18);
        assert_eq!(p.hand(Color::White, Kind::Rook), 0);
        assert!(p.give(Color::Black, Kind::King, 1).is_err());
    }
}
