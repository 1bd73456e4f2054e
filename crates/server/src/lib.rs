//! A CSA server without sockets: lines and the time come in, effects go out.
//!
//! | file | holds |
//! |---|---|
//! | [`lobby`] | everybody on the server: logins, matching, rounds, tournaments, watching |
//! | [`calendar`] | dates in the forms of the protocol |
//! | [`conditions`] | what a game is played under |
//! | [`room`] | one game: agreement, moves, endings, interruption, resumption |
//! | [`tournament`] | pairing and standings |
//! | [`rating`] | strengths from results |
//!
//! Deliberately absent: sockets, files, databases, any clock that was not passed in. The
//! executable performs the effects in their order; tests use a virtual clock.

pub mod calendar;
pub mod conditions;
pub mod lobby;
pub mod rating;
pub mod room;
pub mod tournament;

pub use conditions::Conditions;
pub use lobby::Lobby;
pub use room::{Entry, Moment, Room};
