//! Conversations in lines, for who leads many at a time: nothing here waits, and nothing is made of what is said.
//!
//! A [`crate::Player`] answers one question after another and hides how; whoever has to know that a late answer
//! belongs to an old question, or speaks with an engine on another machine, leads the conversation line by line.
//! Both start, read and end a program in the same way.

mod inside;
mod program;

pub use inside::start_inside;
pub use program::start_program;

use std::sync::Arc;

/// Lines that may wait to be taken.
pub const WAITING: usize = 4096;

/// What happens in a conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LineEvent {
    /// The engine runs and can be spoken to.
    Started,
    /// It said a line.
    Line(String),
    /// It has ended, and how; the last that happens.
    Ended(String),
}

/// Where events go. It may hold up whoever calls it, so that an engine that floods is not read.
pub type LineSink = Arc<dyn Fn(LineEvent) + Send + Sync>;

/// A conversation. Dropped, it ends what it leads to.
pub trait LineLink: Send {
    /// Says a line, without waiting; `false` if the engine takes no more.
    fn send(&mut self, line: &str) -> bool;

    /// Whether the engine has ended.
    fn is_gone(&mut self) -> bool;
}
