//! Rating points as they are stored.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Rating points in thousandths: an integer, so that what is stored and read again is the same.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash, Serialize, Deserialize,
)]
#[serde(from = "i64", into = "i64")]
pub struct Elo(i64);

impl Elo {
    pub const ZERO: Self = Self(0);

    /// No difference is larger: where one side has all points the scale has no end.
    pub const MOST: Self = Self(10_000_000);

    /// So many thousandths, at most [`Elo::MOST`] either way.
    pub fn from_thousandths(thousandths: i64) -> Self {
        Self(thousandths.clamp(-Self::MOST.0, Self::MOST.0))
    }

    /// So many points, rounded; not a number is none.
    pub fn from_points(points: f64) -> Self {
        // The cast saturates, and the bounds are far inside.
        Self::from_thousandths((points * 1000.0).round() as i64)
    }

    /// Rating points.
    pub fn points(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Thousandths of a point.
    pub const fn thousandths(self) -> i64 {
        self.0
    }

    /// The same without its sign.
    #[must_use]
    pub const fn abs(self) -> Self {
        Self(self.0.abs())
    }
}

impl From<i64> for Elo {
    fn from(thousandths: i64) -> Self {
        Self::from_thousandths(thousandths)
    }
}

impl From<Elo> for i64 {
    fn from(elo: Elo) -> Self {
        elo.0
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0}", self.points())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_kept_to_the_thousandth_and_within_bounds() {
        for (points, thousandths) in [
            (0.0, 0),
            (20.8774, 20_877),
            (-0.0006, -1),
            (f64::INFINITY, 10_000_000),
            (f64::NEG_INFINITY, -10_000_000),
            (f64::NAN, 0),
        ] {
            assert_eq!(Elo::from_points(points).thousandths(), thousandths, "{points}");
        }
        assert_eq!(Elo::from_thousandths(i64::MIN).abs(), Elo::MOST);
        assert_eq!(Elo::from_points(-12.5).points(), -12.5);
        // A damaged file cannot hold what would overflow.
        let read: Elo = serde_json::from_str("9223372036854775807").expect("a number");
        assert_eq!(read, Elo::MOST);
    }
}
