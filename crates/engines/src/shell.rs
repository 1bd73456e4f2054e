//! An engine of this process that speaks USI: one conversation, line by line.
//!
//! | file | holds |
//! |---|---|
//! | [`session`] | what every command does, also at the wrong time |
//! | [`output`] | whole lines, one at a time, flushed |
//! | [`task`] | debug commands that take long, aside |
//! | `reports` | what a search reports, made into lines |
//! | `whole_line` | a whole line before every answer |
//! | [`input`] | lines as they come in, bounded, not trusted to be text |
//! | [`foreign_options`] | options of other engines that interfaces send |
//! | `log` | the conversation as a file |
//! | `keep_alive` | signs of life while something takes long |
//!
//! Deliberately absent: standard input and output. Lines come in with the moment they were
//! read; where they go is passed in.

pub mod foreign_options;
pub mod input;
mod keep_alive;
mod log;
pub mod output;
mod reports;
pub mod session;
pub mod task;
mod whole_line;

pub use foreign_options::shell_options;
pub use output::Output;
pub use session::{Next, Session, ShellSettings};
pub use task::Task;
