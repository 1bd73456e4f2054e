//! Every option of our engine, by key: those all engines have, those of the search, and those of the
//! evaluation.

pub use crate::equipped::{EVAL_DIR, FV_SCALE};
pub use alphabeta::options::*;
pub use think::key::universal::*;
