//! What whoever plays must be able to do.

use crate::fault::{EngineFault, PlayerError};
use crate::handle::SearchHandle;
use crate::line::GameLine;
use rules::{Game, Move};
use std::time::Duration;
use think::{Answer, Info, MateAnswer, OptionSpec};
use usi::{GameResult, Go};

/// How long an answer is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Allowed {
    /// So long; then the engine is told to stop, and counts as hung after
    /// [`stall`](crate::PlayerSettings::stall) more. An answer in between is given as it is.
    Within(Duration),
    /// Something other than time bounds the search: it counts as hung if it takes longer than
    /// [`stall`](crate::PlayerSettings::stall).
    #[default]
    Untimed,
    /// Until [`SearchHandle::stop`], however long that takes; from then on as above.
    UntilStopped,
}

/// A question to a player.
#[derive(Clone, Debug)]
pub struct SearchRequest<'a> {
    /// The position, with the moves that led to it.
    pub game: &'a GameLine,
    /// What bounds the search, as engines are told ([`Go::of`] makes it of limits).
    pub go: Go,
    /// How long the answer is waited for.
    pub allowed: Allowed,
    /// To stop it from elsewhere.
    pub handle: SearchHandle,
}

impl<'a> SearchRequest<'a> {
    /// A question nobody will interrupt.
    pub fn new(game: &'a GameLine, go: Go, allowed: Allowed) -> Self {
        Self { game, go, allowed, handle: SearchHandle::new() }
    }

    /// The time after which an answer is late.
    pub fn limit(&self) -> Option<Duration> {
        match self.allowed {
            Allowed::Within(time) => Some(time),
            Allowed::Untimed | Allowed::UntilStopped => None,
        }
    }
}

/// What a player answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// What to do; a move is legal.
    pub answer: Answer,
    /// The reply expected, legal after the answer.
    pub ponder: Option<Move>,
    /// Time from the question's arrival at the player to the answer's departure, as near as can
    /// be measured.
    pub time: Duration,
    /// The last line of thought with a score, seen by the side to move.
    pub info: Option<Info>,
    /// Time the answer lay unread: our own delay, charged to nobody.
    pub lag: Duration,
    /// Where the answer came after the time allowed: how much of that time the player waited for a
    /// processor of a machine too busy, as far as that is known.
    pub starved: Duration,
}

/// How a game ended, for one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion<'a> {
    /// With that result, if it has one.
    Over(Option<GameResult>),
    /// Lost by the player's own fault.
    OwnFault(&'a EngineFault),
    /// Broken off in the middle of whatever the player was doing.
    Abandoned,
}

/// Called with every line of thought, on the thread that asked.
pub type Listener<'a> = &'a mut dyn FnMut(&Info);

/// Somebody who plays games, one after another. Calls block unless said otherwise.
pub trait Player: Send {
    /// A game begins: starts what is not running, sets options, waits until everything is loaded.
    /// `note` is told what is worth telling.
    fn prepare(&mut self, game: Game, note: &mut dyn FnMut(&str)) -> Result<(), PlayerError>;

    /// What it declared when it was last prepared.
    fn options(&self) -> Vec<OptionSpec>;

    /// Sets an option between searches, if it declares it; whether it does.
    fn set_option(&mut self, name: &str, value: &str) -> Result<bool, PlayerError>;

    /// Thinks until it has an answer. Lines of thought go to `listener`; without one only the last
    /// is kept.
    fn think(
        &mut self,
        request: &SearchRequest<'_>,
        listener: Option<Listener<'_>>,
    ) -> Result<Decision, PlayerError>;

    /// Looks for a mate; the request's `go` says for how long.
    fn find_mate(&mut self, request: &SearchRequest<'_>) -> Result<MateAnswer, PlayerError>;

    /// The opponent's move, on whose time a player that ponders thinks about the reply it expects.
    /// `go` says how its own clock stands. Returns at once.
    fn ponder(&mut self, _go: &Go) -> Result<(), PlayerError> {
        Ok(())
    }

    /// The game is over. After its own fault the player must make sure that the next game can
    /// begin.
    fn finish(&mut self, conclusion: Conclusion<'_>);
}
