//! The linear evaluations of two kings and one piece, and of one king and two pieces.
//!
//! KPPT gives every such relation a board value and a tempo value; KPP_KKPT leaves the tempo
//! value of king-piece-piece out. Both are the same code: the type parameter `TEMPO` says
//! whether the large table has pairs.

mod evaluator;
mod file;
mod tables;

#[cfg(test)]
mod tests;

pub use evaluator::ThreePiece;
pub use file::{FILES, TablesError};
pub use tables::Tables;

/// Three-piece evaluation with tempo in all tables.
pub type Kppt<V> = ThreePiece<V, true>;
/// Three-piece evaluation without tempo in the large table.
pub type KppKkpt<V> = ThreePiece<V, false>;

/// Table values per unit of evaluation.
const FV_SCALE: i32 = 32;
