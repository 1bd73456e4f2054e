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

mod beside;
mod leaf;
mod numbers;
mod pool;
mod rows;
mod selection;
mod units;
mod workers;

pub use numbers::{Numbers, Row, RowMut};
pub use pool::{Batcher, Given, Take};
pub use rows::{Rows, first_rows};
pub use selection::{Selection, SelectionCounts};
pub use units::{Played, Units};

use rules::{Color, Move, Position, Variant};
use std::any::Any;
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

/// A position of whichever game.
#[derive(Clone, Copy)]
pub struct PositionRef<'a>(&'a dyn Any);

impl<'a> PositionRef<'a> {
    /// Of a position.
    pub fn of<V: Variant>(position: &'a Position<V>) -> Self {
        Self(position)
    }

    /// The position, if it is one of that game.
    pub fn get<V: Variant>(self) -> Option<&'a Position<V>> {
        self.0.downcast_ref()
    }
}

/// What a batch is given out as: its encoder fills what its reader wants. The memory is used again.
#[derive(Clone, Default, Debug)]
pub struct Batch {
    /// As it is sent to another program.
    pub frame: Vec<u8>,
    /// The rows, one after another.
    pub words: Vec<u32>,
    pub labels: Vec<Label>,
}

/// Turns positions into rows of numbers, and rows into batches.
///
/// Neither the game nor the numbers are in its type: the way from files to batches is compiled here,
/// once, and not for every encoder where it is used.
pub trait Encoder: Sync {
    /// How many numbers a position becomes.
    fn width(&self) -> usize;

    /// No rows yet, of the numbers that it writes.
    fn numbers(&self) -> Numbers;

    /// Writes the row of a position, or of the same position mirrored left to right. `false`: a
    /// position that cannot be seen (a king is missing, …); it is left out.
    fn encode(&self, position: PositionRef<'_>, mirrored: bool, row: RowMut<'_>) -> bool;

    /// Adds what is known about the moves of the position to its row. Most learn nothing from it.
    fn teach(&self, _turn: Color, _moves: &Moves<'_>, _row: RowMut<'_>) {}

    /// Puts a batch together.
    fn gather(&self, rows: &Given<'_>, batch: &mut Batch);
}
