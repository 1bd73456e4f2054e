//! The three tables in memory, laid out as in their files.

use features::Numbering;
use rules::Variant;
use simd::AlignedVec;
use std::marker::PhantomData;

/// The weights of a three-piece evaluation of game `V`. Values come in pairs (board, tempo);
/// in the large table only if `TEMPO`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables<V, const TEMPO: bool> {
    /// `[black king][white king][2]`.
    pub kk: AlignedVec<i32>,
    /// `[black king][white king][piece][2]`, pieces in Black's view.
    pub kkp: AlignedVec<i32>,
    /// `[own king][piece][piece]`, with a last index of 2 if `TEMPO`; symmetric in the pieces.
    /// Two more elements at the end let kernels load in pairs.
    pub kpp: AlignedVec<i16>,
    game: PhantomData<V>,
}

impl<V: Variant, const TEMPO: bool> Tables<V, TEMPO> {
    /// Pieces of the numbering: the size of a row.
    pub const PIECES: usize = Numbering::of(V::GAME).end();
    /// Values of an entry of the large table.
    pub const WIDTH: usize = if TEMPO { 2 } else { 1 };
    /// Elements of `kk`.
    pub const KK: usize = V::SQUARES * V::SQUARES * 2;
    /// Elements of `kkp`.
    pub const KKP: usize = Self::KK * Self::PIECES;
    /// Elements of `kpp`, without the two at the end.
    pub const KPP: usize = V::SQUARES * Self::PIECES * Self::PIECES * Self::WIDTH;

    /// All zero: an evaluation by material alone. Memory is taken only where it is written to.
    pub fn zeroed() -> Self {
        Self {
            kk: AlignedVec::zeroed(Self::KK),
            kkp: AlignedVec::zeroed(Self::KKP),
            kpp: AlignedVec::zeroed(Self::KPP + 2),
            game: PhantomData,
        }
    }

    /// The row of a king and a piece, and one entry more.
    #[inline]
    pub(crate) fn row(&self, king: usize, piece: usize) -> &[i16] {
        let start = (king * Self::PIECES + piece) * Self::PIECES * Self::WIDTH;
        &self.kpp[start..][..Self::PIECES * Self::WIDTH + 1]
    }

    /// One entry of the large table.
    #[inline]
    pub fn kpp(&self, king: usize, a: usize, b: usize) -> [i32; 2] {
        let row = self.row(king, a);
        if TEMPO {
            [i32::from(row[2 * b]), i32::from(row[2 * b + 1])]
        } else {
            [i32::from(row[b]), 0]
        }
    }

    /// One entry of the two kings' table.
    #[inline]
    pub fn kk(&self, black: usize, white: usize) -> [i32; 2] {
        let at = (black * V::SQUARES + white) * 2;
        [self.kk[at], self.kk[at + 1]]
    }

    /// One entry of the table of two kings and a piece.
    #[inline]
    pub fn kkp(&self, black: usize, white: usize, piece: usize) -> [i32; 2] {
        let at = ((black * V::SQUARES + white) * Self::PIECES + piece) * 2;
        [self.kkp[at], self.kkp[at + 1]]
    }
}
