//! The last plies of a limited search, settled at once: no table, no numbers.
//!
//! Where three plies are left everything is tried around [`mate_in_one`]. This is the widest
//! layer of the tree by far; keeping it out of the table leaves room for what is worth keeping.

use crate::expand::needed_for_mate;
use crate::node::{NO_LOOP, NodeValue};
use crate::table::UNLIMITED;
use crate::{hands, mate_in_one};
use rules::{Gen, MoveList, Position, Variant};

/// Plies left at which the attacker's positions are settled here (an even number is one ply
/// wasted).
pub(crate) const PLIES: u16 = 4;

/// Whether the side to move mates within `plies`, at most [`PLIES`]; and how many positions were
/// looked at for it.
pub(crate) fn settle<V: Variant>(
    pos: &mut Position<V>,
    plies: u16,
    list: &mut MoveList,
) -> (NodeValue, u64) {
    let attacker = pos.turn();
    if plies == 0 {
        return (NodeValue::disproof(pos.hand(attacker), 0, NO_LOOP), 0);
    }
    if let Some(m) = mate_in_one(pos) {
        return (NodeValue::proof(needed_for_mate(pos, m), 1, m), 0);
    }
    if plies < 3 {
        return (NodeValue::disproof(pos.hand(attacker), 2, NO_LOOP), 0);
    }
    list.clear();
    pos.generate(Gen::Checks, list);
    if list.is_empty() {
        let hand = hands::without_new_kinds(pos, attacker);
        return (NodeValue::disproof(hand, UNLIMITED, NO_LOOP), 1);
    }
    let checks = list.len();
    let mut seen = 0;
    for i in 0..checks {
        let check = list[i];
        pos.play(check);
        seen += 1;
        list.truncate(checks);
        pos.generate(Gen::Evasions, list);
        // The king's steps come last and refute most often.
        let mated = (checks..list.len()).rev().all(|j| answered(pos, list[j]));
        if mated {
            let mut hand = hands::kept_from_defender(pos, attacker);
            for j in checks..list.len() {
                pos.play(list[j]);
                if let Some(m) = mate_in_one(pos) {
                    hand = hands::most(hand, needed_for_mate(pos, m));
                }
                pos.undo();
            }
            pos.undo();
            let hand = hands::needed_before(pos, hand, check);
            return (NodeValue::proof(hand, 3, check), seen);
        }
        pos.undo();
    }
    (NodeValue::disproof(pos.hand(attacker), PLIES, NO_LOOP), seen)
}

/// Whether a reply is answered by mate.
fn answered<V: Variant>(pos: &mut Position<V>, reply: rules::Move) -> bool {
    pos.play(reply);
    let mated = mate_in_one(pos).is_some();
    pos.undo();
    mated
}
