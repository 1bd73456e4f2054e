//! Alpha-beta search behind `think::Engine`.
//!
//! | file | holds |
//! |---|---|
//! | `engine`, `job` | options and threads; one search, from question to answer |
//! | `any` | both games with an evaluation of any kind, compiled here |
//! | `analysis` | what is known about positions analysed before |
//! | `deepen` | iterative deepening of one thread |
//! | `vote` | which of several threads is believed |
//! | `search`, `quiesce` | the nodes, step by step |
//! | `alarm`, `pass`, `probcut`, `singular`, `reduce` | steps with a file of their own |
//! | `picker`, `quiets`, `history`, `learn`, `parts` | the order of moves and what it learns from |
//! | `table`, `memory` | the transposition table |
//! | `lanes` | statistics that all threads write |
//! | `rootmate`, `beside`, `prove` | mates by proof, before the search and beside it |
//! | `skill` | playing weaker |
//! | `counts` | how often the search does what, for measurements |
//! | [`options`] | what can be set |
//! | `params` | every tunable number |
//!
//! Three lifetimes, three types: `Shared` (all threads of one search), `Worker` (one thread, kept
//! between searches), `Frame` (one ply). Deliberately absent: evaluation (crates `eval` and
//! `nnue`, plugged in as a type), protocols, printing, any clock that was not passed in.

mod alarm;
mod analysis;
mod any;
mod beside;
mod counts;
mod deepen;
mod engine;
mod heed;
mod history;
mod job;
mod lanes;
mod learn;
mod memory;
mod node;
pub mod options;
mod params;
mod parts;
mod pass;
mod picker;
mod probcut;
mod prove;
mod prune;
mod quiesce;
mod quiets;
mod reduce;
mod root;
mod rootmate;
mod search;
mod shared;
mod singular;
mod skill;
mod stack;
mod table;
mod values;
mod vote;
mod worker;

pub use any::{minishogi, shogi};
pub use engine::AlphaBeta;
pub use params::{ParamSpec, Params};
