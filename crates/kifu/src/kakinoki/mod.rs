//! KIF and KI2, the formats of Kakinoki Shogi: headers, board diagrams, moves in Japanese.
//!
//! Both share everything but the move lines (`1 ７六歩(77)` against `▲７六歩`), so one reader
//! takes both, even mixed.

mod board;
mod head;
mod ki2;
mod kif;
mod read;
mod split;
mod words;

pub(crate) use ki2::write as write_ki2;
pub(crate) use kif::write as write_kif;
pub(crate) use read::read;
pub(crate) use split::split;
