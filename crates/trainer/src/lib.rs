//! Training of evaluations on the CPU.
//!
//! What is here: nets in real numbers and their files ([`FloatNet`]).
//!
//! Deliberately absent: making teacher data, printing, clocks, and any other machine than the
//! processor's cores.

mod floatnet;
mod kinds;

pub use floatnet::{Clipped, FloatNet, FloatNetError, Quantised};
pub use kinds::{KindVisitor, feature_kind, kind_name, visit_kind};
