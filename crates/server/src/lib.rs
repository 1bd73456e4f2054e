//! A CSA server without sockets: lines and the time come in, effects go out.
//!
//! | file | holds |
//! |---|---|
//! | [`lobby`] | everybody on the server: logins, matching, rounds, tournaments, watching |
//! | [`calendar`] | dates in the forms of the protocol |
//! | [`clock`] | one player's time by the elements of the protocol |
//! | [`conditions`] | what a game is played under, how it ended |
//! | [`referee`] | what the rules say after a move |
//! | [`room`] | one game: agreement, moves, endings, interruption, resumption |
//! | [`tournament`] | pairing and standings |
//! | [`rating`] | strengths from results |
//! | [`record`] | a game as a CSA record |
//!
//! Deliberately absent: sockets, files, databases, any clock that was not passed in. The
//! executable performs the effects in their order; tests use a virtual clock.

pub mod calendar;
pub mod clock;
pub mod conditions;
pub mod lobby;
pub mod rating;
pub mod record;
pub mod referee;
pub mod room;
pub mod tournament;

pub use conditions::{Conditions, Finish};
pub use lobby::Lobby;
pub use room::{Entry, Moment, Room};
