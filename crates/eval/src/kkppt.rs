//! KKPPT: the linear evaluation of both kings and two pieces, for 5×5.
//!
//! Every pair of pieces has a board value and a tempo value for each place of the two kings, as
//! in the published 5×5 program; pieces alone and the kings alone have one too. What is mirrored
//! left to right is the same, and what is turned by 180 degrees is the same for the other
//! player, so 128 places of the kings stand for all 456 ([`kings`]).

mod evaluator;
mod file;
mod kings;
mod tables;

#[cfg(test)]
mod tests;

pub use evaluator::Kkppt;
pub use file::{KKPPT_FILE, KKPPT_MAGIC, KkpptError};
pub use kings::{KINGS, KingView, king_view, stabilisers};
pub use tables::KkpptTables;

/// Table values per unit of evaluation.
const FV_SCALE: i32 = 32;
