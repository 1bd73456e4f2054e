//! What every game needs besides the rules: how it ended, the clocks, the referee, win rates.
//!
//! | file | holds |
//! |---|---|
//! | [`ending`] | [`Outcome`] (who won), [`Reason`] (why), and both together: [`Ending`] |
//! | [`clock`] | one player's [`Clock`]; how it counts is data ([`ClockRule`]) |
//! | [`referee`] | whether a game is over, by [`GameRules`] that are data |
//! | [`searched`] | the same as a search asks it |
//! | [`side`] | a colour as records and results that travel have it |
//! | [`winrate`] | scores to win rates and back |
//!
//! Matches, the game server, the board in the browser, clients, self-play and searches all decide by this
//! room, so that a game ends the same way wherever it is played. Deliberately absent: waiting,
//! reading the time, files and protocols. Time comes in as a value.

pub mod clock;
pub mod ending;
pub mod referee;
pub mod searched;
pub mod side;
pub mod winrate;

pub use clock::{Clock, ClockRule, Credit, Edge, FlagFallen, GameTime, Rounding};
pub use ending::{Ending, Outcome, Reason};
pub use referee::{Action, GameRules, MAX_MOVES};
pub use searched::{Forced, SearchRules};
pub use side::Side;
pub use winrate::{PAWN, TRAINING_SCALE, USUAL_SCALE, centipawns, score, win_rate};
