//! Generations of learning: where their files lie, what was done, and the ledger that tells it.
//!
//! | file | holds |
//! |---|---|
//! | [`ledger`] | the entry of a generation, as `nue learn` writes it and the ledger page shows it |
//! | `folder` | the folder of a line of generations, and which comes next |
//! | `steps` | self-play, division, training and gate of one generation |
//! | `selfplay` | games of our own engine against itself, for a teacher file |
//! | `commands` | steps as command lines that repeat them |
//! | `external` | programs that end with us: the trainer in PyTorch is one |
//! | `observer` | whoever looks on |
//! | `gate` | the match that decides |
//! | `repro` | an entry made again, and whether it is the same net |
//! | `history` | the steps of a generation, over all the runs it took |
//! | [`reading`] | all of that as whoever looks on sees it |
//! | [`losses`] | what a training log says |
//! | `shape` | architectures as the trainer in PyTorch wants them |
//!
//! All but what only reads is there with feature `generations` only, so that tools which read need no
//! engine. Deliberately absent: printing; and running our own executable, but for `repro`, which repeats
//! commands as they were written down.

pub mod ledger;
pub mod losses;
pub mod reading;

#[cfg(feature = "generations")]
pub mod commands;
#[cfg(feature = "generations")]
mod error;
#[cfg(feature = "generations")]
pub mod external;
#[cfg(feature = "generations")]
pub mod folder;
#[cfg(feature = "generations")]
pub mod gate;
#[cfg(feature = "generations")]
pub mod history;
#[cfg(feature = "generations")]
pub mod observer;
#[cfg(feature = "generations")]
pub mod repro;
#[cfg(feature = "generations")]
pub mod selfplay;
#[cfg(feature = "generations")]
pub mod shape;
#[cfg(feature = "generations")]
pub mod steps;

#[cfg(feature = "generations")]
pub use error::LabError;
#[cfg(feature = "generations")]
pub use external::ENDS_WITH_INPUT;
