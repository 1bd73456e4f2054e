//! The board in a browser without a server: the page's own requests, answered on the spot.
//!
//! Two instances of this room run in two workers of the page. One is the [`Board`]: it takes what the page
//! would have sent to the server, answers, and says what is to be kept and what the engine is to be asked.
//! The other is the [`EngineHost`]: it searches, for seconds at a time, and reports in USI.
//!
//! | file | holds |
//! |---|---|
//! | [`board`](mod@board_state) | everything the page's visitor has: games, studies, searches under way |
//! | `session` | the messages of the WebSocket |
//! | `requests` | the requests of REST |
//! | `games`, `studies` | what is kept of them |
//! | `searches` | what the engine is asked next, and what its answers come to |
//! | [`task`] | what the two instances say to each other |
//! | [`host`] | the engine |
//! | `exports` | both as functions of a WebAssembly module |
//!
//! What a game, a level, an analysis or a study is stands in `board`, as it does for `web`. Deliberately
//! absent: friends at other browsers, engines of others, servers and matches to watch: all of them need a
//! server. No clock, no storage, no thread: the worker around it has them.

mod board_state;
#[cfg(target_family = "wasm")]
mod exports;
mod games;
pub mod host;
mod requests;
mod searches;
mod session;
mod studies;
pub mod task;

pub use board_state::{Board, Effect, Facts, Now};
pub use host::EngineHost;
pub use requests::{Request, Response};
