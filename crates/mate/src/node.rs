//! Nodes of the search: their children, what they add up to.

use crate::table::{INFINITE, UNLIMITED};
use rules::{Hand, Move, Square};

/// No loop involved.
pub(crate) const NO_LOOP: u32 = u32::MAX;

/// What a search of a node came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeValue {
    pub(crate) pn: u32,
    pub(crate) dn: u32,
    /// Proof or disproof: the attacker's hand it holds for.
    pub(crate) hand: Hand,
    /// Proof or disproof: plies as in [`crate::table::Entry`].
    pub(crate) plies: u16,
    /// The attacker's move, of a proof.
    pub(crate) best: Move,
    /// A disproof that rests on the recurrence of a position on the path: its depth there.
    pub(crate) loop_depth: u32,
}

impl NodeValue {
    /// Still open.
    pub(crate) fn open(pn: u32, dn: u32) -> Self {
        let (hand, best) = (Hand::EMPTY, Move::NONE);
        Self { pn, dn, hand, plies: 0, best, loop_depth: NO_LOOP }
    }

    /// Mated within `plies`.
    pub(crate) fn proof(hand: Hand, plies: u16, best: Move) -> Self {
        Self { pn: 0, dn: INFINITE, hand, plies, best, loop_depth: NO_LOOP }
    }

    /// Not mated within `plies`.
    pub(crate) fn disproof(hand: Hand, plies: u16, loop_depth: u32) -> Self {
        Self { pn: INFINITE, dn: 0, hand, plies, best: Move::NONE, loop_depth }
    }

    pub(crate) fn is_proof(&self) -> bool {
        self.pn == 0
    }

    pub(crate) fn is_disproof(&self) -> bool {
        self.dn == 0
    }

    pub(crate) fn is_final(&self) -> bool {
        self.pn == 0 || self.dn == 0
    }
}

/// A move and what is known about the position after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub(crate) m: Move,
    /// Board key and attacker's hand after the move.
    pub(crate) key: u64,
    pub(crate) hand: Hand,
    pub(crate) value: NodeValue,
    /// Plies the move costs: one, unless futile interpositions are not counted.
    pub(crate) cost: u16,
    /// The drop that may turn out to be futile.
    pub(crate) interposition: Option<Interposition>,
    /// Visited before, closer to the root: a sign of a loop or a transposition.
    pub(crate) old: bool,
    /// Waits until the child of that number is settled in the way that does not end the node.
    pub(crate) after: u16,
    pub(crate) waits: bool,
}

/// `Child::after` of a child that waits for nobody.
pub(crate) const NOBODY: u16 = u16::MAX;

/// A piece dropped between king and slider, and the slider that could take it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Interposition {
    pub(crate) on: Square,
    pub(crate) slider: Square,
}

/// Plies left after a move of that cost; `None` if there are too few.
pub(crate) fn left(plies: u16, cost: u16) -> Option<u16> {
    if plies == UNLIMITED { Some(UNLIMITED) } else { plies.checked_sub(cost) }
}

/// One node of the path being searched.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// The attacker moves here.
    pub(crate) attacks: bool,
    pub(crate) key: u64,
    pub(crate) hand: Hand,
    /// Plies left.
    pub(crate) plies: u16,
    /// The drop that led here, if it may be futile.
    pub(crate) interposition: Option<Interposition>,
    /// Sum that stands for the path up to and with this node.
    pub(crate) path: u64,
    pub(crate) children: Vec<Child>,
    /// Thresholds, and what they were before an extension.
    pub(crate) pn_limit: u32,
    pub(crate) dn_limit: u32,
    pub(crate) kept_limits: Option<(u32, u32)>,
    /// Thresholds of children are to be extended too.
    pub(crate) extends: bool,
    /// The child being searched.
    pub(crate) at: usize,
    /// Nodes counted when the node was entered.
    pub(crate) entered: u64,
    pub(crate) amount: u32,
    pub(crate) min_depth: u16,
}

/// A node's numbers and how they come from its children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofNumbers {
    pub(crate) pn: u32,
    pub(crate) dn: u32,
    /// The child to search next.
    pub(crate) best: usize,
    /// The number by which the best was chosen, of the next best.
    pub(crate) second: u32,
    /// What the others add to the best child's other number.
    pub(crate) others: u32,
}

impl Frame {
    /// Adds up. The number that decides is the smallest. The other is the sum for the attacker's
    /// choices; for the defender's it is the largest plus one for every further open reply,
    /// because replies share so much that a sum would count it many times over. On the problems
    /// of docs/mate.md sums on both sides cost twice the nodes on the longest, and largest numbers
    /// on both sides four times on the mates from games.
    pub(crate) fn proof_numbers(&self) -> ProofNumbers {
        let (mut first, mut second) = (INFINITE, INFINITE);
        let (mut most, mut sum, mut best, mut best_other) = (0, 0u32, 0, 0);
        let (mut open, mut waiting) = (0u32, 0u32);
        for (i, c) in self.children.iter().enumerate() {
            if c.waits {
                waiting = 1;
                continue;
            }
            let o = &c.value;
            let (chosen, other) = if self.attacks { (o.pn, o.dn) } else { (o.dn, o.pn) };
            if other == 0 {
                continue;
            }
            open += 1;
            most = most.max(other);
            sum = (sum + other).min(INFINITE - 1);
            if chosen < first || chosen == first && other < best_other {
                second = first;
                first = chosen;
                best = i;
                best_other = other;
            } else if chosen < second {
                second = chosen;
            }
        }
        debug_assert!(open > 0 || waiting == 0);
        let (total, others) = if self.attacks {
            // A child already settled weighs infinitely: the sum stops short of that.
            (sum + waiting, sum.saturating_sub(best_other) + waiting)
        } else {
            let more = (open + waiting).saturating_sub(1);
            (most + more, more)
        };
        let total = if first == 0 { INFINITE } else { total.min(INFINITE - 1) };
        let (pn, dn) = if self.attacks { (first, total) } else { (total, first) };
        ProofNumbers { pn, dn, best, second, others }
    }
}
