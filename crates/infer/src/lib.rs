//! Policy-value nets: which moves look good in a position, and who wins.
//!
//! A search fills a [`Batch`] with positions as the net sees them (packed planes) and the labels of
//! their legal moves, hands it to a [`Backend`] and gets it back with the answers. Every back-end
//! is behind that one trait, and so is everything put around one.
//!
//! Deliberately absent: trees, positions of the game, probabilities (a search makes them of the
//! logits, with its own temperature).

mod backend;
mod batch;
mod finished;
pub mod half;
pub mod native;
mod plain;
mod positions;
mod wrappers;

pub use backend::{Backend, Fault, Pace, Shape, Ticket};
pub use batch::{Batch, Value};
pub use finished::Finished;
pub use plain::{Hashed, Uniform};
pub use positions::random_positions;
pub use wrappers::{
    Cache, CacheUse, Check, Clock, Delay, Failing, Faulty, Record, Recording, RecordingError,
    Replay, Split, Tolerance,
};
