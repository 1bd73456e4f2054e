//! HTTP and WebSocket around the room `board`: the page, the games on disk, the pool of engines.
//!
//! | file | holds |
//! |---|---|
//! | [`service`], [`live_game`] | everything the server holds; a game somebody has open |
//! | [`session`], [`searches`], [`outbox`] | one connection without its socket: requests, long searches, what waits to be sent |
//! | [`pool`] | engines shared fairly among visitors |
//! | [`store`], `studies` | games and studies on disk; what visitors do with studies |
//! | [`watch`] | a CSA server, matches, learning and a fleet, to look at |
//! | [`http`], [`guard`], [`socket`], [`serve()`], [`page`], [`openapi`] | addresses, who may ask, frames, the built page |
//! | [`books`], [`growth`] | opening books to look at, change and play; books that grow |
//! | `practice` | mate problems, and games by opening |
//! | `qr` | addresses for the camera of a phone |
//! | `connections` | how many there may be, and how long without an answer |
//! | [`export()`] | the page as a site without a server |
//! | [`Server`] | a server from its settings |
//! | [`load`] | how fast many players are answered |
//!
//! The page itself is built from ui/ and lies in `page/`, inside the executable. Deliberately absent:
//! printing, command lines, and what games, analysis and reviews are; that is in `board`.

pub mod books;
mod connections;
mod data_file;
mod export;
pub mod growth;
pub mod guard;
pub mod http;
pub mod live_game;
pub mod load;
pub mod openapi;
pub mod outbox;
pub mod page;
pub mod pool;
mod practice;
mod qr;
mod registered;
pub mod searches;
mod serve;
pub mod service;
pub mod session;
pub mod socket;
mod start;
pub mod store;
mod studies;
pub mod watch;

pub use books::OpeningMoves;
pub use export::{Exported, SiteParts, export};
pub use serve::serve;
pub use service::{BoardService, Services};
pub use start::{EngineSettings, MakeEngines, Server, Settings, StartError};
