//! Batches to learn from: the one way from teacher files to a trainer, whatever it learns and
//! wherever it runs.
//!
//! Input is cut into units (a block of games, a few thousand records). An epoch takes the units in
//! an order of its own, decodes them, leaves out what does not train, mirrors a random half,
//! encodes the rest, gathers it in a pool, and gives the pool out in random order. Order and
//! content depend on input, seed, epoch, pool and batch, never on threads.
//!
//! What a position becomes is the consumer's business: it brings an [`Encoder`]. The CPU trainer's
//! are in room `trainer`; that of `nue data stream` is beside this.

mod leaf;
mod pool;
mod rows;
mod selection;
mod units;
mod workers;

pub use pool::{Batcher, Given};
pub use rows::{Rows, first_rows};
pub use selection::{Selection, SelectionCounts};
pub use units::{Played, Units};

use rules::{Color, Move, Position, Variant};
use teacher::Candidate;

/// What is known about a position besides itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    /// The teacher's score for the side to move.
    pub score: i16,
    /// For the side to move: 1 won, 0 drawn, −1 lost; `None` if not known.
    pub result: Option<i8>,
    /// The move number; at most 65,535.
    pub ply: u16,
    /// The side to move.
    pub turn: Color,
}

impl Label {
    /// Of a position that could be anywhere in a game: a score and a result for the side to move.
    pub const fn new(score: i16, result: Option<i8>) -> Self {
        Self { score, result, ply: 0, turn: Color::Black }
    }
}

/// What is known about the moves of a position.
#[derive(Clone, Copy, Debug)]
pub struct Moves<'a> {
    /// The move played, or the best one where positions alone are kept.
    pub played: Option<Move>,
    /// Moves a tree search tried.
    pub candidates: &'a [Candidate],
}

/// Turns positions into rows of numbers, and rows into batches.
pub trait Encoder<V: Variant>: Sync {
    /// A number of a row.
    type Word: Copy + Default + Send + Sync;
    /// What a batch is given out as. Its memory is used again.
    type Batch: Default + Send;

    /// How many numbers a position becomes.
    fn width(&self) -> usize;

    /// Writes the row of a position, or of the same position mirrored left to right. `false`: a
    /// position that cannot be seen (a king is missing, …); it is left out.
    fn encode(&self, position: &Position<V>, mirrored: bool, row: &mut [Self::Word]) -> bool;

    /// Adds what is known about the moves of the position to its row. Most learn nothing from it.
    fn teach(&self, _turn: Color, _moves: &Moves<'_>, _row: &mut [Self::Word]) {}

    /// Puts a batch together.
    fn gather(&self, rows: &Given<'_, Self::Word>, batch: &mut Self::Batch);
}
