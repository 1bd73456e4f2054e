//! JKF, the JSON Kifu Format 1.0.
//!
//! Headers have the names of KIF, pieces and endings the names of CSA. Variations are nested:
//! `forks` of a move are alternatives to it.

mod read;
mod write;

pub(crate) use read::{read, read_all};
pub(crate) use write::write;

use rules::Handicap;

/// Variations may be nested this deep: three levels of JSON each, and parsers stop at 128.
const MAX_NESTING: usize = 40;

/// The names of the start positions.
const PRESETS: [(Handicap, &str); 16] = [
    (Handicap::Even, "HIRATE"),
    (Handicap::Lance, "KY"),
    (Handicap::RightLance, "KY_R"),
    (Handicap::Bishop, "KA"),
    (Handicap::Rook, "HI"),
    (Handicap::RookLance, "HIKY"),
    (Handicap::Two, "2"),
    (Handicap::Three, "3"),
    (Handicap::Four, "4"),
    (Handicap::Five, "5"),
    (Handicap::LeftFive, "5_L"),
    (Handicap::Six, "6"),
    (Handicap::LeftSeven, "7_L"),
    (Handicap::RightSeven, "7_R"),
    (Handicap::Eight, "8"),
    (Handicap::Ten, "10"),
];
