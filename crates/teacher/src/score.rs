//! Scores as files keep them: evaluation units, mates at the ends of the range.

use crate::game::{MATE, MATE_BOUND};

/// A value that is no mate: however large, it does not become one.
pub const fn plain_score(units: i32) -> i16 {
    let most = MATE_BOUND as i32 - 1;
    if units > most {
        most as i16
    } else if units < -most {
        -most as i16
    } else {
        units as i16
    }
}

/// A mate in so many plies for the side that mates; `None`: nobody knows in how many.
pub const fn mate_score(plies: Option<u32>) -> i16 {
    let farthest = (MATE - MATE_BOUND) as u32;
    match plies {
        None => MATE,
        Some(plies) if plies > farthest => MATE_BOUND,
        Some(plies) => MATE - plies as i16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_mates_keep_apart() {
        assert_eq!(plain_score(-77), -77);
        assert_eq!((plain_score(i32::MAX), plain_score(i32::MIN)), (30_999, -30_999));
        assert_eq!((mate_score(None), mate_score(Some(7))), (MATE, MATE - 7));
        assert_eq!(mate_score(Some(u32::MAX)), MATE_BOUND);
    }
}
