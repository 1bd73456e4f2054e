//! How often each side attacks each square, counted to two.

use rules::{Bits, Color, Kind, Position, Square, Variant};

/// Squares attacked at least once and at least twice by each colour. Pins do not matter, kings
/// count, and nothing is seen through another piece.
#[derive(Clone, Copy, Debug)]
pub struct Effects<V: Variant> {
    once: [V::Bits; 2],
    twice: [V::Bits; 2],
}

impl<V: Variant> Effects<V> {
    /// Counts the attacks of a position.
    pub fn of(pos: &Position<V>) -> Self {
        let occupied = pos.occupied();
        let mut e = Self { once: [V::Bits::EMPTY; 2], twice: [V::Bits::EMPTY; 2] };
        for color in Color::BOTH {
            let (mut once, mut twice) = (V::Bits::EMPTY, V::Bits::EMPTY);
            for kind in Kind::ALL {
                pos.pieces_of(color, kind).each(|sq| {
                    let attacks = V::attacks(color, kind, sq, occupied);
                    twice |= once & attacks;
                    once |= attacks;
                });
            }
            e.once[color.index()] = once;
            e.twice[color.index()] = twice;
        }
        e
    }

    /// Attacks of a colour on a square: 0, 1, or 2 for two and more.
    #[inline]
    pub fn count(&self, color: Color, sq: Square) -> usize {
        usize::from(self.once[color.index()].has(sq))
            + usize::from(self.twice[color.index()].has(sq))
    }

    /// The attacks on a square as one number: 3 · those of `perspective` + those of the other.
    #[inline]
    pub fn code(&self, perspective: Color, sq: Square) -> usize {
        3 * self.count(perspective, sq) + self.count(perspective.opponent(), sq)
    }
}
