//! Which moves give check, without playing them.

use crate::bits::Bits;
use crate::position::Position;
use crate::{Kind, Move, Piece, Square, Variant};

/// Everything about a position that decides whether a move gives check; computed once and asked
/// for many moves.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo<V: Variant> {
    /// The enemy king; `Square::NONE` if it is not on the board.
    king: Square,
    /// From where a piece of each kind, by kind number, attacks the enemy king.
    squares: [V::Bits; 16],
    /// Own pieces whose leaving uncovers a check.
    discoverers: V::Bits,
}

impl<V: Variant> CheckInfo<V> {
    /// From where a piece of that kind would give check.
    #[inline]
    pub fn squares(&self, kind: Kind) -> V::Bits {
        self.squares[kind.index()]
    }

    /// Own pieces whose leaving their line uncovers a check.
    #[inline]
    pub fn discoverers(&self) -> V::Bits {
        self.discoverers
    }

    /// Where a piece from `from`, standing there as `kind`, gives check, directly or by
    /// uncovering.
    #[inline]
    pub(crate) fn checking_targets(&self, from: Square, kind: Kind) -> V::Bits {
        let direct = self.squares[kind.index()];
        if self.discoverers.has(from) { direct | !V::line(self.king, from) } else { direct }
    }
}

impl<V: Variant> Position<V> {
    /// What decides whether moves of the side to move give check.
    pub fn check_info(&self) -> CheckInfo<V> {
        let us = self.turn();
        let them = us.opponent();
        let king = self.kings[them.index()];
        let mut info =
            CheckInfo { king, squares: [V::Bits::EMPTY; 16], discoverers: V::Bits::EMPTY };
        if king.is_none() {
            return info;
        }
        let occupied = self.occupied();
        // A piece attacks the king from where the same piece of the other colour, standing on the
        // king's square, would attack.
        let s = &mut info.squares;
        let near = V::reach(them, Kind::King, king);
        s[Kind::Pawn.index()] = V::reach(them, Kind::Pawn, king);
        s[Kind::Knight.index()] = V::reach(them, Kind::Knight, king);
        s[Kind::Silver.index()] = V::reach(them, Kind::Silver, king);
        s[Kind::Bishop.index()] = V::bishop_attacks(king, occupied);
        s[Kind::Rook.index()] = V::rook_attacks(king, occupied);
        s[Kind::Lance.index()] = s[Kind::Rook.index()] & V::reach(them, Kind::Lance, king);
        let gold = V::reach(them, Kind::Gold, king);
        for kind in [Kind::Gold, Kind::ProPawn, Kind::ProLance, Kind::ProKnight, Kind::ProSilver] {
            s[kind.index()] = gold;
        }
        s[Kind::Horse.index()] = s[Kind::Bishop.index()] | near;
        s[Kind::Dragon.index()] = s[Kind::Rook.index()] | near;
        info.discoverers = self.shields(us, king, us);
        info
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, m: Move) -> bool {
        self.gives_check_with(m, &self.check_info())
    }

    /// Whether a legal move gives check, with the position's [`CheckInfo`] at hand.
    #[inline]
    pub fn gives_check_with(&self, m: Move, info: &CheckInfo<V>) -> bool {
        self.gives_check_as(m, self.moved_piece(m), info)
    }

    /// The same where the piece is known as it stands after the move (see [`Position::moved_piece`]).
    #[inline]
    pub fn gives_check_as(&self, m: Move, moved: Piece, info: &CheckInfo<V>) -> bool {
        if info.squares[moved.kind_index()].has(m.to()) {
            return true;
        }
        // `squares` is computed with the piece still where it came from. That hides nothing: a
        // slider between the king and a farther square of the same line gives check already.
        !m.is_drop() && info.discoverers.has(m.from()) && !V::line(info.king, m.from()).has(m.to())
    }
}
