//! Scores: evaluation units (a pawn is about 90), with mates at the ends of the range.

/// Deepest line ever read, in plies.
pub(crate) const MAX_PLY: usize = 246;

/// A draw by rule, before the draw value of the root player is applied.
pub(crate) const DRAW: i32 = 0;
/// Mate on the board, for the winner.
pub(crate) const MATE: i32 = 32_000;
/// Beyond every score.
pub(crate) const INFINITE: i32 = 32_001;
/// No score.
pub(crate) const NONE: i32 = 32_002;
/// The least score that is a mate.
pub(crate) const MATE_BOUND: i32 = MATE - MAX_PLY as i32;
/// A repetition won by rule (the opponent gave perpetual check, or is Black in minishogi). Above
/// every evaluation, below every mate: the game is not over yet.
pub(crate) const RULE_WIN: i32 = 30_000;
/// The same board again with more in hand: as good as won, less sure than a rule.
pub(crate) const SUPERIOR: i32 = 28_000;
/// Evaluations are kept strictly inside this.
pub(crate) const EVAL_BOUND: i32 = SUPERIOR - 1000;

/// The score of mating in `ply` plies from the root.
#[inline]
pub(crate) const fn mate_in(ply: usize) -> i32 {
    MATE - ply as i32
}

/// The score of being mated in `ply` plies from the root.
#[inline]
pub(crate) const fn mated_in(ply: usize) -> i32 {
    -MATE + ply as i32
}

/// Whether the score says who mates.
#[inline]
pub(crate) const fn is_mate(value: i32) -> bool {
    value.abs() >= MATE_BOUND && value.abs() <= MATE
}

/// Whether the score is decided by rule or mate rather than by evaluation.
#[inline]
pub(crate) const fn is_decided(value: i32) -> bool {
    value.abs() >= EVAL_BOUND
}

/// A score as the table stores it: mates counted from the node, not from the root.
#[inline]
pub(crate) const fn to_table(value: i32, ply: usize) -> i32 {
    if value == NONE {
        NONE
    } else if value >= MATE_BOUND {
        value + ply as i32
    } else if value <= -MATE_BOUND {
        value - ply as i32
    } else {
        value
    }
}

/// A score from the table, with mates counted from the root.
#[inline]
pub(crate) const fn from_table(value: i32, ply: usize) -> i32 {
    if value == NONE {
        NONE
    } else if value >= MATE_BOUND {
        value - ply as i32
    } else if value <= -MATE_BOUND {
        value + ply as i32
    } else {
        value
    }
}

/// What the world calls a centipawn.
pub(crate) const fn to_cp(value: i32) -> i32 {
    think::to_centipawns(value)
}

/// The evaluation unit of a number of centipawns.
pub(crate) const fn from_cp(cp: i32) -> i32 {
    think::PAWN * cp / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_keep_their_distance_through_the_table() {
        for value in [0, 500, -500, mate_in(7), mated_in(8), SUPERIOR, -RULE_WIN, NONE] {
            for ply in [0, 5, 100] {
                assert_eq!(from_table(to_table(value, ply), ply), value);
            }
        }
        // Found 3 plies below a node at ply 5, met again at ply 9.
        assert_eq!(from_table(to_table(mate_in(8), 5), 9), mate_in(12));
    }

    #[test]
    fn the_scales_do_not_overlap() {
        const { assert!(EVAL_BOUND < SUPERIOR && SUPERIOR < RULE_WIN && RULE_WIN < MATE_BOUND) };
        assert!(is_mate(mate_in(MAX_PLY)) && !is_mate(RULE_WIN) && !is_mate(NONE));
        assert_eq!((to_cp(90), from_cp(100), to_cp(-45)), (100, 90, -50));
    }
}
