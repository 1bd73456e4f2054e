//! Teacher files, from games as they were played to batches that are learned from.
//!
//! What is here: files of every format as one stream of games or positions ([`Inputs`]); one sieve
//! that says which positions train ([`Sieve`]); the commands of `nue data`, each a request and a
//! function ([`convert`], [`filter`], [`shuffle`], …) whose result appears whole or not at all;
//! batches for every trainer ([`batches`]), as features in a pipe too ([`stream`]).
//!
//! Every function reads its input as a stream and in bounded memory, and tells how far it is by
//! calling the [`Watch`] it was given. Results depend on input and seed, never on threads.
//!
//! Deliberately absent: printing, flags, clocks, training, and playing games (room `arena`).

pub mod batches;
mod blocks;
mod buckets;
pub mod calibration;
pub mod choices;
pub mod convert;
mod counts;
pub mod dedup;
mod error;
pub mod filter;
mod format;
pub mod head;
pub mod merge;
mod output;
mod partial;
mod progress;
mod read;
mod record;
pub mod rescore;
mod scorer;
pub mod shuffle;
mod sieve;
mod source;
pub mod split;
pub mod stats;
pub mod stream;
mod workers;

pub use counts::Counts;
pub use error::Error;
pub use format::Format;
pub use kifu::Damaged;
pub use output::Target;
pub use progress::{Progress, Watch};
pub use scorer::Limit;
pub use sieve::{LeftOut, Sieve};
pub use source::{Inputs, Source};
