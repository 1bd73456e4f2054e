//! Training of evaluations on the CPU.
//!
//! What is here: nets in real numbers and their files ([`FloatNet`]); the objective and its
//! losses; the seam for anything that learns ([`Model`]; its module says how to add one).
//!
//! Deliberately absent: making teacher data, printing, clocks, and any other machine than the
//! processor's cores.

mod floatnet;
mod kinds;
pub mod model;
mod net;
mod objective;
mod optimiser;
mod random;
mod workers;

pub use floatnet::{Clipped, FloatNet, FloatNetError, Quantised};
pub use kinds::{KindVisitor, feature_kind, kind_name, visit_kind};
pub use model::{Encoder, Model};
pub use net::{NetModel, NetOptions};
pub use objective::{Label, Losses, MeanLosses, Objective};
pub use optimiser::{Optimiser, Step};
pub use random::Random;
pub use workers::{Workers, shares};
