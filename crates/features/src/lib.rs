//! Feature indices of evaluations: which inputs a position switches on, and which of them a
//! move changes.
//!
//! What policy-value nets see and say is here too: [`Planes`] and [`Labels`].
//!
//! The numbering of pieces ([`Numbering`], the field's BonaPiece table) and every feature set
//! ([`FeatureSet`]) are defined here once; engine and trainer use the same functions.
//!
//! Deliberately absent: weights, arithmetic, files.

mod changes;
mod effects;
mod labels;
mod list;
mod numbering;
mod planes;
mod sets;
mod view;

#[cfg(test)]
mod tests;

pub use changes::{Changes, active, changed, missing};
pub use effects::Effects;
pub use labels::Labels;
pub use list::List;
pub use numbering::Numbering;
pub use planes::{Planes, Segment};
pub use sets::{FeatureSet, HalfKp, HalfKpE9, HalfKpKrank, KP, KPHm};
pub use view::View;
