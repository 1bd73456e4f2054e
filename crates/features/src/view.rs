//! One player's view of the board: the arithmetic from pieces to feature numbers.

use crate::numbering::{ABSENT, Numbering};
use crate::sets::FeatureSet;
use rules::{Color, Kind, Piece, Square, Variant};

/// A perspective with the kings' part of the feature number already computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    perspective: Color,
    offset: u32,
    mirrored: bool,
}

impl View {
    /// The view of a player, for kings that stand there (Black's first). Evaluations are for positions
    /// with both kings; should one be missing all the same, it counts as one on square 0 of this view.
    #[inline]
    pub fn new<V: Variant, F: FeatureSet<V>>(
        perspective: Color,
        kings: [Option<Square>; 2],
    ) -> Self {
        let square = |color: Color| {
            let king = kings[color.index()];
            king.map_or(0, |sq| Numbering::of(V::GAME).orient(perspective, sq))
        };
        let king = square(perspective);
        let mut offset = F::offset(king);
        if F::BY_OTHER_KING {
            offset += F::other_offset(square(perspective.opponent()));
        }
        let mirrored = F::MIRRORED && king / V::SIZE > V::SIZE / 2;
        Self { perspective, offset: offset as u32, mirrored }
    }

    /// Whose view it is.
    #[inline]
    pub const fn perspective(self) -> Color {
        self.perspective
    }

    /// The feature of a piece on a square, not counting attacks; `None` for a king where the set
    /// has no feature for it, and for an empty square.
    #[inline]
    pub fn board<V: Variant, F: FeatureSet<V>>(self, piece: Piece, sq: Square) -> Option<u32> {
        let kind = piece.kind_index();
        if kind == 0 || !F::KINGS && kind == Kind::King.index() {
            return None;
        }
        Some(self.piece::<V, F>(piece, sq))
    }

    /// The feature of a piece known to have one.
    #[inline]
    pub(crate) fn piece<V: Variant, F: FeatureSet<V>>(self, piece: Piece, sq: Square) -> u32 {
        let sq = if F::MIRRORED && self.mirrored { sq.mirrored(V::GAME) } else { sq };
        self.offset + Numbering::of(V::GAME).board(self.perspective, piece, sq) as u32
    }

    /// The feature of the `copy`-th piece in a hand, by the number of its kind.
    #[inline]
    pub(crate) fn hand_index<V: Variant>(self, owner: Color, kind: usize, copy: usize) -> u32 {
        let number = Numbering::of(V::GAME).hand_index(self.perspective, owner, kind, copy);
        self.offset + number as u32
    }

    /// The feature of the `copy`-th piece of a kind in a hand.
    #[inline]
    pub fn hand<V: Variant>(self, owner: Color, kind: Kind, copy: usize) -> u32 {
        self.offset + Numbering::of(V::GAME).hand(self.perspective, owner, kind, copy) as u32
    }

    /// The feature of a piece that is not in the game (handicaps): once per missing piece.
    #[inline]
    pub const fn absent(self) -> u32 {
        self.offset + ABSENT as u32
    }
}
