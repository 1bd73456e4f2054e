//! The weights in memory.

use super::kings::KINGS;
use features::Numbering;
use rules::Game;
use simd::AlignedVec;

/// The weights of [`crate::Kkppt`]. Values come in pairs (board, tempo), the board value for the
/// one whose view it is.
#[derive(Clone, Debug, PartialEq)]
pub struct KkpptTables {
    /// Whatever their maker wants to say about them.
    pub description: String,
    /// `[place of the kings]`.
    pub kk: Vec<[i32; 2]>,
    /// `[place of the kings][piece]`.
    pub kkp: Vec<[i32; 2]>,
    /// `[place of the kings][piece][piece][2]`, the same both ways round.
    kkpp: AlignedVec<i16>,
}

impl KkpptTables {
    /// Pieces of the numbering: the size of a row.
    pub const PIECES: usize = Numbering::of(Game::Minishogi).end();
    /// Pairs of pieces, each once; a piece can meet its like (pieces not in the game do).
    pub const PAIRS: usize = Self::PIECES * (Self::PIECES + 1) / 2;

    /// All zero: an evaluation by material alone. Memory is taken only where it is written to.
    pub fn zeroed() -> Self {
        Self {
            description: String::new(),
            kk: vec![[0; 2]; KINGS],
            kkp: vec![[0; 2]; KINGS * Self::PIECES],
            kkpp: AlignedVec::zeroed(KINGS * Self::PIECES * Self::PIECES * 2),
        }
    }

    /// The row of the kings' place and a piece.
    #[inline]
    pub(super) fn row(&self, place: usize, piece: usize) -> &[i16] {
        let width = 2 * Self::PIECES;
        &self.kkpp[(place * Self::PIECES + piece) * width..][..width]
    }

    /// The entry of two pieces.
    #[inline]
    pub fn kkpp(&self, place: usize, a: usize, b: usize) -> [i16; 2] {
        let row = self.row(place, a);
        [row[2 * b], row[2 * b + 1]]
    }

    /// Sets the entry of two pieces, both ways round.
    pub fn set_kkpp(&mut self, place: usize, a: usize, b: usize, value: [i16; 2]) {
        for (a, b) in [(a, b), (b, a)] {
            let at = ((place * Self::PIECES + a) * Self::PIECES + b) * 2;
            self.kkpp[at..][..2].copy_from_slice(&value);
        }
    }

    /// All entries of two pieces, each once, with their place of the kings and their pieces, the
    /// larger number first.
    pub fn pairs(&self) -> impl Iterator<Item = ([usize; 3], [i16; 2])> {
        let rows = (0..KINGS).flat_map(|place| (0..Self::PIECES).map(move |a| (place, a)));
        rows.flat_map(move |(place, a)| {
            let row = self.row(place, a).chunks_exact(2).take(a + 1);
            row.enumerate().map(move |(b, pair)| ([place, a, b], [pair[0], pair[1]]))
        })
    }

    /// The entry of one piece.
    #[inline]
    pub fn kkp(&self, place: usize, piece: usize) -> [i32; 2] {
        self.kkp[place * Self::PIECES + piece]
    }
}
