//! What is put around back-ends, each a back-end itself.

mod cache;
mod check;
mod delay;
mod faulty;
mod record;
mod relay;
mod split;

#[cfg(test)]
mod tests;

pub use cache::{Cache, CacheUse};
pub use check::{Check, Tolerance};
pub use delay::{Clock, Delay};
pub use faulty::{Failing, Faulty};
pub use record::{Record, Recording, RecordingError, Replay};
pub use split::Split;
