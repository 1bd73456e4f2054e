//! What threatens the kings: a mate by the other side if this one passed, and how hard each king is pressed. All of it is off
//! until a number asks for it.

use crate::params::Params;
use crate::worker::Worker;
use eval::Evaluator;
use mate::Pressure;
use rules::{Bits, Color, Hand, Kind, Move, Piece, Position, Variant};

/// What a node does about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Alarm {
    /// The move that would mate; none if there is none.
    pub(crate) threat: Move,
    /// Added to the margins by which a position must stand above or below the window to be left unread.
    pub(crate) margin: i32,
    /// Taken off the reductions.
    pub(crate) reduction: i32,
}

impl Alarm {
    /// Nothing.
    pub(crate) const NONE: Self = Self { threat: Move::NONE, margin: 0, reduction: 0 };
}

/// Pieces that mate: all in hand but pawns.
fn attackers(hand: Hand) -> i32 {
    (hand.total() - hand.count(Kind::Pawn)) as i32
}

impl Params {
    #[inline]
    fn asks_for_threats(&self) -> bool {
        self.threat_margin | self.lmr_threat | self.order_parry != 0
    }

    #[inline]
    fn asks_for_danger(&self) -> bool {
        self.danger_margin | self.lmr_danger | self.lmr_attack != 0
    }

    /// Whether a king is in danger of pieces in such a hand.
    fn is_danger(&self, pressed: Pressure, hand: Hand) -> bool {
        let Pressure { attacked, flights } = pressed;
        attacked > 0 && attacked as i32 + attackers(hand) - flights as i32 >= self.danger_from
    }
}

impl<V: Variant, E: Evaluator<V>> Worker<V, E> {
    /// What threatens the kings here. Nothing in check.
    #[inline]
    pub(crate) fn alarm(&mut self, depth: i32) -> Alarm {
        let p = &self.params;
        let asked = p.asks_for_threats() || p.asks_for_danger();
        if asked && depth >= p.threat_depth { self.look_for_alarm() } else { Alarm::NONE }
    }

    #[inline(never)]
    fn look_for_alarm(&mut self) -> Alarm {
        let mut alarm = Alarm::NONE;
        if self.params.asks_for_threats()
            && let Some(threat) = mate::mate_threat(&mut self.pos)
        {
            alarm.threat = threat;
            alarm.margin += self.params.threat_margin;
            alarm.reduction += self.params.lmr_threat;
        }
        let (p, us) = (&self.params, self.pos.turn());
        if p.asks_for_danger() && !self.pos.in_check() {
            let in_danger = |color: Color| {
                let hand = self.pos.hand(color.opponent());
                p.is_danger(mate::pressure(&self.pos, color), hand)
            };
            if p.danger_margin | p.lmr_danger != 0 && in_danger(us) {
                alarm.margin += p.danger_margin;
                alarm.reduction += p.lmr_danger;
            }
            if p.lmr_attack != 0 && in_danger(us.opponent()) {
                alarm.reduction += p.lmr_attack;
            }
        }
        alarm
    }
}

/// Whether a quiet move may parry a mate: the king goes, the square or the way to it is taken or guarded.
pub(crate) fn may_parry<V: Variant>(
    pos: &Position<V>,
    threat: Move,
    m: Move,
    mover: Piece,
) -> bool {
    let Some(kind) = mover.kind() else { return false };
    let target = threat.to();
    kind == Kind::King
        || m.to() == target
        || !threat.is_drop() && V::between(threat.from(), target).has(m.to())
        || V::attacks(pos.turn(), kind, m.to(), pos.occupied()).has(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Shogi;

    #[test]
    fn a_gold_that_would_mate_is_parried_by_what_goes_there_guards_it_or_runs() {
        // Black threatens a gold in front of the king.
        let sfen = "2g1k4/9/4P4/9/9/9/9/9/4K4 w Gsp 1";
        let mut pos = Position::<Shogi>::from_sfen(sfen).unwrap();
        let threat = mate::mate_threat(&mut pos).unwrap();
        assert_eq!(threat.to(), pos.parse_usi("S*5b").unwrap().to());
        let parries = |usi: &str| {
            let m = pos.parse_usi(usi).unwrap();
            may_parry(&pos, threat, m, pos.moved_piece(m))
        };
        for usi in ["5a4b", "S*5b", "S*4a", "7a6a"] {
            assert!(parries(usi), "{usi}");
        }
        for usi in ["S*9e", "P*2b", "7a8a"] {
            assert!(!parries(usi), "{usi}");
        }
    }

    #[test]
    fn danger_is_attackers_without_flights() {
        let p = Params::SHOGI;
        let mut hand = Hand::EMPTY;
        let pressed = |attacked, flights| Pressure { attacked, flights };
        assert!(!p.is_danger(pressed(2, 1), hand));
        hand.add(Kind::Pawn);
        assert!(!p.is_danger(pressed(2, 1), hand));
        hand.add(Kind::Gold);
        hand.add(Kind::Silver);
        assert!(p.is_danger(pressed(2, 1), hand));
        assert!(!p.is_danger(pressed(2, 4), hand));
        // A castle full of its own pieces, with nobody near.
        hand.add(Kind::Rook);
        assert!(!p.is_danger(pressed(0, 0), hand));
    }
}
