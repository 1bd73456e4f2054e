//! What a game needs from whoever plays it.

use crate::fault::{Fault, Halt};
use rules::{AnyPosition, Game};
use std::time::Duration;
use think::{Answer, Info};
use usi::{GameResult, Go};

/// A question to a player.
#[derive(Clone, Debug)]
pub struct Turn<'a> {
    /// The position, with its history.
    pub position: &'a AnyPosition,
    /// The same as engines are told: a line `position …`.
    pub line: &'a str,
    /// What bounds the answer, as engines are told.
    pub go: Go,
    /// When the time is over; `None` if nothing is timed.
    pub allowed: Option<Duration>,
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thought {
    /// What to do.
    pub answer: Answer,
    /// Time from the question's arrival at the player to the answer's departure, as near as can
    /// be measured.
    pub time: Duration,
    /// The last line of thought, seen by the side to move.
    pub info: Option<Info>,
    /// Time the answer lay unread: the runner's own delay, charged to nobody.
    pub lag: Duration,
    /// Where the answer came after the time allowed: how much of that time the player waited for a
    /// processor of a machine too busy, as far as that is known.
    pub starved: Duration,
}

/// Somebody who plays games, one after another.
pub trait Player: Send {
    /// A game begins. May take long; costs the player no time on the clock.
    fn prepare(&mut self, game: Game) -> Result<(), Halt>;

    /// Its move.
    fn think(&mut self, turn: &Turn<'_>) -> Result<Thought, Halt>;

    /// The opponent's move, on whose time a player that ponders thinks about the reply it expects.
    /// `go` says how its own clock stands. Returns at once.
    fn ponder(&mut self, _go: &Go) -> Result<(), Halt> {
        Ok(())
    }

    /// The game is over, for this player with that result. After its own fault the player must
    /// make sure that the next game can begin.
    fn finish(&mut self, result: Option<GameResult>, fault: Option<&Fault>);
}
