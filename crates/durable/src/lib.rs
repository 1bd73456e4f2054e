//! Files that survive a kill, a full disk and a second run of the same command.
//!
//! | file | holds |
//! |---|---|
//! | [`Draft`] | a file that appears whole or not at all |
//! | [`Journal`] | lines of JSON appended as things happen, read again to resume |
//! | [`Resumable`] | a long output that grows beside its final place and can be resumed |
//! | [`Lock`] | keeps a second process away from a file |
//!
//! Deliberately absent: any knowledge of what is written, and any waiting. A lock that is held is
//! an error at once.

mod draft;
mod journal;
mod lock;
mod name;
mod resumable;

pub use draft::{Draft, place, write_whole};
pub use journal::{Held, Journal, JournalError};
pub use lock::{InUse, Lock};
pub use name::{numbered, path_value, split_at_equals};
pub use resumable::{Mode, Opened, Resumable, ResumableError};
