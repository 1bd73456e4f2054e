//! Static exchange evaluation: what a capture is worth when both sides go on taking on that
//! square, cheapest piece first.

use crate::bits::Bits;
use crate::position::Position;
use crate::{Color, Kind, Move, Square, Variant};

/// Value of each kind by its number; index 0 (nothing) must be 0. The rules have no opinion about
/// values, so the caller brings them.
pub type PieceValues = [i32; 15];

/// Rank of each kind, by its number, in the order in which they take: from cheap to dear.
const ORDER: [u8; 16] = {
    let kinds = [
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
    let mut order = [u8::MAX; 16];
    let mut rank = 0;
    while rank < kinds.len() {
        order[kinds[rank].index()] = rank as u8;
        rank += 1;
    }
    order
};

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
        let (us, them) = (self.turn(), self.turn().opponent());
        let mut occupied = self.occupied() | V::Bits::of(to);
        if !m.is_drop() {
            occupied ^= V::Bits::of(m.from());
        }
        let sliders = self.diagonals_onto(to, occupied) | self.straights_onto(to, occupied);
        let mut attackers = (self.stepping_attackers(them, to) | sliders) & self.pieces(them);
        if attackers.is_empty() {
            return true;
        }
        attackers |= (self.stepping_attackers(us, to) | sliders) & self.pieces(us) & occupied;
        let mut side = us;
        let mut result = true;
        loop {
            side = side.opponent();
            let own = attackers & self.pieces(side);
            if own.is_empty() {
                break;
            }
            result = !result;
            let (from, kind) = self.cheapest(own);
            if kind == Kind::King.index() {
                // The king takes last, and only if nobody takes it in turn.
                return if (attackers & self.pieces(side.opponent())).any() {
                    !result
                } else {
                    result
                };
            }
            balance = values[kind] - balance;
            if balance < i32::from(result) {
                break;
            }
            // What stood behind it takes part, on the line it left.
            occupied ^= V::Bits::of(from);
            attackers ^= V::Bits::of(from);
            if V::reach(us, Kind::Rook, to).has(from) {
                attackers |= self.straights_onto(to, occupied) & occupied;
            } else if V::reach(us, Kind::Bishop, to).has(from) {
                attackers |= self.diagonals_onto(to, occupied) & occupied;
            }
        }
        result
    }

    /// The piece of a set that takes first, the first of its kind: its square and its kind's number.
    #[inline]
    fn cheapest(&self, mut set: V::Bits) -> (Square, usize) {
        let mut best = set.pop();
        let mut kind = self.piece_at(best).kind_index();
        while set.any() {
            let sq = set.pop();
            let other = self.piece_at(sq).kind_index();
            if ORDER[other] < ORDER[kind] {
                (best, kind) = (sq, other);
            }
        }
        (best, kind)
    }

    /// Bishops and horses of both colours that attack a square along a diagonal.
    #[inline]
    fn diagonals_onto(&self, to: Square, occupied: V::Bits) -> V::Bits {
        V::bishop_attacks(to, occupied) & (self.kind(Kind::Bishop) | self.kind(Kind::Horse))
    }

    /// Rooks, dragons and lances of both colours that attack a square along its file or rank.
    #[inline]
    fn straights_onto(&self, to: Square, occupied: V::Bits) -> V::Bits {
        // A lance attacks from where one of the other colour, standing there, would attack.
        let [black, white] =
            Color::BOTH.map(|c| V::reach(c.opponent(), Kind::Lance, to) & self.pieces(c));
        let lances = self.kind(Kind::Lance) & (black | white);
        V::rook_attacks(to, occupied) & (self.kind(Kind::Rook) | self.kind(Kind::Dragon) | lances)
    }
}
