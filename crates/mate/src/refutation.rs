//! From the table to a disproof: a set of positions the attacker cannot get out of.
//!
//! For every check in every position of the set there is a reply after which the position is in
//! the set again. The defender can go on like this forever, so there is no mate in any of them.
//! Loops need no special care here: a set has no path.

use crate::dfpn::{Searcher, StopCheck};
use crate::table::{Table, UNLIMITED};
use crate::tree::{Place, place};
use rules::{Gen, Move, MoveList, Position, Variant};
use std::collections::HashMap;

/// A disproof: in the order of discovery, for every position the replies to its checks, checks
/// in ascending order of their bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refutation {
    pub(crate) replies: Vec<Vec<Move>>,
}

/// Moves in the order both sides of a file agree on.
pub(crate) fn in_order<V: Variant>(pos: &Position<V>, what: Gen) -> Vec<Move> {
    let mut list = MoveList::new();
    pos.generate(what, &mut list);
    let mut moves = list.to_vec();
    moves.sort_unstable();
    moves
}

/// Builds the set of a position proven not to be mate. `None` if stopped on the way.
pub(crate) fn build<V: Variant>(
    pos: &Position<V>,
    table: &Table,
    stop_check: &mut dyn StopCheck,
) -> Option<Refutation> {
    let attacker = pos.turn();
    let mut numbers: HashMap<Place, usize> = HashMap::from([(place(pos, attacker), 0)]);
    let mut queue = vec![pos.without_history()];
    let mut refutation = Refutation::default();
    while let Some(here) = queue.get(refutation.replies.len()) {
        if stop_check.stops(0) {
            return None;
        }
        let mut here = here.clone();
        let mut replies = Vec::new();
        for check in in_order(&here, Gen::Checks) {
            here.play(check);
            let reply = saving_reply(&mut here, attacker, table, &numbers, stop_check)?;
            replies.push(reply);
            here.play(reply);
            let next = queue.len();
            numbers.entry(place(&here, attacker)).or_insert_with(|| {
                queue.push(here.without_history());
                next
            });
            here.undo();
            here.undo();
        }
        refutation.replies.push(replies);
    }
    Some(refutation)
}

/// A reply after which there is no mate: one that stays in the set, else one the table knows,
/// else one found by searching.
fn saving_reply<V: Variant>(
    pos: &mut Position<V>,
    attacker: rules::Color,
    table: &Table,
    numbers: &HashMap<Place, usize>,
    stop_check: &mut dyn StopCheck,
) -> Option<Move> {
    let replies = in_order(pos, Gen::Evasions);
    let hand = pos.hand(attacker);
    let after = |m: Move| (pos.board_key_after(m), hand);
    if let Some(&m) = replies.iter().find(|&&m| numbers.contains_key(&after(m))) {
        return Some(m);
    }
    let known = |m: Move| {
        let (key, hand) = after(m);
        table.look(key, hand, UNLIMITED).is_some_and(|e| e.dn == 0)
    };
    if let Some(&m) = replies.iter().find(|&&m| known(m)) {
        return Some(m);
    }
    for m in replies {
        pos.play(m);
        let value = Searcher::new(pos, attacker, table, 0).search(UNLIMITED, stop_check);
        pos.undo();
        if value?.is_disproof() {
            return Some(m);
        }
    }
    debug_assert!(false, "no reply saves {pos:?}");
    None
}
