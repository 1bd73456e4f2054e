//! The interface of every search: object safe, non-blocking.

use crate::{Control, Limits, OptionError, OptionSpec, Report};
use rules::{AnyPosition, Game, Move};
use std::fmt;

/// A position of one game was given to an engine made for the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongGame {
    /// The game the engine plays.
    pub plays: Game,
    /// The game of the position.
    pub given: Game,
}

impl fmt::Display for WrongGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this engine plays {}, the position is one of {}", self.plays, self.given)
    }
}

impl std::error::Error for WrongGame {}

/// Stack a thread needs to call [`Engine::think`]: searches recurse deeply.
pub const STACK: usize = 32 << 20;

/// Something that thinks about positions of one game.
///
/// Calls return at once unless said otherwise; a search runs in threads of its own and ends with
/// exactly one `best` (or `mate`) on its report, also when it is stopped or goes wrong.
pub trait Engine: Send {
    /// The position to think about, with the history that led to it. A running search is not
    /// touched.
    fn set_position(&mut self, position: AnyPosition) -> Result<(), WrongGame>;

    /// Starts a search. One that still runs is stopped and waited for first.
    fn go(&mut self, limits: Limits, report: Box<dyn Report>);

    /// Searches on the calling thread and returns after `best`. For those who play many short
    /// searches and have no use for a thread for each; the calling thread needs a stack of
    /// [`STACK`] bytes.
    fn think(&mut self, limits: Limits, report: &mut dyn Report);

    /// The handle of the latest search.
    fn control(&self) -> Control;

    /// Blocks until the latest search has reported its end.
    fn wait(&mut self);

    /// Forgets what was learnt in earlier games.
    fn new_game(&mut self);

    /// Loads what has to be loaded; may block. `note` is told what is worth telling.
    fn is_ready(&mut self, note: &mut dyn FnMut(&str));

    /// What can be set.
    fn options(&self) -> Vec<OptionSpec>;

    /// Sets an option. Not while a search runs, but for `MultiPV`, which a search may obey at once
    /// or from the next on.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError>;

    /// The score, in hundredths of a pawn, at which the side to move wins 73 % (1/(1 + 1/e)) of its
    /// games. It belongs to what evaluates, and may change when that is loaded.
    fn win_rate_scale(&self) -> f64 {
        play::USUAL_SCALE
    }

    /// Static value of the position in hundredths of a pawn for the side to move, if the engine
    /// has such a thing.
    fn static_value(&mut self) -> Option<i32> {
        None
    }

    /// What the last search would have a policy learn about its position: moves with their shares, which
    /// sum to 1. Nothing from a search that does not compare all moves.
    fn policy_target(&mut self) -> Vec<(Move, f32)> {
        Vec::new()
    }
}
