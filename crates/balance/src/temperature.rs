//! How much chance there is in the choice of a move.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The τ of N^(1/τ), in thousandths: an integer, so that a choice is the same on every machine. 0 takes
/// the move with most visits, 1 each by its share of the visits, more makes them more alike.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Temperature(u32);

impl Temperature {
    /// The move with most visits.
    pub const ZERO: Self = Self(0);
    /// Each move by its share of the visits.
    pub const ONE: Self = Self(1000);

    /// So many thousandths.
    pub const fn from_thousandths(thousandths: u32) -> Self {
        Self(thousandths)
    }

    /// Thousandths of τ.
    pub const fn thousandths(self) -> u32 {
        self.0
    }

    /// τ itself.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

/// Why a text is no temperature.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0:?} is no temperature: expected a number from 0 to 100, such as 0.35")]
pub struct NoTemperature(String);

impl FromStr for Temperature {
    type Err = NoTemperature;

    fn from_str(text: &str) -> Result<Self, NoTemperature> {
        let value = text.parse::<f64>().ok().filter(|value| (0.0..=100.0).contains(value));
        let value = value.ok_or_else(|| NoTemperature(text.to_owned()))?;
        Ok(Self((value * 1000.0).round() as u32))
    }
}

impl fmt::Display for Temperature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// Where every game is varied, whatever its start: the first plies have at least some temperature.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Exploration {
    pub plies: u32,
    pub temperature: Temperature,
}

impl Default for Exploration {
    /// AlphaZero's, and that of the paper.
    fn default() -> Self {
        Self { plies: 30, temperature: Temperature::ONE }
    }
}

impl Exploration {
    /// The temperature of a move, after `played` plies, of a side that is weakened by `handicap` (0 if it
    /// is not): the larger of both in the first plies, its own afterwards.
    pub fn at(&self, played: u32, handicap: Temperature) -> Temperature {
        if played < self.plies { handicap.max(self.temperature) } else { handicap }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_plies_have_at_least_their_temperature() {
        let rule = Exploration::default();
        let of = Temperature::from_thousandths;
        for (played, handicap, wanted) in [
            (0, 0, 1000),
            (29, 0, 1000),
            (30, 0, 0),
            (0, 999, 1000),
            (29, 1300, 1300),
            (30, 1300, 1300),
            (200, 250, 250),
        ] {
            assert_eq!(rule.at(played, of(handicap)), of(wanted), "{played} {handicap}");
        }
        assert_eq!(of(1305).to_string(), "1.305");
        assert_eq!(of(20).to_string(), "0.020");
        assert_eq!(("1.305".parse(), "0".parse()), (Ok(of(1305)), Ok(of(0))));
        for text in ["", "-1", "nan", "101", "hot"] {
            let told = text.parse::<Temperature>().expect_err(text).to_string();
            assert!(told.contains(text) && told.contains("0.35"), "{told}");
        }
    }
}
