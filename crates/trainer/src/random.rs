//! Random numbers that are the same everywhere: splitmix64.

/// A source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Random(u64);

impl Random {
    /// The source of a seed and of numbers that tell one use of the seed from another.
    pub fn new(seed: u64, uses: &[u64]) -> Self {
        let mut random = Self(seed);
        for &number in uses {
            random.0 = random.bits() ^ number.wrapping_mul(0xA076_1D64_78BD_642F);
        }
        random
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `count` (which is not 0).
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// A number between −1 and 1.
    pub fn signed(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    /// Puts things into a random order.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for i in (1..things.len()).rev() {
            things.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bounds_and_differ_by_use() {
        let mut random = Random::new(1, &[2, 3]);
        let mut counts = [0; 5];
        for _ in 0..5000 {
            counts[random.below(5)] += 1;
            assert!(random.signed().abs() <= 1.0);
        }
        assert!(counts.iter().all(|&n| (850..1150).contains(&n)), "{counts:?}");
        assert_ne!(Random::new(1, &[2]).bits(), Random::new(1, &[3]).bits());
        let mut order: Vec<usize> = (0..100).collect();
        random.shuffle(&mut order);
        assert!(!order.is_sorted());
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(i, &n)| i == n));
    }
}
