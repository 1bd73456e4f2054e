//! Mate in three, for the leaves of a search: cheap and bounded, one level of play around
//! [`mate_in_one`].

use crate::mate_in_one;
use rules::{Gen, Move, MoveList, Position, Variant};

/// Checks looked at before giving up: more than any position of a game offers, so that only
/// hostile positions are cut short.
const MOST_CHECKS: usize = 96;

/// The first move of a mate in one or three, if there is one (of the latter only what can be
/// found among the first checks in positions that have absurdly many). The position is the same
/// afterwards.
pub fn mate_in_three<V: Variant>(pos: &mut Position<V>) -> Option<Move> {
    if let Some(m) = mate_in_one(pos) {
        return Some(m);
    }
    let mut checks = MoveList::new();
    pos.generate(Gen::Checks, &mut checks);
    let mut evasions = MoveList::new();
    for &check in checks.iter().take(MOST_CHECKS) {
        pos.play(check);
        evasions.clear();
        pos.generate(Gen::Evasions, &mut evasions);
        // The king's steps come last and refute most often.
        let mated = evasions.iter().rev().all(|&reply| {
            pos.play(reply);
            let mated = mate_in_one(pos).is_some();
            pos.undo();
            mated
        });
        pos.undo();
        if mated {
            return Some(check);
        }
    }
    None
}
