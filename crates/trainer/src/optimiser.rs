//! How parameters follow their gradients.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimiser {
    /// Straight down the gradient.
    Sgd,
    /// Steps shrink with all squared gradients so far (Duchi, Hazan, Singer 2011).
    AdaGrad,
    /// Means of gradients and their squares that forget (Kingma, Ba 2014). A parameter without
    /// a gradient in a batch is left alone, means included.
    Adam,
}

/// How fast Adam's mean of gradients forgets.
const BETA1: f32 = 0.9;
/// How fast Adam's mean of squares forgets.
const BETA2: f32 = 0.999;
/// Keeps divisions away from zero.
const EPSILON: f32 = 1e-8;

impl Optimiser {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sgd, Self::AdaGrad, Self::Adam];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sgd => "sgd",
            Self::AdaGrad => "adagrad",
            Self::Adam => "adam",
        }
    }

    /// A learning rate to begin with: nets of the usual size learn with it.
    pub const fn usual_rate(self) -> f32 {
        match self {
            Self::Sgd => 1.0,
            Self::AdaGrad => 0.01,
            Self::Adam => 0.001,
        }
    }

    /// Numbers kept for every parameter.
    pub const fn kept(self) -> usize {
        match self {
            Self::Sgd => 0,
            Self::AdaGrad => 1,
            Self::Adam => 2,
        }
    }

    /// The step number `number` (from 1) at a learning rate.
    pub fn step(self, rate: f32, number: u64) -> Step {
        let left = |beta: f32| (1.0 - libm::pow(f64::from(beta), number as f64)) as f32;
        let (mean, squares) = (left(BETA1), left(BETA2));
        Step { optimiser: self, rate: rate / mean, squares: 1.0 / squares.sqrt(), plain: rate }
    }
}

impl fmt::Display for Optimiser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Optimiser {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|o| o.name() == text.to_ascii_lowercase());
        found.ok_or_else(|| format!("unknown optimiser {text:?}: sgd, adagrad or adam"))
    }
}

/// One step of an optimiser.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    optimiser: Optimiser,
    /// Adam's rate, the mean's bias corrected.
    rate: f32,
    /// The correction of Adam's mean of squares, for its root.
    squares: f32,
    plain: f32,
}

impl Step {
    /// Moves weights. `kept` are the two arrays of numbers kept for them, as long as the
    /// weights where the optimiser keeps something and empty elsewhere. No weight gets beyond
    /// `±limit`.
    #[inline(always)]
    pub fn apply(self, weights: &mut [f32], slopes: &[f32], kept: [&mut [f32]; 2], limit: f32) {
        let [first, second] = kept;
        let pairs = weights.iter_mut().zip(slopes);
        match self.optimiser {
            Optimiser::Sgd => {
                pairs.for_each(|(w, g)| *w = (*w - self.plain * g).clamp(-limit, limit));
            }
            Optimiser::AdaGrad => {
                for ((w, g), sum) in pairs.zip(first) {
                    *sum += g * g;
                    *w = (*w - self.plain * g / (sum.sqrt() + EPSILON)).clamp(-limit, limit);
                }
            }
            Optimiser::Adam => {
                for (((w, g), mean), squares) in pairs.zip(first).zip(second) {
                    *mean += (1.0 - BETA1) * (g - *mean);
                    *squares += (1.0 - BETA2) * (g * g - *squares);
                    let size = squares.sqrt() * self.squares + EPSILON;
                    *w = (*w - self.rate * *mean / size).clamp(-limit, limit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each finds the bottom of a parabola, and stops at the limit when the bottom is beyond.
    #[test]
    fn downhill() {
        for (optimiser, rate) in
            [(Optimiser::Sgd, 0.1), (Optimiser::AdaGrad, 0.5), (Optimiser::Adam, 0.02)]
        {
            let mut weights = [0.0f32; 3];
            let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
            for number in 1..=2000 {
                let bottoms = [0.5, -1.0, 9.0];
                let slopes: Vec<f32> =
                    weights.iter().zip(bottoms).map(|(w, at)| 2.0 * (w - at)).collect();
                let step = optimiser.step(rate, number);
                step.apply(&mut weights, &slopes, [&mut a, &mut b], 2.0);
            }
            let wanted = [0.5, -1.0, 2.0];
            assert!(weights.iter().zip(wanted).all(|(w, at)| (w - at).abs() < 0.01), "{weights:?}");
        }
    }

    #[test]
    fn names_lead_back() {
        for optimiser in Optimiser::ALL {
            assert_eq!(optimiser.to_string().parse(), Ok(optimiser));
        }
        assert!("momentum".parse::<Optimiser>().unwrap_err().contains("momentum"));
    }
}
