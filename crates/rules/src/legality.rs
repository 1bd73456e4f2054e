//! Whether a move from outside is legal: from a user, a peer, a book or a hash table.

use crate::bits::Bits;
use crate::position::Position;
use crate::{Color, Kind, Move, Square, Variant};
use std::fmt;

/// Why a text is not a legal move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveError {
    /// The text is not USI move notation of this game.
    Syntax(String),
    /// The move is well formed but not legal here; the reason in words.
    Illegal(String, &'static str),
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(s) => write!(f, "{s:?} is not a move (expected e.g. 7g7f, 8h2b+ or P*5e)"),
            Self::Illegal(s, why) => write!(f, "illegal move {s}: {why}"),
        }
    }
}

impl std::error::Error for MoveError {}

impl<V: Variant> Position<V> {
    /// Reads a USI move that must be legal here.
    pub fn parse_usi(&self, s: &str) -> Result<Move, MoveError> {
        // A hostile peer's text is quoted, but not at any length.
        let quoted = || s.chars().take(40).collect::<String>();
        let m = Move::from_usi(V::GAME, s).ok_or_else(|| MoveError::Syntax(quoted()))?;
        match self.why_illegal(m) {
            None => Ok(m),
            Some(why) => Err(MoveError::Illegal(quoted(), why)),
        }
    }

    /// Whether any [`Move`] value, from wherever it comes, is legal here.
    pub fn is_legal(&self, m: Move) -> bool {
        self.is_pseudo_legal(m) && self.is_legal_if_pseudo(m)
    }

    /// Whether the move obeys everything but king safety and the drop-pawn-mate rule. Made for
    /// moves from a hash table, whose 16 bits may belong to another position.
    pub fn is_pseudo_legal(&self, m: Move) -> bool {
        self.why_not_pseudo_legal(m).is_none()
    }

    /// Why the move is not legal here; `None` if it is.
    pub fn why_illegal(&self, m: Move) -> Option<&'static str> {
        if let Some(why) = self.why_not_pseudo_legal(m) {
            return Some(why);
        }
        if self.is_legal_if_pseudo(m) {
            return None;
        }
        Some(if m.dropped() == Some(Kind::Pawn) && !self.leaves_king_attacked(m) {
            "mate by a dropped pawn is forbidden"
        } else if self.in_check() {
            "the king stays in check"
        } else {
            "the king would be exposed to check"
        })
    }

    fn why_not_pseudo_legal(&self, m: Move) -> Option<&'static str> {
        if Move::from_bits(V::GAME, m.bits()).is_none() {
            return Some("not a move of this game");
        }
        let us = self.turn();
        let to = m.to();
        if let Some(kind) = m.dropped() {
            return self.why_not_droppable(us, kind, to);
        }
        let piece = self.piece_at(m.from());
        let Some(kind) = piece.kind().filter(|_| piece.is_of(us)) else {
            return Some(if piece.is_none() {
                "no piece on the square it moves from"
            } else {
                "the piece belongs to the opponent"
            });
        };
        if self.piece_at(to).is_of(us) {
            return Some("the target square holds an own piece");
        }
        if !V::attacks(us, kind, m.from(), self.occupied()).has(to) {
            return Some("the piece does not move that way");
        }
        if m.is_promotion() {
            let zone = V::promotion_zone(us);
            if !kind.can_promote() {
                return Some("the piece cannot promote");
            }
            if !zone.has(to) && !zone.has(m.from()) {
                return Some("promotion outside the promotion zone");
            }
        } else if V::dead_zone(us, kind).has(to) {
            return Some("the piece could never move again: it must promote");
        }
        None
    }

    fn why_not_droppable(&self, us: Color, kind: Kind, to: Square) -> Option<&'static str> {
        if !self.hand(us).has(kind) {
            return Some("no such piece in hand");
        }
        if self.piece_at(to).is_some() {
            return Some("a piece can only be dropped on an empty square");
        }
        if V::dead_zone(us, kind).has(to) {
            return Some("the dropped piece could never move");
        }
        if kind == Kind::Pawn && !self.pawnless_files(us).has(to) {
            return Some("two unpromoted pawns on one file");
        }
        None
    }

    /// Legality of a move known to be pseudo-legal.
    #[inline]
    pub fn is_legal_if_pseudo(&self, m: Move) -> bool {
        if self.leaves_king_attacked(m) {
            return false;
        }
        if m.dropped() != Some(Kind::Pawn) {
            return true;
        }
        let us = self.turn();
        let king = self.kings[us.opponent().index()];
        king.is_none()
            || !V::reach(us, Kind::Pawn, m.to()).has(king)
            || !self.is_drop_pawn_mate(m.to())
    }

    /// Whether after a pseudo-legal move the mover's own king could be taken.
    #[inline]
    fn leaves_king_attacked(&self, m: Move) -> bool {
        let us = self.turn();
        let king = self.kings[us.index()];
        if king.is_none() {
            return false;
        }
        let checkers = self.checkers();
        if !m.is_drop() && m.from() == king {
            let occupied = self.occupied() ^ V::Bits::of(king);
            return self.is_attacked(us.opponent(), m.to(), occupied);
        }
        if checkers.any() {
            if checkers.many() {
                return true;
            }
            if !(V::between(king, checkers.first()) | checkers).has(m.to()) {
                return true;
            }
            if m.is_drop() {
                return false;
            }
        }
        !m.is_drop() && self.pinned().has(m.from()) && !V::line(king, m.from()).has(m.to())
    }

    /// Whether a pawn dropped on `to`, which must be in front of the enemy king and empty, mates.
    ///
    /// Drops cannot be answered by interposing (the pawn is adjacent), so only captures of the
    /// pawn and king steps remain to be looked at.
    pub(crate) fn is_drop_pawn_mate(&self, to: Square) -> bool {
        let us = self.turn();
        let them = us.opponent();
        let king = self.kings[them.index()];
        let occupied = self.occupied();
        let king_bit = V::Bits::of(king);
        // Captures by anything but the king, unless pinned off the line.
        let takers = self.attackers_of(them, to, occupied) & !king_bit;
        if takers.any() {
            let pinned = self.shields(us, king, them);
            let free = takers & !(pinned & !V::line(king, to));
            if free.any() {
                return false;
            }
        }
        // Steps of the king, with the pawn on the board and the king off its square.
        let occupied_after = (occupied | V::Bits::of(to)) ^ king_bit;
        let mut steps = V::reach(them, Kind::King, king) & !self.pieces(them);
        while steps.any() {
            let step = steps.pop();
            if !self.is_attacked(us, step, occupied_after) {
                return false;
            }
        }
        true
    }
}
