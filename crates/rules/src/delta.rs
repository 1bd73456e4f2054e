//! What a move changed, for whoever keeps something in step with the board.

use crate::{Color, Piece, Square};

/// The difference [`crate::Position::play`] made: at most two pieces leave the board, one is
/// placed, one hand changes by one piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delta {
    pub color: Color,
    /// Where the piece came from; [`Square::NONE`] for a drop.
    pub from: Square,
    /// Where it went.
    pub to: Square,
    /// What left `from`; [`Piece::NONE`] for a drop.
    pub lifted: Piece,
    /// What stands on `to` now.
    pub placed: Piece,
    /// What stood on `to` before; [`Piece::NONE`] if nothing did.
    pub captured: Piece,
    /// After a capture the mover holds this many of the captured kind; before a drop it held this
    /// many of the dropped kind. Either way the hand piece with this ordinal (from 1) came or
    /// went. 0 if the hand did not change.
    pub copy: u8,
}
