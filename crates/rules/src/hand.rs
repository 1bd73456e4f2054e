//! Pieces in hand, packed in 32 bits.
//!
//! Every kind has its own field with a free bit above it, so that "has at least as many of
//! everything" is one subtraction and one mask.

use crate::Kind;

/// Bit position of each kind's count, by kind number.
const SHIFT: [u32; 8] = [0, 0, 6, 10, 14, 18, 21, 24];
/// Mask of each kind's count (before shifting), by kind number.
const MASK: [u32; 8] = [0, 31, 7, 7, 7, 3, 3, 7];
/// The free bit above each field.
const BORROW: u32 = 1 << 5 | 1 << 9 | 1 << 13 | 1 << 17 | 1 << 20 | 1 << 23 | 1 << 27;

/// One player's pieces in hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hand(u32);

impl Hand {
    /// Nothing in hand.
    pub const EMPTY: Self = Self(0);

    /// How many of this kind (an unpromoted kind other than the king).
    #[inline]
    pub const fn count(self, kind: Kind) -> usize {
        (self.0 >> SHIFT[kind as usize] & MASK[kind as usize]) as usize
    }

    /// Whether there is at least one of this kind.
    #[inline]
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & MASK[kind as usize] << SHIFT[kind as usize] != 0
    }

    /// Whether there is nothing.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether there is anything besides pawns.
    #[inline]
    pub const fn has_more_than_pawns(self) -> bool {
        self.0 & !31 != 0
    }

    /// One more of this kind.
    #[inline]
    pub const fn add(&mut self, kind: Kind) {
        debug_assert!(self.count(kind) < MASK[kind as usize] as usize);
        self.0 += 1 << SHIFT[kind as usize];
    }

    /// One less of this kind; there must be one.
    #[inline]
    pub const fn remove(&mut self, kind: Kind) {
        debug_assert!(self.has(kind));
        self.0 -= 1 << SHIFT[kind as usize];
    }

    /// Sets the count of one kind.
    pub const fn set(&mut self, kind: Kind, count: usize) {
        debug_assert!(count <= MASK[kind as usize] as usize);
        let (shift, mask) = (SHIFT[kind as usize], MASK[kind as usize]);
        self.0 = self.0 & !(mask << shift) | (count as u32) << shift;
    }

    /// Whether this hand has at least as many of every kind as `other`.
    #[inline]
    pub const fn covers(self, other: Self) -> bool {
        ((self.0 | BORROW) - other.0) & BORROW == BORROW
    }

    /// All pieces in hand.
    pub fn total(self) -> usize {
        Kind::HAND.iter().map(|&k| self.count(k)).sum()
    }

    /// The packed bits: a compact value for tables and tests of equality.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// A hand from bits this program packed itself.
    #[inline]
    pub const fn from_bits_unchecked(bits: u32) -> Self {
        Self(bits)
    }
}

impl std::fmt::Debug for Hand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut m = f.debug_map();
        for kind in Kind::HAND.iter().filter(|&&k| self.has(k)) {
            m.entry(kind, &self.count(*kind));
        }
        m.finish()
    }
}
