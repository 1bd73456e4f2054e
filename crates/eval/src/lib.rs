//! Static evaluation: the trait every evaluation implements, and the classic ones.
//!
//! [`Evaluator`] is the plug between a search and an evaluation; [`Material`] counts pieces;
//! [`Kppt`] and [`KppKkpt`] are the linear three-piece evaluations with the ecosystem's files;
//! [`Kkppt`] is the linear four-piece evaluation of 5×5. [`AnyEvaluator`] is any of them, chosen at
//! run time.
//! Nets live in crate `nnue`.
//!
//! Deliberately absent: search, mate scores, draw values, any conversion to centipawns. A value
//! is an integer in the field's customary unit (a pawn is about 90) from the view of the side
//! to move, never beyond ±[`MAX_VALUE`].

mod any;
mod evaluator;
mod kkppt;
mod material;
mod roster;
mod three_piece;

pub use any::{AnyEvaluator, AnyWeights};
pub use evaluator::{Evaluator, MAX_VALUE};
pub use kkppt::{
    KINGS, KKPPT_FILE, KKPPT_MAGIC, KingView, Kkppt, KkpptError, KkpptTables, king_view,
    stabilisers,
};
pub use material::{Material, PIECE_VALUES, material};
pub use three_piece::{FILES, KppKkpt, Kppt, Tables, TablesError, ThreePiece};
