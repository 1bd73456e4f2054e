//! The rules of shogi (9×9) and minishogi (5×5).
//!
//! What is here: positions, legal moves, checks, pins, exchanges, repetition, declaration, start
//! positions, SFEN, perft. What is deliberately absent: evaluation, search, protocols, files,
//! time, and any dependency.
//!
//! Both games share one code through the sealed trait [`Variant`]. The vocabulary ([`Color`],
//! [`Kind`], [`Piece`], [`Square`], [`Move`], [`Hand`]) is not generic: it is the superset of
//! both games. Above the hot code a position is an [`AnyPosition`].

mod any;
mod bits;
mod checks;
mod color;
mod declaration;
mod delta;
mod game;
mod geometry;
mod hand;
mod handicap;
mod legality;
mod movegen;
mod moves;
mod perft;
mod piece;
mod placement;
mod play;
mod position;
mod repetition;
mod see;
mod sfen;
mod sliding;
mod square;
mod variant;
mod zobrist;

pub use any::AnyPosition;
pub use bits::{Bits, Bits25, Bits81};
pub use checks::CheckInfo;
pub use color::Color;
pub use declaration::{Declaration, DeclarationCount, UnknownDeclaration};
pub use delta::Delta;
pub use game::{Game, UnknownGame};
pub use geometry::RingAttackers;
pub use hand::Hand;
pub use handicap::{Handicap, UnknownHandicap, start_sfen};
pub use legality::MoveError;
pub use movegen::Gen;
pub use moves::{Move, MoveList};
pub use perft::{DEEPEST_PERFT, divide, perft, perft_while};
pub use piece::{Kind, Piece};
pub use position::Position;
pub use repetition::{GameRepetition, Recurrence};
pub use see::PieceValues;
pub use sfen::{Kings, SfenError};
pub use square::Square;
pub use variant::{Minishogi, PerSquare, Shogi, Variant};
