//! Reinforcement learning of policy-value nets: games of a net against itself, and the loop around them.
//!
//! | file | holds |
//! |---|---|
//! | [`settings`] | how games are played |
//! | `tree` | a small tree, of which thousands are in memory at once |
//! | `root` | noise, forced playouts, Gumbel's root, what a search teaches |
//! | `game` | one game in play, which asks for one position at a time |
//! | `line`, [`pool`] | many games at a time over a net, on several threads |
//! | [`elsewhere`] | games that somebody else plays |
//! | [`records`] | the games of a generation in a file |
//! | [`review`] | the same read again: replayed by the referee, counted |
//! | [`lots`] | what is decided of a game before it begins: start, temperatures by room `balance` |
//! | [`nets`] | what computes the net that plays |
//! | [`plan`] | what a run is asked to do, presets, what each generation follows from |
//! | [`training`], `trainer_process` | the trainer in PyTorch, and the process it stays in |
//! | [`matches`] | a net against another |
//! | [`temperatures`] | what a temperature costs, measured |
//! | [`playouts`] | strength as giver and as receiver by playouts, measured |
//! | [`report`] | what a run has learned about its starts |
//! | [`flags`], [`commands`] | the flags of `nue learn --method rl`; `nue rl` |
//! | [`run`], `files`, `error` | generations: play, review, train, swap; their small files; what can go wrong |
//!
//! The formula, its constants and the judgement of leaves are room `mcts`'; its tree, made for one long
//! search on all threads, is too heavy for thousands of short ones. Deliberately absent: printing, clocks
//! of its own.

pub mod commands;
pub mod elsewhere;
mod error;
mod files;
pub mod flags;
mod game;
mod line;
pub mod lots;
pub mod matches;
pub mod nets;
pub mod plan;
pub mod playouts;
pub mod pool;
pub mod records;
pub mod report;
pub mod review;
mod root;
pub mod run;
pub mod settings;
pub mod temperatures;
mod trainer_process;
pub mod training;
mod tree;

pub use error::RunError;
pub use game::FinishedGame;
pub use pool::{PlayError, PlayerNet, SelfPlay};
pub use review::Review;
pub use settings::{PlaySettings, SettingsError};
