//! Random nets: for tests, benchmarks, and as something to start from.

use crate::net::{Net, Transformer};
use features::FeatureSet;
use rules::Variant;
use seed::Rng;
use simd::{AlignedVec, Parameters, Shape};

/// Random parameters of a given size; the same seed gives the same net everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Noise {
    pub seed: u64,
    /// Largest absolute value of a transformer parameter (16 bits).
    pub transformer: i16,
    /// Largest absolute value of a weight (8 bits).
    pub weight: i8,
    /// Largest absolute value of a bias (32 bits).
    pub bias: i32,
}

impl Noise {
    /// Sizes like those of a trained net.
    pub const fn ordinary(seed: u64) -> Self {
        Self { seed, transformer: 60, weight: 24, bias: 4000 }
    }

    /// The whole range of every parameter: sums wrap, activations are all or nothing.
    pub const fn extreme(seed: u64) -> Self {
        Self { seed, transformer: i16::MAX, weight: i8::MAX, bias: i32::MAX }
    }

    pub(crate) fn net<V: Variant, F: FeatureSet<V>>(self, shape: Shape) -> Net<V, F> {
        let mut rng = Rng::new(self.seed ^ seed::GAMMA);
        let mut words = |count| {
            let mut words = AlignedVec::<i16>::zeroed(count);
            words
                .iter_mut()
                .for_each(|w| *w = within(&mut rng, i64::from(self.transformer)) as i16);
            words
        };
        let transformer =
            Transformer { biases: words(shape.l0), weights: words(shape.l0 * F::INPUTS) };
        let mut matrix = |rows: usize, columns: usize, row: usize| {
            let mut weights = vec![0; rows * row];
            for r in 0..rows {
                for w in &mut weights[r * row..][..columns] {
                    *w = within(&mut rng, i64::from(self.weight)) as i8;
                }
            }
            weights
        };
        let w1 = matrix(shape.h1, 2 * shape.l0, shape.row1());
        let w2 = matrix(shape.h2, shape.h1, shape.row2());
        let w3 = matrix(1, shape.h2, shape.row3());
        let mut biases = |count| -> Vec<i32> {
            (0..count).map(|_| within(&mut rng, i64::from(self.bias)) as i32).collect()
        };
        let (b1, b2, b3) = (biases(shape.h1), biases(shape.h2), biases(1)[0]);
        Net::new(shape, transformer, Parameters { b1, w1, b2, w2, b3, w3 })
            .expect("sizes were taken from the shape")
    }
}

/// A number of a size: a whole range of 2·most + 2 values includes the most negative one.
fn within(rng: &mut Rng, most: i64) -> i64 {
    ((rng.bits() >> 32) as i64) % (2 * most + 2) - most - 1
}
