//! Where pieces stand and what they attack: the planes most sets begin with.

use super::writer::Writer;
use rules::{Bits, Color, Kind, Position, Variant};

/// What one player's pieces of a kind attack, and how often squares are attacked in all.
pub(super) struct Attacks<V: Variant, const COUNTED: usize> {
    /// By kind number: squares attacked by any piece of the kind.
    pub(super) by_kind: [V::Bits; 15],
    /// Squares attacked at least once, twice, …
    pub(super) at_least: [V::Bits; COUNTED],
}

impl<V: Variant, const COUNTED: usize> Attacks<V, COUNTED> {
    /// Own pieces on attacked squares count as attacked, pins do not matter, and nothing is seen
    /// through another piece.
    #[inline]
    pub(super) fn of(position: &Position<V>, color: Color, kinds: &[Kind]) -> Self {
        let mut a = Self { by_kind: [V::Bits::EMPTY; 15], at_least: [V::Bits::EMPTY; COUNTED] };
        let occupied = position.occupied();
        for &kind in kinds {
            let mut union = V::Bits::EMPTY;
            if kind == Kind::Pawn {
                // All at once: no two pawns attack the same square. One on the far rank (set up,
                // never played) attacks nothing.
                let pawns = position.pieces_of(color, kind) & !V::far_ranks(color, 1);
                union = if color == Color::Black { pawns.up() } else { pawns.down() };
                a.count(union);
            } else {
                position.pieces_of(color, kind).each(|sq| {
                    let attacks = V::attacks(color, kind, sq, occupied);
                    union |= attacks;
                    a.count(attacks);
                });
            }
            a.by_kind[kind.index()] = union;
        }
        a
    }

    #[inline]
    fn count(&mut self, attacks: V::Bits) {
        for k in (1..COUNTED).rev() {
            self.at_least[k] |= self.at_least[k - 1] & attacks;
        }
        self.at_least[0] |= attacks;
    }
}

/// For the side to move, then for the other: where its pieces stand by kind, what they attack by
/// kind, and the squares attacked at least once, twice and thrice.
#[inline]
pub(super) fn write<V: Variant>(position: &Position<V>, kinds: &[Kind], writer: &mut Writer<'_>) {
    for color in [position.turn(), position.turn().opponent()] {
        let attacks = Attacks::<V, 3>::of(position, color, kinds);
        for &kind in kinds {
            writer.plane::<V>(position.pieces_of(color, kind));
        }
        for &kind in kinds {
            writer.plane::<V>(attacks.by_kind[kind.index()]);
        }
        for squares in attacks.at_least {
            writer.plane::<V>(squares);
        }
    }
}

/// For the side to move, then for the other, kind by kind: as many constant planes as there can
/// be pieces of the kind in a hand, of which as many as there are have 1.
#[inline]
pub(super) fn write_hands<V: Variant>(
    position: &Position<V>,
    most: &[(Kind, usize)],
    writer: &mut Writer<'_>,
) {
    for color in [position.turn(), position.turn().opponent()] {
        let hand = position.hand(color);
        for &(kind, most) in most {
            writer.at_least(hand.count(kind), most);
        }
    }
}
