//! Books of any format, read through and written.
//!
//! Reading and writing meet in parts: [`Source`] takes the file apart on several threads, and whoever took a part apart makes it
//! ready for [`Target`] too. What is left for one thread is to hand parts on, in order.

mod source;
mod target;
#[cfg(test)]
mod tests;

pub(crate) use source::first_bytes;
pub use source::{ReadOptions, Source};
pub use target::{Prepared, Preparer, Target, Written, write_native};

/// Memory for sorting unless told otherwise.
pub const USUAL_MEMORY: usize = 512 << 20;
