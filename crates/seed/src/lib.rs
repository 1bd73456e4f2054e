//! The one random generator of the house, and the hash of what is stored: the same numbers for the
//! same seed and the same bytes, on every machine.
//!
//! SplitMix64 (Steele, Lea and Flood, 2014): 64 bits of state, one addition and two
//! multiplications for a number. Position keys, shuffled training data, openings and self-play
//! depend on its exact output, so nothing here may change: every stream is tested against fixed
//! numbers.
//!
//! [`fnv1a`] is the hash that stands in files: proofs, journals of matches, lists of games. What
//! lives only while a program runs uses xxHash or the standard library's hasher.
//!
//! Deliberately absent: entropy. Whoever wants a surprise passes a seed that is one.

/// The step of the state from one number to the next: 2⁶⁴ divided by the golden ratio, odd.
pub const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The stream of a seed for one purpose, named by numbers: an epoch, a shard, a thread.
    /// Streams of other purposes are unrelated to it.
    pub const fn for_purpose(seed: u64, purpose: &[u64]) -> Self {
        let mut rng = Self::new(seed);
        let mut i = 0;
        while i < purpose.len() {
            rng.state = rng.bits() ^ purpose[i].wrapping_mul(0xa076_1d64_78bd_642f);
            i += 1;
        }
        rng
    }

    /// The stream with that number among those this one splits into, so that work can be shared
    /// out in any order. This stream does not move.
    #[must_use]
    pub const fn split(&self, index: u64) -> Self {
        let mut mixed = Self::new(self.state ^ index.wrapping_mul(0xd6e8_feb8_6659_fd93));
        Self::new(mixed.bits())
    }

    /// The next 64 random bits.
    #[inline]
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, each equally likely; 0 if the bound is.
    #[inline]
    pub const fn below(&mut self, bound: usize) -> usize {
        // Lemire's multiplication; its bias of `bound` in 2⁶⁴ is far below notice.
        ((self.bits() as u128 * bound as u128) >> 64) as usize
    }

    /// A number from 0 to 1, 1 excluded.
    #[inline]
    pub const fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from 0 to 1, 0 excluded: one whose logarithm is finite.
    #[inline]
    pub const fn positive_unit(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 1.0) / (1u64 << 53) as f64
    }

    /// A number from −1 to 1, 1 excluded.
    #[inline]
    pub const fn signed_unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Puts a list in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

/// What [`fnv1a`] begins with.
pub const FNV1A_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a with 64 bits (Fowler, Noll and Vo). Its values are stored in files for ever: it may never
/// change.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(FNV1A_START, |hash, byte| fnv1a_step(hash, u64::from(byte)))
}

/// One step of [`fnv1a`], for hashes that begin with something else or take more than a byte at a
/// time.
#[inline]
pub const fn fnv1a_step(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3)
}

#[cfg(test)]
mod tests;
