//! What bounds a search, as meant. How a protocol typed it is the protocol's business.

use crate::Moment;
use rules::{Color, Move};
use std::time::Duration;

/// The game clocks at the moment the search is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clocks {
    /// Time left, by colour, without byoyomi and without the increment of the move now due.
    pub time: [Duration; 2],
    /// Added for every move, by colour (Fischer).
    pub increment: [Duration; 2],
    /// For every move once the time is used up, the same for both.
    pub byoyomi: Duration,
}

impl Clocks {
    /// Time left to that colour, without byoyomi and increment.
    pub fn time(&self, color: Color) -> Duration {
        self.time[color.index()]
    }

    /// That colour's increment.
    pub fn increment(&self, color: Color) -> Duration {
        self.increment[color.index()]
    }
}

/// How long to look for a mate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MateLimit {
    /// Until stopped.
    Infinite,
    /// That long.
    Time(Duration),
}

/// What bounds one search. Whatever is `None` does not bound it; with nothing given the search
/// runs until it has nothing left to read or is stopped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// When the question was read: thinking time counts from here.
    pub start: Moment,
    /// The game clocks, if this is a move of a timed game.
    pub clocks: Option<Clocks>,
    /// Plies of the deepest iteration.
    pub depth: Option<u32>,
    /// Nodes, over all threads.
    pub nodes: Option<u64>,
    /// Time for this move, used up whatever the position is.
    pub movetime: Option<Duration>,
    /// Time for this move, drawn at random between this and twice this, to vary games.
    pub random_time: Option<Duration>,
    /// Answer only after stop.
    pub infinite: bool,
    /// The opponent is still to confirm the position: answer only after ponder hit or stop.
    pub ponder: bool,
    /// Look for a forced mate and answer with it, not with a move.
    pub mate: Option<MateLimit>,
    /// Consider only these moves at the root; all if empty. They are legal there.
    pub searchmoves: Vec<Move>,
}

impl Limits {
    /// To a depth and nothing else.
    pub fn to_depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }
}
