//! The children of a node: which moves, in which order of trust, with which first numbers.

use crate::futile::Futile;
use crate::node::{Child, Interposition, NOBODY, NodeValue};
use crate::{hands, mate_in_one};
use rules::{Bits, Color, Gen, Hand, Kind, Move, MoveList, Position, Square, Variant};

/// Lists the attacker's checks or the defender's replies. A move that is nearly always worth
/// the same as another waits for it: a piece that could promote and does not, other pieces put
/// on the same square.
pub(crate) fn children<V: Variant>(
    pos: &Position<V>,
    attacker: Color,
    counting: Counting,
    list: &mut MoveList,
    children: &mut Vec<Child>,
) {
    list.clear();
    children.clear();
    let attacks = pos.turn() == attacker;
    pos.generate(if attacks { Gen::Checks } else { Gen::Evasions }, list);
    let hand = pos.hand(attacker);
    let slider = counting.slider(pos, attacks);
    for &m in list.iter() {
        let after = if attacks { hands::after(pos, hand, m) } else { hand };
        let interposition =
            slider.filter(|_| m.is_drop()).map(|slider| Interposition { on: m.to(), slider });
        children.push(Child {
            m,
            key: pos.board_key_after(m) ^ counting.key(interposition),
            hand: after,
            value: NodeValue::open(1, 1),
            cost: counting.cost(m, interposition),
            interposition,
            old: false,
            after: NOBODY,
            waits: false,
        });
    }
    link(pos, attacks, children);
}

/// How plies are counted at a node.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counting {
    pub(crate) futile: Futile,
    /// The drop that led here, if it may be futile.
    pub(crate) interposition: Option<Interposition>,
}

impl Counting {
    /// The slider that gives the check, if drops against it may be futile.
    fn slider<V: Variant>(self, pos: &Position<V>, attacks: bool) -> Option<Square> {
        let checkers = pos.checkers();
        let asked = self.futile == Futile::Common && !attacks;
        (asked && checkers.any() && !checkers.many()).then(|| checkers.first())
    }

    /// A drop that may be futile costs nothing yet; taking it with the slider neither, anything
    /// else then costs for both.
    fn cost(self, m: Move, interposition: Option<Interposition>) -> u16 {
        match self.interposition {
            None => u16::from(interposition.is_none()),
            Some(b) if !m.is_drop() && m.from() == b.slider && m.to() == b.on => 0,
            Some(_) => 2,
        }
    }

    /// Keeps what is known by different definitions apart in one table.
    pub(crate) fn key(self, interposition: Option<Interposition>) -> u64 {
        let definition = (self.futile as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let on = interposition.map_or(0, |b| b.on.index() as u64 + 1);
        definition ^ on.wrapping_mul(0xa076_1d64_78bd_642f)
    }
}

/// Finds for every move the one it waits for.
fn link<V: Variant>(pos: &Position<V>, attacks: bool, children: &mut [Child]) {
    for i in 0..children.len() {
        let m = children[i].m;
        let twin = if m.is_drop() {
            // Replies that put something between: one piece after the other on each square.
            if attacks {
                continue;
            }
            (0..i).rev().find(|&j| children[j].m.is_drop() && children[j].m.to() == m.to())
        } else if !m.is_promotion() && is_better_promoted(pos, m) {
            let promoted = Move::board(m.from(), m.to(), true);
            children.iter().position(|c| c.m == promoted)
        } else {
            None
        };
        if let Some(j) = twin {
            children[i].after = j as u16;
            children[i].waits = true;
        }
    }
}

/// Whether promoting on this move could only lose something through the drop-pawn-mate rule.
fn is_better_promoted<V: Variant>(pos: &Position<V>, m: Move) -> bool {
    let us = pos.turn();
    match pos.piece_at(m.from()).kind() {
        Some(Kind::Pawn | Kind::Bishop | Kind::Rook) => true,
        Some(Kind::Lance) => V::far_ranks(us, 2).has(m.to()),
        _ => false,
    }
}

/// First numbers of a move never looked at: how likely it is to mate or to save.
pub(crate) fn first_numbers<V: Variant>(pos: &Position<V>, attacker: Color, m: Move) -> (u32, u32) {
    let us = pos.turn();
    let occupied = pos.occupied();
    let own = pos.attackers_of(us, m.to(), occupied).count() + u32::from(m.is_drop());
    let other = pos.attackers_of(us.opponent(), m.to(), occupied).count();
    if us == attacker {
        let pn = 2 + u32::from(other >= 2) * 2;
        if own > other {
            return (pn, 4);
        }
        let taken = pos.piece_at(m.to()).kind().is_some_and(|k| k != Kind::Pawn);
        return if taken { (pn, 4) } else { (pn + 2, 2) };
    }
    if !m.is_drop() && pos.piece_at(m.to()).is_some() {
        return (4, 2);
    }
    if !m.is_drop() && pos.king(us) == Some(m.from()) {
        return (2, 2);
    }
    // Put between: `other` are the attacker's pieces that could take it.
    if other < own { (4, 2) } else { (2, 4) }
}

/// Looks at a position with the attacker to move for the two ends seen at once: a mate in one,
/// and no check at all.
pub(crate) fn end_seen_at_once<V: Variant>(
    pos: &mut Position<V>,
    list: &mut MoveList,
    unlimited: u16,
) -> Option<NodeValue> {
    let attacker = pos.turn();
    if let Some(m) = mate_in_one(pos) {
        return Some(NodeValue::proof(needed_for_mate(pos, m), 1, m));
    }
    if has_plain_check(pos) {
        return None;
    }
    list.clear();
    pos.generate(Gen::Checks, list);
    list.is_empty().then(|| {
        NodeValue::disproof(
            hands::without_new_kinds(pos, attacker),
            unlimited,
            crate::node::NO_LOOP,
        )
    })
}

/// Whether some drop next to the enemy king obviously gives check.
fn has_plain_check<V: Variant>(pos: &Position<V>) -> bool {
    let us = pos.turn();
    let Some(king) = pos.king(us.opponent()) else { return false };
    if pos.in_check() {
        return false;
    }
    let hand = pos.hand(us);
    let empty = !pos.occupied();
    [Kind::Gold, Kind::Silver, Kind::Rook, Kind::Bishop].into_iter().any(|kind| {
        let next_to = V::reach(us.opponent(), kind, king) & V::reach(us, Kind::King, king);
        hand.has(kind) && (next_to & empty).any()
    })
}

/// The smallest hand with which the mating move `m` still mates.
pub(crate) fn needed_for_mate<V: Variant>(pos: &mut Position<V>, m: Move) -> Hand {
    let attacker = pos.turn();
    pos.play(m);
    let kept = hands::kept_from_defender(pos, attacker);
    pos.undo();
    hands::needed_before(pos, kept, m)
}
