//! Every option of our engine, by key: those all engines have, those of the two searches, and those
//! of what they evaluate by.

pub use crate::books::{
    BOOK_DEPTH_LIMIT, BOOK_DIR, BOOK_EVAL_BLACK_LIMIT, BOOK_EVAL_DIFF, BOOK_EVAL_WHITE_LIMIT,
    BOOK_FILE, BOOK_IGNORE_RATE, BOOK_MOVES, BOOK_ON_THE_FLY, BOOK_PV_MOVES,
    CONSIDER_BOOK_MOVE_COUNT, FLIPPED_BOOK, IGNORE_BOOK_PLY, NARROW_BOOK, OWN_BOOK,
};
pub use crate::deep::{DNN_LIBRARY, DNN_MODEL, DNN_PROVIDER, DNN_WORKER};
pub use crate::equipped::{ENGINE, EVAL_DIR, FV_SCALE, PUCT};
pub use alphabeta::options::*;
pub use mcts::options::*;
pub use think::key::universal::*;
