//! What happens to a master, and what it wants done: values, so that a whole game with all its
//! faults can be played in virtual time.

use crate::journal::Entry;
use rules::{AnyPosition, Move};
use think::OptionSpec;

/// A child from one start to its end: what an earlier incarnation still says is for nobody.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Incarnation {
    /// Its place in the configuration.
    pub child: usize,
    /// From 1; 0 before the first start.
    pub number: u32,
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A line from the interface.
    Gui(String),
    /// The interface has gone.
    GuiClosed,
    /// A child runs and can be spoken to.
    Started(Incarnation),
    /// A line from a child.
    Line(Incarnation, String),
    /// A child has ended, or cannot be reached, and why.
    Lost(Incarnation, String),
    /// What came of [`Action::Verify`].
    Verified {
        number: u64,
        /// Whether the move begins a forced mate.
        mates: bool,
    },
    /// The moment that [`crate::Master::wake`] named has come.
    Time,
}

/// What is to be done.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Say a line to the interface.
    Up(String),
    /// Say a line to a child.
    Send(Incarnation, String),
    /// Start a child; answered with [`Event::Started`] or [`Event::Lost`].
    Start(Incarnation),
    /// End a child; nothing it says matters any more.
    End(Incarnation),
    /// Find out whether a move begins a forced mate; answered with [`Event::Verified`].
    Verify { number: u64, position: Box<AnyPosition>, first: Move },
    /// Remember what a child declares, for the next time.
    Know { child: usize, options: Vec<OptionSpec> },
    /// Write down what a child did or what was decided.
    Log(Entry),
    /// End the program.
    Quit,
}
