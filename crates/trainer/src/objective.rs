//! What is learned: the probability of winning, as a mixture of what the teacher thought and how
//! its games ended.
//!
//! With p = sigmoid(value / scale) the loss of a position is the cross-entropy of p to
//! m = λ · sigmoid(score / scale) + (1 − λ) · result, where a win is 1, a draw ½ and a loss 0.
//! A game whose end nobody knows teaches its scores alone.

use corpus::batches::Label;
use serde::{Deserialize, Serialize};

/// The mixture.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Objective {
    /// Weight of the score against the result of the game.
    pub lambda: f32,
    /// The value at which a win is e times as probable as a loss.
    pub scale: f32,
}

/// Sums over positions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Losses {
    /// How many positions.
    pub count: u64,
    /// Loss against the mixture: what is minimised.
    pub total: f64,
    /// Loss against the scores alone.
    pub score: f64,
    /// How many positions have a known result.
    pub results: u64,
    /// Loss against the results alone, where known.
    pub result: f64,
    /// Entropy of the mixture: the least `total` there could be.
    pub floor: f64,
}

/// Means over positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct MeanLosses {
    /// Against the mixture.
    pub total: f64,
    /// Against the scores.
    pub score: f64,
    /// Against the results.
    pub result: f64,
    /// The least `total` there could be.
    pub floor: f64,
}

impl Losses {
    /// The means; zeros if there is nothing.
    pub fn mean(&self) -> MeanLosses {
        let by = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        MeanLosses {
            total: by(self.total, self.count),
            score: by(self.score, self.count),
            result: by(self.result, self.results),
            floor: by(self.floor, self.count),
        }
    }

    /// Adds other sums.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.total += other.total;
        self.score += other.score;
        self.results += other.results;
        self.result += other.result;
        self.floor += other.floor;
    }
}

// Exponentials by libm, not by the system's library: nets trained anywhere are the same.
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// Entropy of a coin that falls one way with probability `p`.
fn entropy(p: f64) -> f64 {
    let part = |p: f64| if p <= 0.0 { 0.0 } else { -p * libm::log(p) };
    part(p) + part(1.0 - p)
}

impl Objective {
    /// The mixture for a position.
    pub fn target(&self, label: Label) -> f64 {
        let score = sigmoid(f64::from(label.score) / f64::from(self.scale));
        let lambda = f64::from(self.lambda);
        match label.result {
            Some(result) => lambda * score + (1.0 - lambda) * f64::from(result + 1) / 2.0,
            None => score,
        }
    }

    /// Adds the losses of a value, and gives the slope of the loss by the value.
    pub fn measure(&self, value: f32, label: Label, losses: &mut Losses) -> f32 {
        let scale = f64::from(self.scale);
        let x = f64::from(value) / scale;
        let target = self.target(label);
        // Cross-entropy of sigmoid(x) to m is ln(1 + e^x) − m·x; this way nothing overflows.
        let base = x.max(0.0) + libm::log1p(libm::exp(-x.abs()));
        losses.count += 1;
        losses.total += base - target * x;
        losses.score += base - sigmoid(f64::from(label.score) / scale) * x;
        if let Some(result) = label.result {
            losses.results += 1;
            losses.result += base - f64::from(result + 1) / 2.0 * x;
        }
        losses.floor += entropy(target);
        ((sigmoid(x) - target) / scale) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECTIVE: Objective = Objective { lambda: 0.7, scale: 600.0 };

    #[test]
    fn targets_mix_scores_and_results() {
        let target = |score, result| OBJECTIVE.target(Label::new(score, result));
        assert!((target(0, Some(1)) - 0.65).abs() < 1e-6);
        assert!((target(0, Some(0)) - 0.5).abs() < 1e-6);
        assert!((target(0, Some(-1)) - 0.35).abs() < 1e-6);
        assert!((target(600, None) - 0.731_058_578_6).abs() < 1e-9);
    }

    #[test]
    fn slopes_are_those_of_the_loss() {
        for (value, score, result) in
            [(0.0, 100, Some(1)), (-700.0, 30, None), (2500.0, -3000, Some(-1)), (9e4, 5, Some(0))]
        {
            let label = Label::new(score, result);
            let loss = |value| {
                let mut losses = Losses::default();
                let slope = OBJECTIVE.measure(value, label, &mut losses);
                (losses, slope)
            };
            let ((a, _), (b, _)) = (loss(value - 1.0), loss(value + 1.0));
            let (losses, slope) = loss(value);
            assert!(((b.total - a.total) / 2.0 - f64::from(slope)).abs() < 1e-6, "{value}");
            assert!(losses.total >= losses.floor - 1e-12);
            assert_eq!(losses.results, u64::from(result.is_some()));
        }
    }

    #[test]
    fn a_perfect_value_reaches_the_floor() {
        let objective = Objective { lambda: 1.0, scale: 600.0 };
        let mut losses = Losses::default();
        let slope = objective.measure(123.0, Label::new(123, Some(1)), &mut losses);
        assert!(slope.abs() < 1e-9);
        assert!((losses.mean().total - losses.mean().floor).abs() < 1e-9);
        assert_eq!(losses.total, losses.score);
        assert!(losses.result < losses.score);
        assert_eq!(Losses::default().mean().total, 0.0);
    }
}
