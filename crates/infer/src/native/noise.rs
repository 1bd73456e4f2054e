//! Nets of random numbers, to test and to measure with.

use super::architecture::Architecture;
use super::floats::{Convolution, Floats};
use seed::Rng;

impl Floats {
    /// A net whose layers neither die out nor grow without bounds (He's rule: the deviation that
    /// keeps the size of rectified numbers).
    pub fn random(architecture: Architecture, seed: u64) -> Self {
        let Architecture { shape, blocks, channels, value_channels, value_hidden } = architecture;
        let mut rng = Rng::new(seed);
        let mut numbers = |count: usize, inputs: usize| -> Vec<f32> {
            let size = (6.0 / inputs as f32).sqrt();
            (0..count).map(|_| size * rng.signed_unit()).collect()
        };
        let mut layer = |outputs: usize, inputs: usize| Convolution {
            weight: numbers(outputs * inputs, inputs),
            bias: numbers(outputs, 600),
        };
        let stem = layer(channels, shape.planes.count() * 9);
        let mut block = || [layer(channels, channels * 9), layer(channels, channels * 9)];
        let blocks = (0..blocks).map(|_| block()).collect();
        let policy = layer(architecture.policy_planes(), channels).weight;
        let policy_bias = layer(shape.labels.count(), 1).bias;
        let value = layer(value_channels, channels);
        let value_fc1 = layer(value_hidden, value_channels * shape.game.squares());
        let value_fc2 = layer(1, value_hidden);
        Self { architecture, stem, blocks, policy, policy_bias, value, value_fc1, value_fc2 }
    }
}
