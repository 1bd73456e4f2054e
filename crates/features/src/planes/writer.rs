//! Bits, one after another, into bytes.

use rules::{Bits, Color, Position, Variant};

/// Writes a packed position from its first bit to its last value.
pub(super) struct Writer<'a> {
    out: &'a mut [u8],
    /// Bytes written.
    at: usize,
    /// Bits not yet written, and how many (fewer than 64).
    word: u64,
    filled: u32,
    /// Whether the board is turned around.
    turned: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new<V: Variant>(position: &Position<V>, out: &'a mut [u8]) -> Self {
        let turned = position.turn() == Color::White;
        Self { out, at: 0, word: 0, filled: 0, turned }
    }

    /// Writes the lowest `count` bits (at most 64); those above must be clear.
    #[inline]
    pub(super) fn bits(&mut self, bits: u64, count: u32) {
        self.word |= bits << self.filled;
        let filled = self.filled + count;
        if filled < 64 {
            self.filled = filled;
            return;
        }
        self.out[self.at..self.at + 8].copy_from_slice(&self.word.to_le_bytes());
        self.at += 8;
        // What did not fit; in two steps, as all 64 bits may have.
        self.word = bits >> 1 >> (63 - self.filled);
        self.filled = filled - 64;
    }

    /// Writes a plane.
    #[inline]
    pub(super) fn plane<V: Variant>(&mut self, squares: V::Bits) {
        let mut bits = squares.packed();
        if self.turned && bits != 0 {
            bits = bits.reverse_bits() >> (128 - V::SQUARES);
        }
        if V::SQUARES > 64 {
            self.bits(bits as u64, 64);
            self.bits((bits >> 64) as u64, V::SQUARES as u32 - 64);
        } else {
            self.bits(bits as u64, V::SQUARES as u32);
        }
    }

    /// Writes a constant plane of 0 or 1.
    #[inline]
    pub(super) fn flag(&mut self, flag: bool) {
        self.bits(u64::from(flag), 1);
    }

    /// Writes `most` constant planes, of which the first `count` are 1.
    #[inline]
    pub(super) fn at_least(&mut self, count: usize, most: usize) {
        self.bits((1 << count.min(most)) - 1, most as u32);
    }

    /// Ends the bits at a whole byte, and writes the constant planes of other values.
    pub(super) fn values(mut self, values: impl Iterator<Item = u16>) {
        let bytes = self.filled.div_ceil(8) as usize;
        self.out[self.at..self.at + bytes].copy_from_slice(&self.word.to_le_bytes()[..bytes]);
        self.at += bytes;
        for value in values {
            self.out[self.at..self.at + 2].copy_from_slice(&value.to_le_bytes());
            self.at += 2;
        }
        debug_assert_eq!(self.at, self.out.len());
    }
}
