//! Futile interpositions (無駄合), by definitions one can look up.
//!
//! The game knows no futile moves: the length of a mate counts every legal reply. Composed
//! problems do not count replies that only feed the attacker a piece. There is no agreed
//! definition; this is the one used here and called *plain*:
//!
//! > A check is a *mate at a distance* if the defender is in check from one slider, every legal
//! > reply is a drop between it and the king, and each of these drops can be taken by that very
//! > slider, promoting or not, giving mate or again a mate at a distance. Every reply to a mate
//! > at a distance is futile, and the line ends with the check.
//!
//! It errs on the side of counting: a drop that merely delays while the king could also step
//! somewhere is counted.

use rules::{Bits, Move, Position, Variant};

/// How many plies of a mating line count.
pub(crate) fn plain_plies<V: Variant>(pos: &Position<V>, line: &[Move]) -> usize {
    let mut pos = pos.without_history();
    for (i, &m) in line.iter().enumerate() {
        pos.play(m);
        if i % 2 == 0 && is_mate_at_a_distance(&mut pos) {
            return i + 1;
        }
    }
    line.len()
}

/// Whether the side to move is mated, or mated at a distance.
pub fn is_mate_at_a_distance<V: Variant>(pos: &mut Position<V>) -> bool {
    let checkers = pos.checkers();
    if checkers.is_empty() {
        return false;
    }
    let replies = pos.legal_moves();
    if replies.iter().any(|m| !m.is_drop()) || checkers.many() {
        return replies.is_empty();
    }
    let slider = checkers.first();
    replies.iter().all(|&drop| {
        pos.play(drop);
        let mated = [true, false].iter().any(|&promote| {
            let take = Move::board(slider, drop.to(), promote);
            pos.is_legal(take) && {
                pos.play(take);
                let mated = is_mate_at_a_distance(pos);
                pos.undo();
                mated
            }
        });
        pos.undo();
        mated
    })
}
