//! Monte-Carlo tree search guided by a policy-value net (PUCT) behind `think::Engine`.
//!
//! | file | holds |
//! |---|---|
//! | `arena`, `recycle` | memory: cells of 64 bytes under a hard cap, and how they come back |
//! | `node`, `edges`, `children`, `bounds` | a node, its moves, where they lead, what is proven |
//! | `tree` | the tree: backing up, proofs, going on to the next move |
//! | [`constants`], `select` | the formula a playout goes by |
//! | `root`, `gumbel` | the root: noise, moves left out, Gumbel's choice |
//! | `leaf` | what a new position is by the rules |
//! | `leaves`, `flight` | leaves on their way to the net and back |
//! | `search`, `worker` | one search: what its threads share, and one of them |
//! | `lines`, `stop` | what is told and chosen; when there is nothing left to gain |
//! | `engine`, `job`, `rootmate` | options and threads; one search from question to answer; mates |
//! | [`options`] | what can be set |
//!
//! What another tree needs to be grown by the same rules is public: the formula's terms, the judgement of
//! leaves, noise, Gumbel's numbers, bounds.
//!
//! Deliberately absent: nets (crate `infer`, behind its trait), protocols, printing, any clock that
//! was not passed in, and `unsafe`.

mod arena;
mod bounds;
mod children;
pub mod constants;
mod edges;
mod engine;
mod flight;
mod gumbel;
mod job;
mod leaf;
mod leaves;
mod lines;
mod node;
pub mod options;
mod recycle;
mod root;
mod rootmate;
mod search;
mod select;
mod stop;
mod tree;
mod worker;

pub use bounds::{Bounds, GameValue};
pub use constants::Constants;
pub use edges::{Edge, MoveOrder};
pub use engine::Puct;
pub use gumbel::{completed_value, gumbel_number, schedule};
pub use leaf::{LeafRules, Verdict};
pub use root::mix_dirichlet;
pub use search::information_gain;
pub use worker::net_key;
