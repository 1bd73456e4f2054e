//! Numbers that look random and are the same for the same seed, on every machine.

/// A stream of numbers (SplitMix64: Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub struct Seed(u64);

impl Seed {
    /// The stream of that seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream of its own for each index, so that work can be shared out in any way.
    pub fn branch(&self, index: u64) -> Self {
        let mut mixed = Self(self.0 ^ index.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        Self(mixed.number())
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The next number below `bound`, every one equally likely; 0 if the bound is.
    pub fn below(&mut self, bound: usize) -> usize {
        // Lemire's multiplication; the bias of 2^-64 times the bound is below notice.
        ((u128::from(self.number()) * bound as u128) >> 64) as usize
    }

    /// The next number from 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts a list in random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        // First outputs of SplitMix64 for seed 1234567 as published with the algorithm.
        let mut seed = Seed::new(1_234_567);
        assert_eq!(seed.number(), 6_457_827_717_110_365_317);
        assert_eq!(seed.number(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn shuffling_keeps_everything_and_depends_on_the_seed() {
        let order = |seed| {
            let mut list: Vec<u32> = (0..100).collect();
            Seed::new(seed).shuffle(&mut list);
            list
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        let mut sorted = order(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_all_of_it() {
        let mut seed = Seed::new(7).branch(3);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[seed.below(6)] += 1;
            assert!((0.0..1.0).contains(&seed.unit()));
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
        assert_eq!(seed.below(0), 0);
    }
}
