//! Arithmetic on hands: how little the attacker needs for a proof, how much still does not help.
//!
//! A proof for a hand holds for every larger hand of the attacker (the defender then has less),
//! a disproof for every smaller one. Both are kept as general as these rules allow; erring on the
//! safe side only makes them less general.

use rules::{Bits, Color, Hand, Kind, Move, Position, Variant};

/// Kind by kind the larger number.
pub(crate) fn most(a: Hand, b: Hand) -> Hand {
    choose(a, b, usize::max)
}

/// Kind by kind the smaller number.
pub(crate) fn least(a: Hand, b: Hand) -> Hand {
    choose(a, b, usize::min)
}

/// Kind by kind the sum.
pub(crate) fn sum(a: Hand, b: Hand) -> Hand {
    choose(a, b, |x, y| x + y)
}

fn choose(a: Hand, b: Hand, f: impl Fn(usize, usize) -> usize) -> Hand {
    if a == b && f(1, 1) == 1 {
        return a;
    }
    let mut h = Hand::EMPTY;
    for kind in Kind::HAND {
        h.set(kind, f(a.count(kind), b.count(kind)));
    }
    h
}

/// The attacker's hand after its move `m`.
#[inline]
pub(crate) fn after<V: Variant>(pos: &Position<V>, hand: Hand, m: Move) -> Hand {
    let mut hand = hand;
    if let Some(kind) = m.dropped() {
        hand.remove(kind);
    } else if let Some(kind) = pos.piece_at(m.to()).kind() {
        hand.add(kind.unpromoted());
    }
    hand
}

/// What must be in hand before the attacker's move `m` so that `needed` is there after it.
pub(crate) fn needed_before<V: Variant>(pos: &Position<V>, needed: Hand, m: Move) -> Hand {
    let mut hand = needed;
    if let Some(kind) = m.dropped() {
        hand.add(kind);
    } else if let Some(kind) = pos.piece_at(m.to()).kind().map(Kind::unpromoted)
        && hand.has(kind)
    {
        hand.remove(kind);
    }
    hand
}

/// What the attacker must keep so that the defender, in check, gets no new kind of piece to put
/// between: all of every kind the defender has none of.
pub(crate) fn kept_from_defender<V: Variant>(pos: &Position<V>, attacker: Color) -> Hand {
    let mut kept = Hand::EMPTY;
    let checkers = pos.checkers();
    let Some(king) = pos.king(attacker.opponent()) else { return kept };
    if checkers.is_empty() || checkers.many() || V::between(king, checkers.first()).is_empty() {
        return kept;
    }
    let (own, other) = (pos.hand(attacker), pos.hand(attacker.opponent()));
    for kind in Kind::HAND {
        if !other.has(kind) {
            kept.set(kind, own.count(kind));
        }
    }
    kept
}

/// The largest hand that adds no kind of piece to what the attacker can drop: everything in
/// either hand of the kinds the attacker has.
pub(crate) fn without_new_kinds<V: Variant>(pos: &Position<V>, attacker: Color) -> Hand {
    let own = pos.hand(attacker);
    let mut hand = sum(own, pos.hand(attacker.opponent()));
    for kind in Kind::HAND {
        if !own.has(kind) {
            hand.set(kind, 0);
        }
    }
    hand
}
