//! NNUE: integer nets with a wide sparse first layer that is updated by difference.
//!
//! A net is a feature set (crate `features`) and a [`Shape`]; transformer and layers are written
//! once for all of them. [`Nnue`] is the evaluator a search is built with: one type per feature
//! set, while widths are data of the net whose kernels were chosen when it was loaded. So a new
//! width needs no new code at all, and a new feature set is one index file and one line in
//! [`AnyNet`].
//!
//! What is here: reading and writing `nn.bin`, telling architectures apart, putting new nets
//! together from old ones, the accumulators of a thread with their cache. Deliberately absent:
//! training, search, vector instructions (crate `simd`).

mod any;
mod architecture;
mod cache;
mod evaluator;
mod file;
mod info;
mod kinds;
mod net;
mod noise;
mod packed;
mod surgery;

#[cfg(test)]
mod tests;

pub use any::{AnyNet, NetVisitor};
pub use architecture::{Architecture, FeatureKind, Hashes};
pub use evaluator::Nnue;
pub use file::{NetError, VERSION};
pub use info::{NetInfo, Spread};
pub use kinds::{KindVisitor, feature_kind, kind_name, visit_kind};
pub use net::{DEFAULT_FV_SCALE, Header, Net, Transformer, is_win_rate_scale};
pub use noise::Noise;
pub use simd::{Isa, Layers, Parameters, Shape};
pub use surgery::{Difference, SurgeryError};
