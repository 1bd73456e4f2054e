//! What any thinking engine is asked and what it answers.
//!
//! | file | holds |
//! |---|---|
//! | [`time`] | where "now" comes from |
//! | [`limits`] | what bounds a search, as meant |
//! | [`control`] | stop, ponder hit and quit while it runs |
//! | [`report`] | what a search says: lines of thought, the answer |
//! | [`option`] | what can be set, defined once |
//! | [`key`] | options known to the compiler |
//! | [`usual`] | options that our searches have in common |
//! | [`budget`], [`timer`] | how long to think: the plan, and the watch kept during the search |
//! | [`engine`] | the object-safe interface of every search |
//!
//! Deliberately absent: searching, evaluating, text protocols, printing, and any clock that was
//! not passed in.

pub mod budget;
pub mod control;
pub mod engine;
pub mod key;
pub mod limits;
pub mod option;
pub mod quote;
pub mod report;
pub mod time;
pub mod timer;
pub mod usual;

pub use budget::{Budget, TimeOptions, TimePlan};
pub use control::{Control, PonderHit};
pub use engine::{Engine, STACK, WrongGame};
pub use key::OptionKey;
pub use limits::{Clocks, Limits, MateLimit};
pub use option::{OptionError, OptionKind, OptionSpec, Settings, Value};
pub use quote::quote;
pub use report::{
    Answer, Best, Bound, Info, MateAnswer, PAWN, Report, Score, Wdl, to_centipawns, to_units,
};
pub use time::{ManualTime, Moment, TimeSource, WallTime, seconds_since_1970, since_1970};
pub use timer::Timer;
