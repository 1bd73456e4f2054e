//! What our pieces attack next to the enemy king, and whether that leaves any hope of a mate.

use rules::{Bits, Color, Kind, Position, Square, Variant};

/// From outside: two squares of the line and two of a dragon's or horse's short steps.
const MOST_FROM_AFAR: u32 = 4;

/// What our pieces attack next to the enemy king.
pub(super) struct Guards<V: Variant> {
    /// The squares next to the king.
    pub(super) ring: V::Bits,
    /// Squares of the ring attacked, the king taken off the board.
    pub(super) once: V::Bits,
    /// Squares attacked twice or more, looking through our own pieces: a superset of what stays
    /// guarded after one of the attackers moved there.
    pub(super) twice: V::Bits,
    /// Squares our sliders would attack if an own piece in front of them left.
    pub(super) opened: V::Bits,
    /// Squares the king could step to now.
    pub(super) flights: V::Bits,
    /// Our pieces that alone stand between a slider of ours and the king.
    pub(super) shields: V::Bits,
}

impl<V: Variant> Guards<V> {
    /// What the pieces of `us` attack.
    #[inline]
    pub(super) fn count(pos: &Position<V>, us: Color, king: Square) -> Self {
        let own = pos.pieces(us);
        let ring = V::reach(us, Kind::King, king);
        let pawns = pos.kind(Kind::Pawn) & own & !V::far_ranks(us, 1);
        let advanced = if us == Color::Black { pawns.up() } else { pawns.down() };
        let mut once = advanced & ring;
        let (mut twice, mut opened) = (V::Bits::EMPTY, V::Bits::EMPTY);
        let mut shields = V::Bits::EMPTY;
        let attackers = V::ring_attackers(us, king);
        let (horses, dragons) = (pos.kind(Kind::Horse), pos.kind(Kind::Dragon));
        let near = V::near(king) & own;
        let steppers = near & (pos.golds() | pos.kind(Kind::Silver) | pos.kind(Kind::King))
            | own & attackers.knight & pos.kind(Kind::Knight);
        let mut step = |a: V::Bits| {
            twice |= once & a & ring;
            once |= a & ring;
        };
        let mut set = steppers;
        while set.any() {
            step(reach(pos, us, set.pop()));
        }
        // Of a dragon or horse the steps that do not belong to its lines.
        let mut set = near & (horses | dragons);
        while set.any() {
            let sq = set.pop();
            let line = if horses.has(sq) { Kind::Bishop } else { Kind::Rook };
            step(reach(pos, us, sq) & !V::reach(us, line, sq));
        }
        let bit = V::Bits::of(king);
        let occupied = pos.occupied() ^ bit;
        let mut slide = |slider: Square, lines: V::Bits, attacks: &dyn Fn(V::Bits) -> V::Bits| {
            let seen = attacks(occupied);
            twice |= once & seen & ring;
            once |= seen & ring;
            // What is seen only through an own piece supports that piece, but guards nothing yet.
            let own_seen = seen & own;
            let hidden = lines & !seen & (ring | bit);
            if own_seen.any() && hidden.any() {
                let through = attacks(occupied ^ own_seen) & hidden;
                twice |= through & ring;
                opened |= through & ring;
                if (through & bit).any() {
                    shields |= V::between(king, slider) & own_seen;
                }
            }
        };
        let mut set = own & attackers.bishop & (pos.kind(Kind::Bishop) | horses);
        while set.any() {
            let sq = set.pop();
            slide(sq, V::reach(us, Kind::Bishop, sq), &|occupied| V::bishop_attacks(sq, occupied));
        }
        let mut set = own & attackers.rook & (pos.kind(Kind::Rook) | dragons);
        while set.any() {
            let sq = set.pop();
            slide(sq, V::reach(us, Kind::Rook, sq), &|occupied| V::rook_attacks(sq, occupied));
        }
        let mut set = own & attackers.lance & pos.kind(Kind::Lance);
        while set.any() {
            let sq = set.pop();
            slide(sq, V::reach(us, Kind::Lance, sq), &|occupied| {
                V::lance_attacks(us, sq, occupied)
            });
        }
        let flights = ring & !pos.pieces(us.opponent()) & !once;
        Self { ring, once, twice, opened, flights, shields }
    }

    /// Looks for what could mate at all, by conditions that cost little. Most positions end here:
    /// nothing to uncover, no square next to the king that a piece could go to and be safe, and
    /// from afar there are too many flights, or the enemy holds something to put between.
    #[inline]
    pub(super) fn hopes(&self, pos: &Position<V>, king: Square) -> Option<MateSources<V::Bits>> {
        let us = pos.turn();
        let stuck = self.flights & !self.opened;
        let mut sites = self.twice & !pos.pieces(us);
        if pos.hand(us).has_more_than_pawns() {
            sites |= self.once & !pos.occupied();
        }
        let mut gates = V::Bits::EMPTY;
        if stuck.count() <= MOST_FROM_AFAR && !interposes_anywhere(pos, us.opponent(), self.ring) {
            gates = self.gates(pos, us);
        }
        if stuck.any() {
            // Two steps like a knight's away: no piece covers that from next to the king.
            sites = keep(sites, |to| {
                let queen = V::reach(us, Kind::Horse, to) | V::reach(us, Kind::Rook, to);
                (stuck & !queen & !V::Bits::of(to)).is_empty()
            });
            // From afar a piece covers squares of its line, and a dragon or horse two steps away
            // those next to the square between.
            gates = keep(gates, |r| {
                (stuck & !V::line(king, r) & !V::reach(us, Kind::King, r)).is_empty()
            });
        }
        let hope = sites.any() || gates.any() || self.shields.any() || stuck.is_empty();
        hope.then_some(MateSources { stuck, sites, gates })
    }

    /// Squares next to the king through which a check from afar could pass: empty, and the enemy,
    /// who holds nothing else, cannot put a pawn there.
    #[inline]
    fn gates(&self, pos: &Position<V>, us: Color) -> V::Bits {
        let them = us.opponent();
        let mut gates = self.ring & !pos.occupied();
        if pos.hand(them).has(Kind::Pawn) {
            let mut pawns = pos.pawnless_files(them) & !V::dead_zone(them, Kind::Pawn);
            if let Some(home) = pos.king(us) {
                // This one might be forbidden: it would mate our own king.
                pawns &= !V::reach(us, Kind::King, home);
            }
            gates &= !pawns;
        }
        gates
    }
}

/// Where a mate could come from.
pub(super) struct MateSources<B> {
    /// Flights that stay open whichever piece of ours leaves its square: the one that moves must
    /// cover them from where it goes.
    pub(super) stuck: B,
    /// Squares next to the king worth going to.
    pub(super) sites: B,
    /// Squares next to the king a check from afar could pass.
    pub(super) gates: B,
}

/// The squares of a set that satisfy a condition.
#[inline]
fn keep<B: Bits>(set: B, condition: impl Fn(Square) -> bool) -> B {
    let (mut set, mut kept) = (set, set);
    while set.any() {
        let sq = set.pop();
        if !condition(sq) {
            kept ^= B::of(sq);
        }
    }
    kept
}

/// Whether a player holds a piece that can be dropped on any empty square of these.
#[inline]
pub(super) fn interposes_anywhere<V: Variant>(
    pos: &Position<V>,
    color: Color,
    squares: V::Bits,
) -> bool {
    let hand = pos.hand(color);
    let free = |kind| hand.has(kind) && (squares & V::dead_zone(color, kind)).is_empty();
    [Kind::Gold, Kind::Silver, Kind::Bishop, Kind::Rook].iter().any(|&k| hand.has(k))
        || free(Kind::Lance)
        || free(Kind::Knight)
}

/// Where the piece on `sq`, which is ours, would go on an empty board.
#[inline]
fn reach<V: Variant>(pos: &Position<V>, us: Color, sq: Square) -> V::Bits {
    pos.piece_at(sq).kind().map_or(V::Bits::EMPTY, |kind| V::reach(us, kind, sq))
}
