//! Opening books: what is known of positions before anybody thinks about them.
//!
//! | file | holds |
//! |---|---|
//! | `model` | positions without move numbers, moves with values, counts and sources |
//! | [`native`] | our own format: sorted, in blocks with checksums |
//! | [`db`], `db_file` | YaneuraOu's text, read through or searched where it lies |
//! | [`ybb`], [`apery`], [`sbk`] | the binary formats of the field |
//! | `parallel` | work on several threads, taken in order |
//! | `runs`, `combine` | sorting what does not fit into memory, and making one entry of two |
//! | [`files`] | books of any format, read through and written |
//! | `library` | books of any format, probed, several over each other |
//! | [`choice`] | which move is played, and for every other one why not |
//! | [`view()`] | the same for a page: every move, its numbers, why it is refused |
//! | [`small`] | the books inside the executable |
//! | [`minimax`] | values carried from the ends of lines to their beginnings |
//!
//! Deliberately absent: searching, records of games, and what to do with a book (room `bookwork`).

pub mod apery;
mod bytes;
pub mod choice;
mod codec;
mod combine;
pub mod db;
mod db_file;
mod error;
pub mod files;
mod format;
mod library;
mod losses;
pub mod minimax;
mod model;
pub mod native;
mod parallel;
mod runs;
#[cfg(test)]
mod sample;
pub mod sbk;
pub mod small;
mod table;
mod view;
pub mod ybb;

pub use apery::AperyBook;
pub use bytes::ReadAt;
pub use combine::Combine;
pub use db_file::DbFile;
pub use error::BookError;
pub use files::{Prepared, Preparer, ReadOptions, Source, Target, Written};
pub use format::{Format, UnknownFormat};
pub use library::{Book, Found, Library, overlays};
pub use losses::{Losses, Problems};
pub use model::{
    BookMove, Entry, Header, Key, is_pointless_non_promotion, key_of, position_of, rotated,
};
pub use native::NativeBook;
pub use sbk::SbkBook;
pub use view::{BookView, MoveView, view};
pub use ybb::YbbBook;
