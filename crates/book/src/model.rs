//! What a book is made of: positions without move numbers, and what is known of their moves.

use crate::BookError;
use rules::{
    AnyPosition, Color, Game, Hand, Kind, Kings, Minishogi, Move, Piece, Position, Shogi, Square,
    Variant,
};
use std::sync::Arc;
use teacher::psv;

/// A position without its move number, in 32 bytes (docs/formats/psv.md): equal positions have equal
/// keys, and a key gives the position back.
pub type Key = [u8; 32];

/// Most moves a position can have in a book: there are never more legal ones.
pub(crate) const MOST_MOVES: usize = 600;

/// A move of a book.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BookMove {
    pub mv: Move,
    /// The reply expected.
    pub reply: Option<Move>,
    /// For the side to move, in hundredths of a pawn. `None`: nobody has looked.
    pub value: Option<i32>,
    /// How deep somebody looked.
    pub depth: u32,
    /// How often it was played.
    pub count: u64,
    /// How often whoever played it won.
    pub wins: u64,
    pub draws: u64,
    pub comment: Option<Box<str>>,
    /// Where it comes from: a file of games, an engine, another book.
    pub source: Option<Arc<str>>,
}

impl BookMove {
    /// A move of which nothing is known.
    pub fn new(mv: Move) -> Self {
        Self { mv, ..Self::default() }
    }

    /// A move with a value.
    pub fn valued(mv: Move, value: i32, depth: u32) -> Self {
        Self { mv, value: Some(value), depth, ..Self::default() }
    }
}

/// A position of a book with its moves, the preferred one first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub key: Key,
    /// The number of the next move where the position was met first; 0 if not known.
    pub ply: u32,
    pub comment: Option<Box<str>>,
    pub moves: Vec<BookMove>,
}

impl Entry {
    /// An entry for a position, without moves.
    pub fn of(position: &AnyPosition) -> Result<Self, BookError> {
        Ok(Self { key: key_of(position)?, ply: position.ply(), comment: None, moves: Vec::new() })
    }

    /// The position.
    pub fn position(&self, game: Game) -> Result<AnyPosition, BookError> {
        position_of(game, &self.key, self.ply.max(1))
    }

    /// Whose move it is.
    pub const fn turn(&self) -> Color {
        if self.key[0] & 1 == 0 { Color::Black } else { Color::White }
    }

    /// The entry of the position turned by 180 degrees with colours swapped.
    pub fn rotated(&self, game: Game) -> Result<Self, BookError> {
        let mut entry = self.clone();
        entry.key = key_of(&rotated(&self.position(game)?)?)?;
        for m in &mut entry.moves {
            m.mv = m.mv.rotated(game);
            m.reply = m.reply.map(|reply| reply.rotated(game));
        }
        Ok(entry)
    }

    /// What is known of a move.
    pub fn find(&self, mv: Move) -> Option<&BookMove> {
        self.moves.iter().find(|m| m.mv == mv)
    }

    /// Puts the moves in the order in which the field writes them: often played before seldom
    /// played, then good before bad; equal ones stay as they are.
    pub fn sort_by_count(&mut self) {
        self.moves.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| b.value.cmp(&a.value)));
    }

    /// Puts the best move first: by value, then by count. A move without value comes last.
    pub fn sort_by_value(&mut self) {
        self.moves.sort_by(|a, b| b.value.cmp(&a.value).then_with(|| b.count.cmp(&a.count)));
    }
}

/// What a book says about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    pub game: Game,
    /// Keys and values: `description`, `author`, `made`, …
    pub pairs: Vec<(String, String)>,
}

impl Header {
    pub const fn new(game: Game) -> Self {
        Self { game, pairs: Vec::new() }
    }

    /// The same header with one more pair, or another value for one it has.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.pairs.retain(|(known, _)| known != key);
        self.pairs.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }
}

/// The key of a position.
pub fn key_of(position: &AnyPosition) -> Result<Key, BookError> {
    psv::pack_position(position).map_err(|error| BookError::Unfit(error.to_string()))
}

/// The same for a position whose game is known.
pub(crate) fn key_of_position<V: Variant>(position: &Position<V>) -> Result<Key, BookError> {
    psv::pack_position_of(position).map_err(|error| BookError::Unfit(error.to_string()))
}

/// The position of a key, with that number for its next move. Both kings must be there.
pub fn position_of(game: Game, key: &Key, ply: u32) -> Result<AnyPosition, BookError> {
    let position = psv::unpack_position(game, key, ply)
        .map_err(|error| BookError::Unfit(error.to_string()))?;
    if Color::BOTH.iter().any(|&color| position.king(color).is_none()) {
        return Err(BookError::Unfit(format!("{}: a king is missing", position.sfen())));
    }
    Ok(position)
}

/// The hash ([`AnyPosition::key`]) of the position of a key, without setting it up.
pub(crate) fn hash_of(game: Game, key: &Key) -> Result<u64, BookError> {
    psv::hash_of_packed(game, key).map_err(|error| BookError::Unfit(error.to_string()))
}

/// The position turned by 180 degrees with colours swapped: its twin, worth the same to the side to
/// move.
pub fn rotated(position: &AnyPosition) -> Result<AnyPosition, BookError> {
    fn turned<V: Variant>(position: &Position<V>) -> Result<Position<V>, BookError> {
        let board: Vec<Piece> = Square::all(V::GAME)
            .map(|square| {
                let piece = position.piece_at(square.rotated(V::GAME));
                match (piece.color(), piece.kind()) {
                    (Some(color), Some(kind)) => Piece::new(color.opponent(), kind),
                    _ => Piece::NONE,
                }
            })
            .collect();
        let hands: [Hand; 2] = [position.hand(Color::White), position.hand(Color::Black)];
        let turn = position.turn().opponent();
        Position::from_placement(&board, hands, turn, position.ply(), Kings::Both)
            .map_err(|reasons| BookError::Unfit(reasons.join("; ")))
    }
    Ok(match position {
        AnyPosition::Shogi(p) => AnyPosition::Shogi(turned::<Shogi>(p)?),
        AnyPosition::Minishogi(p) => AnyPosition::Minishogi(turned::<Minishogi>(p)?),
    })
}

/// Whether a move stays unpromoted where promotion is never worse: a pawn, a bishop or a rook, or a
/// lance on the last rank but one. Other engines' books hold them by mistake, ours may on purpose.
pub fn is_pointless_non_promotion(position: &AnyPosition, mv: Move) -> bool {
    if mv.is_drop() || mv.is_promotion() {
        return false;
    }
    let game = position.game();
    let promoting = Move::board(mv.from(), mv.to(), true);
    let Some(kind) = position.piece_at(mv.from()).kind() else { return false };
    let last_but_one = match position.turn() {
        Color::Black => 2,
        Color::White => game.size() - 1,
    };
    let pointless = match kind {
        Kind::Pawn | Kind::Bishop | Kind::Rook => true,
        Kind::Lance => mv.to().rank(game) == last_but_one,
        _ => false,
    };
    pointless && position.is_legal(promoting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_no_ply_and_gives_the_position_back() {
        for (game, sfen) in [
            (Game::Shogi, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
            (Game::Shogi, "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"),
            (
                Game::Shogi,
                "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
            ),
            (Game::Minishogi, "rbsgk/4p/5/P4/KGSBR b - 1"),
        ] {
            let position = AnyPosition::from_sfen(game, sfen).unwrap();
            let key = key_of(&position).unwrap();
            assert_eq!(position_of(game, &key, position.ply()).unwrap(), position);
            let later = AnyPosition::from_sfen(game, &sfen.replace(" 1", " 77")).unwrap();
            assert_eq!(key_of(&later).unwrap(), key);
            let twin = rotated(&position).unwrap();
            assert_ne!(key_of(&twin).unwrap(), key);
            assert_eq!(rotated(&twin).unwrap(), position);
        }
    }

    #[test]
    fn a_twin_has_the_rotated_moves() {
        let mut position = AnyPosition::startpos(Game::Shogi);
        position.play(position.parse_usi("7g7f").unwrap());
        let mut entry = Entry::of(&position).unwrap();
        entry.moves = vec![BookMove {
            reply: Move::from_usi(Game::Shogi, "2g2f"),
            ..BookMove::new(position.parse_usi("3c3d").unwrap())
        }];
        let twin = entry.rotated(Game::Shogi).unwrap();
        assert_eq!(twin.turn(), Color::Black);
        assert_eq!(twin.moves[0].mv.usi(Game::Shogi), "7g7f");
        assert_eq!(twin.moves[0].reply.unwrap().usi(Game::Shogi), "8c8d");
        assert_eq!(twin.rotated(Game::Shogi).unwrap(), entry);
    }

    #[test]
    fn moves_without_value_come_last() {
        let mv = |bits| Move::from_bits_unchecked(bits);
        let mut entry = Entry::of(&AnyPosition::startpos(Game::Shogi)).unwrap();
        entry.moves = vec![
            BookMove::new(mv(1)),
            BookMove::valued(mv(2), -5, 1),
            BookMove::valued(mv(3), 5, 1),
        ];
        entry.sort_by_value();
        assert_eq!(entry.moves.iter().map(|m| m.mv.bits()).collect::<Vec<_>>(), [3, 2, 1]);
    }

    #[test]
    fn pointless_non_promotions_are_known() {
        let sfen = "4k4/9/9/2P1S4/9/9/9/1B5R1/4K4 b - 1";
        let position = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
        for (mv, pointless) in [
            ("7d7c", true),
            ("7d7c+", false),
            ("5d5c", false),
            ("8h2b", true),
            ("2h2c", true),
            ("2h2d", false),
        ] {
            let mv = position.parse_usi(mv).unwrap();
            assert_eq!(is_pointless_non_promotion(&position, mv), pointless, "{mv:?}");
        }
    }
}
