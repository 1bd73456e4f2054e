//! Simultaneous perturbation stochastic approximation: many numbers tuned at once by games.
//!
//! Every iteration draws a direction at random, lets the values a step that way play the values a
//! step the other way, and moves all values a little towards the winner (Spall, "Multivariate
//! Stochastic Approximation Using a Simultaneous Perturbation Gradient Approximation", 1992).
//! Gains are given as fishtest gives them: for each number the size of the step at the end, and
//! the share of the step by which a won game moves the value at the end.
//!
//! Several iterations are under way at a time. So that the result depends on the seed and the
//! games alone, an iteration always begins from the values [`WINDOW`] iterations earlier, whether
//! or not later ones are known already. Deliberately absent: games ([`crate::tuning`] plays them).

use seed::Rng;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Iterations that may be under way at a time.
pub const WINDOW: u64 = 16;

/// One number to be tuned.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    pub name: String,
    pub start: f64,
    pub min: f64,
    pub max: f64,
    /// How far from the present value the last iteration tries.
    pub c_end: f64,
    /// What a won game moves the value by in the last iteration, as a share of that step.
    pub r_end: f64,
}

/// How steps shrink.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gains {
    pub iterations: u64,
    /// Stability constant `A`, as a share of the iterations.
    pub stability: f64,
    /// How fast the moves shrink.
    pub alpha: f64,
    /// How fast the steps shrink.
    pub gamma: f64,
}

impl Gains {
    /// The usual ones (Spall, "Implementation of the Simultaneous Perturbation Algorithm", 1998).
    pub const fn new(iterations: u64) -> Self {
        Self { iterations, stability: 0.1, alpha: 0.602, gamma: 0.101 }
    }

    /// Size of the step of an iteration (from 0) that ends with `c_end`.
    pub fn step(&self, c_end: f64, iteration: u64) -> f64 {
        c_end * (self.iterations as f64 / (iteration + 1) as f64).powf(self.gamma)
    }

    /// What one won game of an iteration (from 0) moves the value by.
    pub fn stride(&self, c_end: f64, r_end: f64, iteration: u64) -> f64 {
        let (all, stability) = (self.iterations as f64, self.stability * self.iterations as f64);
        let a_end = r_end * c_end * c_end;
        let a = a_end * ((stability + all) / (stability + (iteration + 1) as f64)).powf(self.alpha);
        a / self.step(c_end, iteration)
    }
}

/// Two sets of values to be compared.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    pub iteration: u64,
    /// Values a step in the direction drawn, by parameter.
    pub plus: Vec<i64>,
    /// Values a step the other way.
    pub minus: Vec<i64>,
}

/// A tuning under way.
#[derive(Clone, Debug)]
pub struct Spsa {
    parameters: Vec<Parameter>,
    gains: Gains,
    seed: Rng,
    /// Values after the last iterations, as many as are needed, the newest last.
    recent: VecDeque<Vec<f64>>,
    applied: u64,
}

impl Spsa {
    /// A tuning that begins.
    pub fn new(parameters: Vec<Parameter>, gains: Gains, seed: u64) -> Self {
        let start = parameters.iter().map(|d| d.start.clamp(d.min, d.max)).collect();
        let recent = VecDeque::from([start]);
        Self { parameters, gains, seed: Rng::new(seed), recent, applied: 0 }
    }

    /// What is tuned.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// How steps shrink.
    pub const fn gains(&self) -> &Gains {
        &self.gains
    }

    /// Iterations done.
    pub const fn applied(&self) -> u64 {
        self.applied
    }

    /// The values now.
    pub fn values(&self) -> &[f64] {
        self.recent.back().map_or(&[], Vec::as_slice)
    }

    /// What an iteration compares; `None` if it is over, too far ahead, or beyond the last.
    pub fn probe(&self, iteration: u64) -> Option<Probe> {
        if iteration < self.applied || iteration >= self.gains.iterations {
            return None;
        }
        let base = (iteration + 1).saturating_sub(WINDOW);
        let oldest = self.applied + 1 - self.recent.len() as u64;
        let values = self.recent.get(usize::try_from(base.checked_sub(oldest)?).ok()?)?;
        let mut lots = self.seed.split(iteration).split(1);
        let sides = self.parameters.iter().zip(values).zip(self.directions(iteration));
        let (plus, minus) = sides
            .map(|((parameter, &value), direction)| {
                let step = self.gains.step(parameter.c_end, iteration) * direction;
                // Rounded at random: on average the value itself plays.
                let mut whole = |x: f64| {
                    (x.clamp(parameter.min, parameter.max) + lots.unit()).floor().min(parameter.max)
                        as i64
                };
                (whole(value + step), whole(value - step))
            })
            .unzip();
        Some(Probe { iteration, plus, minus })
    }

    /// The result of the next iteration: games won less games lost by the `plus` side.
    pub fn apply(&mut self, result: i64) {
        let iteration = self.applied;
        let directions = self.directions(iteration);
        let moved = self.parameters.iter().zip(self.values()).zip(directions).map(
            |((parameter, &value), direction)| {
                let stride = self.gains.stride(parameter.c_end, parameter.r_end, iteration);
                (value + stride * result as f64 * direction).clamp(parameter.min, parameter.max)
            },
        );
        let moved = moved.collect();
        self.recent.push_back(moved);
        if self.recent.len() as u64 > WINDOW {
            self.recent.pop_front();
        }
        self.applied += 1;
    }

    /// One way or the other for every parameter, at random.
    fn directions(&self, iteration: u64) -> Vec<f64> {
        let mut lots = self.seed.split(iteration).split(0);
        self.parameters.iter().map(|_| if lots.below(2) == 0 { 1.0 } else { -1.0 }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(start: f64, min: f64, max: f64) -> Parameter {
        Parameter { name: "x".to_owned(), start, min, max, c_end: (max - min) / 20.0, r_end: 0.02 }
    }

    #[test]
    fn gains_end_where_they_are_told_to() {
        let gains = Gains::new(1000);
        assert!((gains.step(7.0, 999) - 7.0).abs() < 1e-9);
        assert!(gains.step(7.0, 0) > gains.step(7.0, 1));
        // A game of the last iteration moves the value by r_end of the step.
        assert!((gains.stride(7.0, 0.002, 999) - 0.014).abs() < 1e-9);
        assert!(gains.stride(7.0, 0.002, 0) > gains.stride(7.0, 0.002, 999));
    }

    #[test]
    fn an_iteration_compares_the_same_values_whenever_it_is_asked_for() {
        let parameters = vec![parameter(50.0, 0.0, 100.0), parameter(-3.0, -10.0, 10.0)];
        let results = [2, -1, 0, 1, 1, -2, 2, 2, 0, 1, -1, -1, 2, 0, 1, 2, 1, -2, 2, 1, 0, 1];
        let mut early = Spsa::new(parameters.clone(), Gains::new(40), 5);
        let mut late = Spsa::new(parameters, Gains::new(40), 5);
        for (index, result) in results.into_iter().enumerate() {
            let ahead = index as u64 + WINDOW - 1;
            // As soon as it may be asked for, and only when its turn has come.
            let asked = early.probe(ahead);
            assert_eq!(asked.is_some(), ahead < 40);
            assert_eq!(early.probe(ahead + 1), None);
            early.apply(result);
            let mut waiting = late.clone();
            while let (Some(probe), true) = (&asked, waiting.applied() <= ahead) {
                assert_eq!(waiting.probe(ahead).as_ref(), Some(probe));
                let Some(&result) = results.get(waiting.applied() as usize) else { break };
                waiting.apply(result);
            }
            late.apply(result);
        }
        assert_eq!(early.values(), late.values());
        assert_eq!(early.probe(3), None);
    }

    #[test]
    fn values_stay_in_their_range() {
        let mut spsa = Spsa::new(vec![parameter(99.0, 0.0, 100.0)], Gains::new(500), 1);
        while let Some(probe) = spsa.probe(spsa.applied()) {
            assert!(probe.plus.iter().chain(&probe.minus).all(|v| (0..=100).contains(v)));
            spsa.apply(if probe.plus > probe.minus { 20 } else { -20 });
            assert!((0.0..=100.0).contains(&spsa.values()[0]));
        }
        assert_eq!(spsa.values(), [100.0]);
    }
}
