//! From scores to rating differences.
//!
//! The logistic Elo difference of a share `s` of the points is `-400 log10(1/s - 1)`. Its error
//! comes from the variance of pair results. Normalised Elo divides the excess over one half by
//! the standard deviation of a game (Van den Bergh, "Normalized Elo"): it measures how many games
//! a difference takes to be seen, whatever the share of draws.
//!
//! A few results, or any number that are all alike, have a variance that says nothing: then Wilson's
//! interval is taken, which weighs how likely such results are under each strength instead of
//! measuring how far they scatter.

use super::MatchScore;
use rating::elo_of;

/// Units of normalised Elo in one standard deviation: 800 / ln 10.
pub(super) const NORMALISED: f64 = 347.435_585_522_601_46;

/// Two-sided 95 % of a normal distribution.
pub const CI95: f64 = 1.959_963_984_540_054;

/// A value and the 95 % interval around it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    pub low: f64,
    pub mid: f64,
    pub high: f64,
}

impl Interval {
    /// Half the width.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// What a score says about the difference in strength.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Logistic Elo; infinite where one side has all points, though never on both ends.
    pub elo: Interval,
    /// Normalised Elo.
    pub normalised: Interval,
    /// Likelihood that the first side is the stronger.
    pub superiority: f64,
}

/// Observations from which on their own variance is trusted.
const MANY: f64 = 30.0;

impl Estimate {
    /// From complete pairs where there are any, else from single games; `None` without games.
    pub fn of(score: &MatchScore) -> Option<Self> {
        let paired = score.pairs.iter().sum::<u64>() > 0;
        let sample = if paired {
            Sample::new(&score.pairs, 2.0)?
        } else {
            Sample::new(&[score.losses, score.draws, score.wins], 1.0)?
        };
        let shares = sample.interval();
        let elo = Interval {
            low: elo_of(shares.low),
            mid: elo_of(sample.mean),
            high: elo_of(shares.high),
        };
        let normalised = {
            let deviation = (sample.spread() * sample.games_each).sqrt();
            let mid = (sample.mean - 0.5) / deviation * NORMALISED + 0.0;
            let half = CI95 * NORMALISED / (sample.count * sample.games_each).sqrt();
            Interval { low: mid - half, mid, high: mid + half }
        };
        Some(Self { elo, normalised, superiority: sample.superiority() })
    }
}

/// Mean and variance of observations with values spread evenly from 0 to 1.
struct Sample {
    count: f64,
    mean: f64,
    variance: f64,
    /// Games in one observation.
    games_each: f64,
}

impl Sample {
    fn new(counts: &[u64], games_each: f64) -> Option<Self> {
        let count = counts.iter().sum::<u64>() as f64;
        if count == 0.0 {
            return None;
        }
        let step = 1.0 / (counts.len() - 1) as f64;
        let weighted = |f: &dyn Fn(f64) -> f64| {
            let sum: f64 =
                counts.iter().enumerate().map(|(i, &n)| n as f64 * f(i as f64 * step)).sum();
            sum / count
        };
        let mean = weighted(&|x| x);
        let variance = weighted(&|x| (x - mean) * (x - mean));
        Some(Self { count, mean, variance, games_each })
    }
}

impl Sample {
    fn is_telling(&self) -> bool {
        self.count >= MANY && self.variance > 0.0
    }

    /// Variance of an observation over the variance of a single decided game of that mean. One
    /// observation more, of independent games without draws at even strength, keeps it from
    /// vanishing where all results were alike.
    fn dispersion(&self) -> f64 {
        let prior = 0.25;
        let binomial = self.mean * (1.0 - self.mean);
        (self.count * self.variance + prior / self.games_each) / (self.count * binomial + prior)
    }

    /// The 95 % interval of the mean.
    fn interval(&self) -> Interval {
        let mid = self.mean;
        if self.is_telling() {
            let half = CI95 * (self.variance / self.count).sqrt();
            return Interval { low: mid - half, mid, high: mid + half };
        }
        let weight = self.weight();
        let center = (mid + weight / 2.0) / (1.0 + weight);
        let half = (weight * mid * (1.0 - mid) + weight * weight / 4.0).sqrt() / (1.0 + weight);
        // The end that is certain is that exactly, whatever was rounded.
        let low = if mid == 0.0 { 0.0 } else { center - half };
        let high = if mid == 1.0 { 1.0 } else { center + half };
        Interval { low, mid, high }
    }

    /// How many observations Wilson's interval adds, as a share of those there are.
    fn weight(&self) -> f64 {
        CI95 * CI95 * self.dispersion() / self.count
    }

    /// The variance of an observation, never zero.
    fn spread(&self) -> f64 {
        if self.is_telling() {
            return self.variance;
        }
        let weight = self.weight();
        let center = (self.mean + weight / 2.0) / (1.0 + weight);
        self.dispersion() * center * (1.0 - center)
    }

    /// How likely a mean above one half is: by the same test whose interval is shown.
    fn superiority(&self) -> f64 {
        let variance = if self.is_telling() { self.variance } else { self.dispersion() / 4.0 };
        normal((self.mean - 0.5) / (variance / self.count).sqrt())
    }
}

/// Share of a normal distribution below `x`.
fn normal(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests;
