//! The board of the browser without its browser: games, levels, analysis and review as values.
//!
//! | file | holds |
//! |---|---|
//! | [`game`], [`clock`], [`setup`], [`ending`] | one game: moves, time, what it is played under, how it ends |
//! | [`level`], [`style`], [`opponent`] | how strong the engine plays and what it likes, what it is asked |
//! | [`position`], [`notation`], [`score`], [`tree`], [`words`] | positions, moves, values and records for the page |
//! | [`study`] | records a visitor keeps, and the list of them |
//! | [`question`] | what an engine is asked, and the lines it reports |
//! | [`analysis`], [`review`], [`mate`], [`thinking`] | searches under way and what the page is told of them |
//! | [`castle`], [`opening`], [`lesson`] | what castles and openings are called, why a move was a mistake |
//! | [`book_panel`], [`book_edit`], [`book_growth`] | opening books on the page: what they say, how they are changed, how they grow |
//! | [`tsume`] | mate problems, and when they come back |
//! | [`queue`], [`rate`] | who is served next, and how often somebody may ask |
//! | [`hello`] | what the page is told first |
//! | [`message`] | every message between page and server |
//! | [`watch`], [`watch_fleet`], [`watch_cluster`] | servers, matches, learning, fleets and clusters as the page sees them |
//! | [`error`] | what goes wrong, with codes the page translates |
//!
//! Deliberately absent: sockets, files, threads, engines, and any clock that was not passed in. The
//! adapter is the room `web`.

pub mod analysis;
pub mod book_edit;
pub mod book_growth;
pub mod book_panel;
pub mod castle;
pub mod clock;
pub mod ending;
pub mod error;
pub mod game;
pub mod hello;
pub mod lesson;
pub mod level;
pub mod mate;
pub mod message;
pub mod notation;
pub mod opening;
pub mod opponent;
pub mod position;
pub mod question;
pub mod queue;
pub mod rate;
pub mod review;
pub mod score;
pub mod setup;
pub mod study;
pub mod style;
pub mod thinking;
pub mod tree;
pub mod tsume;
pub mod watch;
pub mod watch_cluster;
pub mod watch_fleet;
pub mod words;

#[cfg(test)]
mod contract;
