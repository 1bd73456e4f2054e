//! Every option of our engine, by key: those all engines have, those of the two searches, and those
//! of what they evaluate by.

pub use crate::deep::{DNN_LIBRARY, DNN_MODEL, DNN_PROVIDER, DNN_WORKER};
pub use crate::equipped::{ENGINE, EVAL_DIR, FV_SCALE, PUCT};
pub use alphabeta::options::*;
pub use mcts::options::*;
pub use think::key::universal::*;
