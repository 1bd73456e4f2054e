//! The board in the browser: HTTP and WebSocket around games, analysis and watching.
//!
//! | file | holds |
//! |---|---|
//! | [`bout`], [`clock`], [`setup`], [`ending`] | one game: moves, time, what it is played under, how it ends |
//! | [`level`], [`opponent`] | how strong the engine plays, what it is asked |
//! | [`position`], [`notation`], [`score`], [`tree`], [`words`] | positions, moves, values and records for the page |
//! | [`pool`] | engines shared fairly among visitors |
//! | [`analysis`], [`review`], [`matesearch`] | long questions and what the page is told of them |
//! | [`store`] | games on disk |
//! | [`room`], [`hall`] | games in memory; everything the server holds |
//! | [`visit`], [`request`], [`mailbox`], [`rate`] | one connection without its socket |
//! | [`guard`] | who may ask |
//! | [`watch`] | the seam to servers, matches and learning |
//! | [`http`], [`socket`], [`serve()`], [`page`], [`openapi`] | the adapter: addresses, frames, the built page |
//! | [`trouble`] | what goes wrong, in words the page translates |
//!
//! The page itself is built from ui/ and lies in `page/`, inside the executable. Deliberately absent:
//! printing, command lines, the whereabouts of engines and files, and any clock that was not passed
//! in.

pub mod analysis;
pub mod bout;
pub mod clock;
pub mod ending;
pub mod guard;
pub mod hall;
pub mod http;
pub mod level;
pub mod mailbox;
pub mod matesearch;
pub mod notation;
pub mod openapi;
pub mod opponent;
pub mod page;
pub mod pool;
pub mod position;
pub mod rate;
pub mod request;
pub mod review;
pub mod room;
pub mod score;
mod serve;
pub mod setup;
pub mod socket;
pub mod store;
pub mod tree;
pub mod trouble;
pub mod visit;
pub mod watch;
pub mod words;

pub use hall::{Furniture, Hall};
pub use serve::serve;
