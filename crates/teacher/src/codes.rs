//! How a game ended, as numbers in files. The numbers are the format's and never change.

use play::{Outcome, Reason};
use rules::Color;

/// The reasons a file tells apart; the number of each is its place here.
pub const STORED_REASONS: [Reason; 13] = [
    Reason::Unknown,
    Reason::Resign,
    Reason::Mate,
    Reason::Repetition,
    Reason::PerpetualCheck,
    Reason::Declaration,
    Reason::MaxMoves,
    Reason::Adjudicated,
    Reason::TimeUp,
    Reason::IllegalMove,
    Reason::Impasse,
    Reason::Interrupted,
    Reason::Agreed,
];

/// The reason a file gives back for one that is written: the nearest it tells apart.
pub const fn as_stored(reason: Reason) -> Reason {
    match reason {
        Reason::Try => Reason::Declaration,
        Reason::IllegalAction | Reason::Crash | Reason::Stall | Reason::Protocol => {
            Reason::IllegalMove
        }
        Reason::Abandoned | Reason::Error | Reason::Sealed => Reason::Interrupted,
        Reason::Default | Reason::TakenBack | Reason::NoMate | Reason::Other => Reason::Unknown,
        stored => stored,
    }
}

pub(crate) fn reason_code(reason: Reason) -> u8 {
    let stored = as_stored(reason);
    STORED_REASONS.iter().position(|&r| r == stored).unwrap_or(0) as u8
}

pub(crate) fn reason_from_code(code: u8) -> Option<Reason> {
    STORED_REASONS.get(usize::from(code)).copied()
}

pub(crate) const fn outcome_code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Unknown => 0,
        Outcome::Won(Color::Black) => 1,
        Outcome::Won(Color::White) => 2,
        Outcome::Draw => 3,
    }
}

/// Of the two lowest bits.
pub(crate) const fn outcome_from_code(code: u8) -> Outcome {
    match code & 3 {
        0 => Outcome::Unknown,
        1 => Outcome::Won(Color::Black),
        2 => Outcome::Won(Color::White),
        _ => Outcome::Draw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_format() {
        for (code, reason) in STORED_REASONS.into_iter().enumerate() {
            assert_eq!(usize::from(reason_code(reason)), code);
            assert_eq!(reason_from_code(code as u8), Some(reason));
            assert_eq!(as_stored(reason), reason);
        }
        assert_eq!(reason_from_code(13), None);
        for code in 0..4 {
            assert_eq!(outcome_code(outcome_from_code(code)), code);
            assert_eq!(outcome_from_code(code | 4), outcome_from_code(code));
        }
    }

    #[test]
    fn every_reason_has_a_number() {
        for reason in Reason::ALL {
            assert!(STORED_REASONS.contains(&as_stored(reason)), "{reason}");
        }
    }
}
