//! Which move of its own a book stays with.

use book::BookMove;
use std::cmp::Reverse;

/// The move played most of those that are the book's own and worse than the best by less than the margin, the better of two
/// played as often; the first of all where there is none such. What was never played has the value of a search, which games have
/// not lowered yet: who always took the best would try everything once, and know no line far.
pub(crate) fn steady(
    moves: &[BookMove],
    margin: i32,
    is_own: impl Fn(&BookMove) -> bool,
) -> Option<&BookMove> {
    let best = moves.iter().filter_map(|m| m.value).max();
    let is_good = |m: &&BookMove| {
        let behind = m.value.zip(best).map(|(value, best)| best.saturating_sub(value));
        is_own(m) && behind.is_some_and(|behind| behind < margin)
    };
    let good = moves.iter().filter(is_good);
    good.min_by_key(|m| (Reverse(m.count), Reverse(m.value))).or_else(|| moves.first())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{AnyPosition, Game};

    #[test]
    fn a_move_stays_within_the_margin() {
        let legal = AnyPosition::startpos(Game::Shogi).legal_moves();
        let moves = |facts: &[(i32, u64)]| -> Vec<BookMove> {
            let moves = facts.iter().zip(&legal);
            let valued = |(&(value, count), &mv): (&(i32, u64), &rules::Move)| BookMove {
                count,
                ..BookMove::valued(mv, value, 1)
            };
            moves.map(valued).collect()
        };
        let kept = |facts: &[(i32, u64)], own: std::ops::Range<usize>| {
            let moves = moves(facts);
            let is_own = |m: &BookMove| legal[own.clone()].contains(&m.mv);
            let kept = steady(&moves, 60, is_own).map(|m| m.mv);
            kept.and_then(|mv| moves.iter().position(|m| m.mv == mv))
        };
        assert_eq!(kept(&[(50, 0), (20, 3), (10, 1)], 0..3), Some(1), "played most");
        assert_eq!(kept(&[(50, 0), (-10, 3), (10, 1)], 0..3), Some(2), "too far behind");
        assert_eq!(kept(&[(50, 0), (20, 0)], 0..2), Some(0), "nothing was played");
        assert_eq!(kept(&[(20, 2), (50, 2)], 0..2), Some(1), "the better of two");
        assert_eq!(kept(&[(50, 9), (20, 1)], 1..2), Some(1), "the first is an opponent's");
        assert_eq!(kept(&[(90, 9), (20, 1)], 1..2), Some(0), "nothing of its own is good");
        assert_eq!(kept(&[], 0..0), None);
    }
}
