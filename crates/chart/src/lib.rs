//! Small charts for reports: curves and points in a frame as SVG, bars as text,
//! numbers in groups of three digits.
//!
//! Deliberately absent: files, colours by theme, anything a plotting library is for. Two hundred
//! lines replace one that would bring fonts and image formats into the build.

mod bars;
mod frame;
mod number;

pub use bars::{Bar, bars};
pub use frame::{Axis, Frame, Line, Side, escape};
pub use number::grouped;
