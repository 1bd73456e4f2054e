//! How the learning rate and the mixture of scores and results change over a run. The same
//! schedules as the trainer in Python has, and one that follows the validation.

use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::fmt;
use std::str::FromStr;

/// How the learning rate falls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Schedule {
    /// Halved when validations stop improving.
    Halving,
    /// By the same factor with every step.
    Exponential,
    /// Along half a cosine.
    Cosine,
    Constant,
}

impl Schedule {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Halving, Self::Exponential, Self::Cosine, Self::Constant];

    /// The word for it on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Halving => "halving",
            Self::Exponential => "exponential",
            Self::Cosine => "cosine",
            Self::Constant => "constant",
        }
    }

    /// The rate after a share of the run, from 0 to 1; `halved` times, where that decides.
    pub fn rate(self, start: f32, end: f32, share: f64, halved: u32) -> f32 {
        let (first, last) = (f64::from(start), f64::from(end));
        let share = share.clamp(0.0, 1.0);
        match self {
            Self::Halving => start * 0.5f32.powi(halved as i32),
            Self::Constant => start,
            Self::Exponential => (first * libm::pow(last / first, share)) as f32,
            Self::Cosine => {
                (last + (first - last) * f64::midpoint(1.0, libm::cos(PI * share))) as f32
            }
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|s| s.name() == text.to_ascii_lowercase());
        found.ok_or_else(|| {
            format!("unknown schedule {text:?}: {}", Self::ALL.map(Self::name).join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_begin_and_end_where_they_should() {
        let near = |a: f32, b: f32| (a - b).abs() < 1e-9;
        for schedule in [Schedule::Exponential, Schedule::Cosine] {
            assert!(near(schedule.rate(1e-3, 1e-5, 0.0, 0), 1e-3), "{schedule}");
            assert!(near(schedule.rate(1e-3, 1e-5, 1.0, 9), 1e-5), "{schedule}");
            assert!(near(schedule.rate(1e-3, 1e-5, 7.0, 9), 1e-5), "{schedule}");
            let rates: Vec<f32> =
                (0..=10).map(|i| schedule.rate(1e-3, 1e-5, f64::from(i) / 10.0, 0)).collect();
            assert!(rates.is_sorted_by(|a, b| a > b), "{rates:?}");
        }
        assert!(near(Schedule::Exponential.rate(1e-2, 1e-4, 0.5, 0), 1e-3));
        assert!(near(Schedule::Cosine.rate(2e-3, 0.0, 0.5, 0), 1e-3));
        assert_eq!(Schedule::Constant.rate(0.1, 0.001, 0.7, 3), 0.1);
        assert_eq!(Schedule::Halving.rate(0.8, 0.001, 0.7, 3), 0.1);
    }

    #[test]
    fn names_are_read_back() {
        for schedule in Schedule::ALL {
            assert_eq!(schedule.name().to_uppercase().parse(), Ok(schedule));
        }
        assert!("warm".parse::<Schedule>().unwrap_err().contains("cosine"));
    }
}
