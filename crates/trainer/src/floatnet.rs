//! A net in real numbers: what trainers work on, and what they hand to each other.
//!
//! Activations lie between 0 and 1, all parameters are real numbers, and the output `o` is worth
//! `o · 127 · 64 / fv_scale` in the unit of the evaluation (508 for a divisor of 16). So the
//! integer net follows from the architecture alone, whoever trained:
//!
//! | parameters | times | as |
//! |---|---|---|
//! | transformer biases and weights | 127 | `i16` |
//! | weights of the three layers | 64 | `i8`, so within ±127/64 |
//! | biases of the three layers | 127 · 64 | `i32` |
//!
//! Some trainers of the field scale their last layer otherwise (9,600 for the bias, 9,600/127
//! for the weights, so that `o` is in units of 600): the integer nets are of the same kind, and
//! here the factor is simply part of the weights.
//!
//! The file (`.nuef`) is described in docs/trainer.md.

mod file;
mod mix;
mod quantise;
#[cfg(test)]
mod tests;

pub use file::FloatNetError;
pub(crate) use file::{read_floats, write_floats};
pub use quantise::{Clipped, Quantised};

use features::{FeatureSet, HalfKp, HalfKpE9, HalfKpKrank, KP, KPHm, List, active};
use nnue::{Architecture, FeatureKind};
use rules::{AnyPosition, Game, Position, Variant};
use serde_json::Value;

/// A net in real numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct FloatNet {
    /// Feature set and widths.
    pub architecture: Architecture,
    /// What the integer output is divided by.
    pub fv_scale: i32,
    /// What a score is worth, in hundredths of a pawn ([`play::win_rate`]), if it is known.
    pub win_rate_scale: Option<f64>,
    /// Whatever its maker wants to say.
    pub notes: Value,
    /// Transformer biases, one for each of `l0` outputs.
    pub b0: Vec<f32>,
    /// Transformer weights, a row of `l0` for every feature.
    pub w0: Vec<f32>,
    /// Biases of the first layer.
    pub b1: Vec<f32>,
    /// Weights of the first layer: a row of `2·l0` for each of `h1` outputs, the side to move's
    /// half first.
    pub w1: Vec<f32>,
    /// Biases of the second layer.
    pub b2: Vec<f32>,
    /// Weights of the second layer: `h2` rows of `h1`.
    pub w2: Vec<f32>,
    /// Bias of the output.
    pub b3: f32,
    /// Weights of the output, `h2`.
    pub w3: Vec<f32>,
}

/// What an output of 1 is worth after quantisation and before the divisor.
pub(crate) const OUTPUT_UNIT: f32 = 127.0 * 64.0;

impl FloatNet {
    /// A net whose parameters are all zero.
    pub fn zeroed(architecture: Architecture) -> Self {
        let shape = architecture.shape;
        Self {
            architecture,
            fv_scale: nnue::DEFAULT_FV_SCALE,
            win_rate_scale: None,
            notes: Value::Null,
            b0: vec![0.0; shape.l0],
            w0: vec![0.0; shape.l0 * architecture.features.inputs()],
            b1: vec![0.0; shape.h1],
            w1: vec![0.0; shape.h1 * 2 * shape.l0],
            b2: vec![0.0; shape.h2],
            w2: vec![0.0; shape.h2 * shape.h1],
            b3: 0.0,
            w3: vec![0.0; shape.h2],
        }
    }

    /// The game it is for.
    pub fn game(&self) -> Game {
        self.architecture.features.game()
    }

    /// What an output of 1 is worth in the unit of the evaluation.
    pub fn unit(&self) -> f32 {
        OUTPUT_UNIT / self.fv_scale as f32
    }

    /// The output for a position, for the side to move. `None`: a position of the other game.
    pub fn forward(&self, position: &AnyPosition) -> Option<f32> {
        Some(match (self.architecture.features, position) {
            (FeatureKind::HalfKp, AnyPosition::Shogi(p)) => self.output::<_, HalfKp>(p),
            (FeatureKind::KP, AnyPosition::Shogi(p)) => self.output::<_, KP>(p),
            (FeatureKind::KPHm, AnyPosition::Shogi(p)) => self.output::<_, KPHm>(p),
            (FeatureKind::HalfKpE9, AnyPosition::Shogi(p)) => self.output::<_, HalfKpE9>(p),
            (FeatureKind::HalfKpKrank, AnyPosition::Shogi(p)) => self.output::<_, HalfKpKrank>(p),
            (FeatureKind::MiniHalfKp, AnyPosition::Minishogi(p)) => self.output::<_, HalfKp>(p),
            _ => return None,
        })
    }

    /// The value of a position in the unit of the evaluation, for the side to move. `None`: a
    /// position of the other game.
    pub fn value(&self, position: &AnyPosition) -> Option<f32> {
        self.forward(position).map(|output| output * self.unit())
    }

    pub(crate) fn output<V: Variant, F: FeatureSet<V>>(&self, position: &Position<V>) -> f32 {
        let mut lists = [List::new(), List::new()];
        let us = position.turn();
        active::<V, F>(position, us, &mut lists[0]);
        active::<V, F>(position, us.opponent(), &mut lists[1]);
        self.forward_features(&lists[0], &lists[1])
    }

    /// The output for the features of the side to move and of the other side. The specification
    /// of every faster way; sums are in double precision.
    ///
    /// # Panics
    /// If a feature is not below the number of inputs.
    pub fn forward_features(&self, us: &[u32], them: &[u32]) -> f32 {
        let l0 = self.architecture.shape.l0;
        let mut inputs = Vec::with_capacity(2 * l0);
        for list in [us, them] {
            let mut sums: Vec<f64> = self.b0.iter().map(|&b| f64::from(b)).collect();
            for &feature in list {
                let row = &self.w0[feature as usize * l0..][..l0];
                sums.iter_mut().zip(row).for_each(|(s, &w)| *s += f64::from(w));
            }
            inputs.extend(sums.into_iter().map(|s| s.clamp(0.0, 1.0)));
        }
        let hidden = affine(&self.b1, &self.w1, &inputs, true);
        let hidden = affine(&self.b2, &self.w2, &hidden, true);
        affine(&[self.b3], &self.w3, &hidden, false)[0] as f32
    }
}

fn affine(biases: &[f32], weights: &[f32], inputs: &[f64], clip: bool) -> Vec<f64> {
    let rows = weights.chunks_exact(inputs.len());
    let sums = biases.iter().zip(rows).map(|(&b, row)| {
        f64::from(b) + row.iter().zip(inputs).map(|(&w, x)| f64::from(w) * x).sum::<f64>()
    });
    if clip { sums.map(|s| s.clamp(0.0, 1.0)).collect() } else { sums.collect() }
}
