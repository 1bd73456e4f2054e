//! The sequential probability ratio test on pair results, with bounds in normalised or logistic Elo.
//!
//! Which of two differences is the better explanation is measured by the likelihood of the
//! results under the distribution that explains them best among those with that difference (Van
//! den Bergh, "A practical introduction to the GSPRT"). For normalised Elo a difference fixes
//! `(mean - ½) / deviation`, and the best such distribution is found by iteration; for logistic Elo
//! it fixes the mean.

use super::MatchScore;
use super::elo::NORMALISED;
use crate::spec::{numbers, pairs};
use rating::score_of;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A test: is the difference rather `elo0` or rather `elo1`?
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: EloModel,
}

/// What the bounds of a test are counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EloModel {
    /// In standard deviations of a game: the same number of games whatever the share of draws.
    #[default]
    Normalised,
    /// As in the table of results: the share of points.
    Logistic,
}

impl EloModel {
    /// As it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normalised => "normalised",
            Self::Logistic => "logistic",
        }
    }

    /// The unit as a table shows it.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Normalised => "nElo",
            Self::Logistic => "Elo",
        }
    }
}

impl FromStr for EloModel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "normalised" | "normalized" => Ok(Self::Normalised),
            "logistic" => Ok(Self::Logistic),
            other => Err(format!("model is normalised or logistic, not {other:?}")),
        }
    }
}

/// Why a test makes no sense.
#[derive(Clone, Copy, PartialEq, Debug, Error)]
pub enum SprtError {
    /// The bounds do not go up.
    #[error("elo0 ({0}) must be below elo1 ({1})")]
    Bounds(f64, f64),
    /// An error rate is no probability below one half.
    #[error("alpha and beta must lie between 0 and 0.5, not {0}")]
    Rate(f64),
}

/// `elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalised`: the last three may be left out.
impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut model = EloModel::default();
        let mut rest: Vec<String> = Vec::new();
        for (key, value) in pairs(text) {
            match key.as_str() {
                "model" => model = value.parse()?,
                _ => rest.push(format!("{key}={value}")),
            }
        }
        let rate = Some(0.05);
        let keys = [("elo0", None), ("elo1", None), ("alpha", rate), ("beta", rate)];
        let [elo0, elo1, alpha, beta] = numbers(&rest.join(","), keys)?;
        let sprt = Self::new(elo0, elo1, alpha, beta).map_err(|e| e.to_string())?;
        Ok(sprt.counted_in(model))
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo0, elo1, alpha, beta, model } = self;
        write!(f, "elo0={elo0},elo1={elo1},alpha={alpha},beta={beta}")?;
        match model {
            EloModel::Normalised => Ok(()),
            EloModel::Logistic => f.write_str(",model=logistic"),
        }
    }
}

/// What the test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Play on.
    Undecided,
    /// Rather `elo1`: passed.
    Accepted,
    /// Rather `elo0`: failed.
    Rejected,
}

impl Verdict {
    /// In one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Undecided => "undecided",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }
}

impl Sprt {
    /// A test whose verdict is wrong with probability `alpha` if the truth is `elo0`, with
    /// probability `beta` if it is `elo1`. Bounds are in normalised Elo unless
    /// [counted](Self::counted_in) otherwise.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        if elo0.partial_cmp(&elo1) != Some(std::cmp::Ordering::Less) {
            return Err(SprtError::Bounds(elo0, elo1));
        }
        let sound = |rate: &f64| *rate > 0.0 && *rate < 0.5;
        match [alpha, beta].iter().find(|rate| !sound(rate)) {
            Some(&rate) => Err(SprtError::Rate(rate)),
            None => Ok(Self { elo0, elo1, alpha, beta, model: EloModel::default() }),
        }
    }

    /// The same test with its bounds counted in that.
    #[must_use]
    pub const fn counted_in(self, model: EloModel) -> Self {
        Self { model, ..self }
    }

    /// What the bounds are counted in.
    pub const fn model(&self) -> EloModel {
        self.model
    }

    /// The difference to be refuted and the one hoped for.
    pub const fn elos(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// Where the test ends: log-likelihood ratios of rejection and acceptance (Wald).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Logarithm of how much likelier the pair results are under `elo1` than under `elo0`.
    pub fn ratio(&self, score: &MatchScore) -> f64 {
        let count: u64 = score.pairs.iter().sum();
        if count == 0 {
            return 0.0;
        }
        // A result not seen yet is not impossible.
        let counts = score.pairs.map(|n| if n == 0 { 1e-3 } else { n as f64 });
        let total: f64 = counts.iter().sum();
        let seen = counts.map(|n| n / total);
        if self.model == EloModel::Logistic {
            return total * logistic_ratio(&seen, score_of(self.elo0), score_of(self.elo1));
        }
        // A pair's mean has half the variance of a game.
        let t = |elo: f64| elo / NORMALISED * std::f64::consts::SQRT_2;
        let (t0, t1) = (t(self.elo0), t(self.elo1));
        let each = match (best_with(&seen, t0), best_with(&seen, t1)) {
            (Some(q0), Some(q1)) => {
                let gain = |(p, (q1, q0)): (&f64, (&f64, &f64))| p * (q1 / q0).ln();
                seen.iter().zip(q1.iter().zip(&q0)).map(gain).sum()
            }
            _ => normal_ratio(&counts, t0, t1),
        };
        total * each
    }

    /// What the results say.
    pub fn verdict(&self, score: &MatchScore) -> Verdict {
        let (low, high) = self.bounds();
        let ratio = self.ratio(score);
        if ratio >= high {
            Verdict::Accepted
        } else if ratio <= low {
            Verdict::Rejected
        } else {
            Verdict::Undecided
        }
    }
}

type Shares = [f64; 5];

fn value(index: usize) -> f64 {
    index as f64 / 4.0
}

fn moments(shares: &Shares) -> (f64, f64) {
    let mean: f64 = shares.iter().enumerate().map(|(i, p)| p * value(i)).sum();
    let variance: f64 = shares.iter().enumerate().map(|(i, p)| p * (value(i) - mean).powi(2)).sum();
    (mean, variance)
}

/// The same ratio as if results were normally distributed with unknown deviation: near enough
/// where bounds so far apart are asked for that the search for the best distribution fails. One
/// pair more, spread over all results, keeps the deviation of one-sided matches from vanishing.
fn normal_ratio(counts: &Shares, t0: f64, t1: f64) -> f64 {
    let total: f64 = counts.iter().sum();
    let (mean, variance) = moments(&counts.map(|n| (n + 0.2) / (total + 1.0)));
    let t = (mean - 0.5) / variance.sqrt();
    ((1.0 + (t - t0).powi(2)) / (1.0 + (t - t1).powi(2))).ln() / 2.0
}

/// The distribution under which what was seen is likeliest, among those whose mean exceeds one
/// half by `t` standard deviations. `None` where the search for it leaves the possible.
fn best_with(seen: &Shares, t: f64) -> Option<Shares> {
    let mut best: Shares = [0.2; 5];
    for _ in 0..50 {
        let (mean, variance) = moments(&best);
        let deviation = variance.sqrt();
        // How the condition `mean - ½ - t deviation = 0` changes with each share.
        let slope: Shares = std::array::from_fn(|i| {
            let off = (value(i) - mean) / deviation;
            value(i) - 0.5 - t * deviation * (1.0 + off * off) / 2.0
        });
        let multiplier = balance(seen, &slope)?;
        let next: Shares = std::array::from_fn(|i| seen[i] / (1.0 + multiplier * slope[i]));
        let moved = next.iter().zip(&best).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        best = next;
        if moved < 1e-10 {
            break;
        }
    }
    best.iter().all(|q| q.is_finite() && *q > 0.0).then_some(best)
}

/// The ratio of one observation between two means. No result is impossible, so both can be had.
fn logistic_ratio(seen: &Shares, mean0: f64, mean1: f64) -> f64 {
    let best = |mean: f64| {
        let slope: Shares = std::array::from_fn(|i| value(i) - mean);
        let multiplier = balance(seen, &slope).unwrap_or(0.0);
        slope.map(|slope| 1.0 + multiplier * slope)
    };
    let (divisors0, divisors1) = (best(mean0), best(mean1));
    seen.iter().zip(divisors0.iter().zip(divisors1)).map(|(p, (d0, d1))| p * (d0 / d1).ln()).sum()
}

/// The `x` with `sum p g / (1 + x g) = 0`, which exists between the poles if `g` has both signs:
/// the sum falls from plus to minus infinity there.
fn balance(shares: &Shares, slope: &Shares) -> Option<f64> {
    let least = slope.iter().copied().fold(f64::INFINITY, f64::min);
    let most = slope.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(least < 0.0 && most > 0.0) {
        return None;
    }
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..200 {
        let x = f64::midpoint(low, high);
        let sum: f64 = shares.iter().zip(slope).map(|(p, g)| p * g / (1.0 + x * g)).sum();
        if sum > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    Some(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests;
