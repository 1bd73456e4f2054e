//! Static exchange evaluation: what a capture is worth when both sides go on taking on that
//! square, cheapest piece first.

use crate::bits::Bits;
use crate::position::Position;
use crate::{Color, Kind, Move, Variant};

/// Value of each kind by its number; index 0 (nothing) must be 0. The rules have no opinion about
/// values, so the caller brings them.
pub type PieceValues = [i32; 15];

/// Kinds from cheap to dear, in the order they take.
const ORDER: [Kind; 14] = [
    Kind::Pawn,
    Kind::Lance,
    Kind::Knight,
    Kind::ProPawn,
    Kind::ProLance,
    Kind::ProKnight,
    Kind::Silver,
    Kind::ProSilver,
    Kind::Gold,
    Kind::Bishop,
    Kind::Rook,
    Kind::Horse,
    Kind::Dragon,
    Kind::King,
];

impl<V: Variant> Position<V> {
    /// Whether the exchange that `m` starts gains at least `threshold`.
    pub fn see_at_least(&self, m: Move, threshold: i32, values: &PieceValues) -> bool {
        let to = m.to();
        let captured = self.piece_at(to).kind_index();
        let (moved, gain) = match m.dropped() {
            Some(kind) => (kind.index(), 0),
            None => {
                let piece = self.piece_at(m.from());
                let before = piece.kind_index();
                let after = if m.is_promotion() { piece.promoted().kind_index() } else { before };
                (after, values[after] - values[before])
            }
        };
        // What we have if nobody takes back.
        let mut balance = values[captured] + gain - threshold;
        if balance < 0 {
            return false;
        }
        // What is left if our piece is simply lost.
        balance = values[moved] - balance;
        if balance <= 0 {
            return true;
        }
        let mut occupied = self.occupied() | V::Bits::of(to);
        if !m.is_drop() {
            occupied ^= V::Bits::of(m.from());
        }
        let mut attackers = self.attackers(to, occupied) & occupied;
        let mut side = self.turn();
        let mut result = true;
        loop {
            side = side.opponent();
            attackers &= occupied;
            let own = attackers & self.pieces(side);
            if own.is_empty() {
                break;
            }
            result = !result;
            let Some(kind) = ORDER.into_iter().find(|&k| (own & self.kind(k)).any()) else { break };
            if kind == Kind::King {
                // The king takes last, and only if nobody takes it in turn.
                return if (attackers & self.pieces(side.opponent())).any() {
                    !result
                } else {
                    result
                };
            }
            balance = values[kind.index()] - balance;
            if balance < i32::from(result) {
                break;
            }
            occupied ^= V::Bits::of((own & self.kind(kind)).first());
            attackers |= self.sliders_onto(to, occupied);
        }
        result
    }

    /// Sliders of both colours that attack a square: those uncovered behind a piece that took.
    #[inline]
    fn sliders_onto(&self, to: crate::Square, occupied: V::Bits) -> V::Bits {
        let bishops = self.kind(Kind::Bishop) | self.kind(Kind::Horse);
        let rooks = self.kind(Kind::Rook) | self.kind(Kind::Dragon);
        let lances = self.kind(Kind::Lance);
        V::bishop_attacks(to, occupied) & bishops
            | V::rook_attacks(to, occupied) & rooks
            | V::lance_attacks(Color::White, to, occupied) & lances & self.pieces(Color::Black)
            | V::lance_attacks(Color::Black, to, occupied) & lances & self.pieces(Color::White)
    }
}
