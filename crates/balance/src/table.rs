//! How much weaker a temperature makes a player.
//!
//! Measured by games of one player against itself at another temperature, everything else alike; the
//! scale is that of such games, which exaggerates beside games against others (the paper: 1,829 points
//! of fewer playouts are worth 692 of temperature). For keeping starts even that does not matter: it is
//! self-play that is kept even.

use crate::elo::Elo;
use crate::temperature::Temperature;
use crate::wdl::Wdl;
use rating::{Fit, Results, Terms};
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) mod isotonic;

/// What a temperature costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Row {
    pub temperature: Temperature,
    /// Weaker than at temperature 0 by so much.
    pub elo: Elo,
    /// Standard error; 0 where nobody told it.
    pub error: Elo,
}

/// Strength by temperature: from 0 up, never stronger at a higher one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredTable", into = "StoredTable")]
pub struct Table {
    /// Where it comes from, for people.
    origin: String,
    rows: Vec<Row>,
}

/// The same as stored, before it is checked.
#[derive(Serialize, Deserialize)]
struct StoredTable {
    origin: String,
    rows: Vec<Row>,
}

/// Why rows are not a table.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TableError {
    /// Nothing to interpolate.
    #[error("a temperature table needs two rows or more, this one has {0}")]
    TooShort(usize),
    #[error(
        "a temperature table begins with temperature 0 at 0 Elo, this one with {temperature} at {elo}"
    )]
    Beginning { temperature: Temperature, elo: Elo },
    #[error(
        "a temperature table goes up, but {after} at {elo_after} Elo comes after {before} at {elo_before}"
    )]
    Order { before: Temperature, elo_before: Elo, after: Temperature, elo_after: Elo },
    /// Every temperature costs nothing.
    #[error(
        "no temperature of the table makes a player weaker: play more games, or higher temperatures"
    )]
    Flat,
}

/// Games of a player against itself at two temperatures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TemperatureMatch {
    pub first: Temperature,
    pub second: Temperature,
    /// The first one's.
    pub score: Wdl,
}

/// Why a table cannot be made of matches.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MeasureError {
    #[error("no match was played at temperature 0, from which all others are counted")]
    NoZero,
    /// One side scored every point, or there is no chain of matches.
    #[error(
        "temperature {0} cannot be compared with the others: no chain of matches in which both sides \
         scored leads to it; play it against a temperature nearer to it, or more games"
    )]
    NotComparable(Temperature),
    #[error(transparent)]
    Table(#[from] TableError),
}

impl Table {
    /// A table of these rows.
    pub fn new(origin: impl Into<String>, rows: Vec<Row>) -> Result<Self, TableError> {
        let first = match rows.as_slice() {
            [first, _, ..] => first,
            few => return Err(TableError::TooShort(few.len())),
        };
        if first.temperature != Temperature::ZERO || first.elo != Elo::ZERO {
            let Row { temperature, elo, .. } = *first;
            return Err(TableError::Beginning { temperature, elo });
        }
        for pair in rows.windows(2) {
            let (before, after) = (pair[0], pair[1]);
            if before.temperature >= after.temperature || before.elo > after.elo {
                return Err(TableError::Order {
                    before: before.temperature,
                    elo_before: before.elo,
                    after: after.temperature,
                    elo_after: after.elo,
                });
            }
        }
        if rows.iter().all(|row| row.elo == Elo::ZERO) {
            return Err(TableError::Flat);
        }
        Ok(Self { origin: origin.into(), rows })
    }

    /// The pairs that the paper on Aoba komaochi tells in numbers, measured in shogi with a net of 20
    /// blocks at 800 playouts: where a run begins that has not measured its own.
    pub fn published() -> Self {
        let row = |temperature, points: i64| Row {
            temperature: Temperature::from_thousandths(temperature),
            elo: Elo::from_thousandths(points * 1000),
            error: Elo::ZERO,
        };
        let rows = vec![row(0, 0), row(1000, 443), row(1300, 692)];
        Self { origin: "Yamashita 2021, shogi, 20 blocks, 800 playouts".to_owned(), rows }
    }

    /// Where it comes from, for people.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The rows, temperature 0 first.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// How much weaker a temperature makes a player: on straight lines between the rows, and on the last
    /// one beyond them.
    pub fn elo_of(&self, temperature: Temperature) -> Elo {
        let t = i64::from(temperature.thousandths());
        let (low, high) = self.around(|row| i64::from(row.temperature.thousandths()) >= t);
        let (t0, t1) = (thousandths(low.temperature), thousandths(high.temperature));
        let (e0, e1) = (low.elo.thousandths(), high.elo.thousandths());
        Elo::from_thousandths(interpolate((t0, e0), (t1, e1), t))
    }

    /// The lowest temperature that makes a player weaker by so much; 0 for nothing and less.
    pub fn temperature_of(&self, elo: Elo) -> Temperature {
        let e = elo.thousandths();
        if e <= 0 {
            return Temperature::ZERO;
        }
        let (low, high) = self.around(|row| row.elo.thousandths() >= e);
        let (t0, t1) = (thousandths(low.temperature), thousandths(high.temperature));
        let (e0, e1) = (low.elo.thousandths(), high.elo.thousandths());
        let t = interpolate((e0, t0), (e1, t1), e).clamp(0, i64::from(u32::MAX));
        Temperature::from_thousandths(u32::try_from(t).unwrap_or(u32::MAX))
    }

    /// The first row that is far enough with the one before it; beyond the last, the last two rows that
    /// differ in strength. Every table has two such rows.
    fn around(&self, far_enough: impl Fn(&Row) -> bool) -> (Row, Row) {
        let last = self.rows[self.rows.len() - 1];
        match self.rows.iter().position(far_enough) {
            Some(0) => (self.rows[0], self.rows[1]),
            Some(index) => (self.rows[index - 1], self.rows[index]),
            None => {
                let lower = self.rows.iter().rev().find(|row| row.elo < last.elo);
                (lower.copied().unwrap_or(self.rows[0]), last)
            }
        }
    }

    /// The pairs of temperatures to play: each against the next two, so that nobody wins everything.
    pub fn pairings(temperatures: &[Temperature]) -> Vec<(Temperature, Temperature)> {
        let mut sorted = temperatures.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let next = |from: usize| sorted.iter().skip(from + 1).take(2).map(move |&t| (from, t));
        (0..sorted.len()).flat_map(next).map(|(from, t)| (sorted[from], t)).collect()
    }

    /// The table of matches: ratings of all temperatures at once, then the curve without a dip that is
    /// nearest to them.
    pub fn measured(
        origin: impl Into<String>,
        matches: &[TemperatureMatch],
    ) -> Result<Self, MeasureError> {
        let mut temperatures: Vec<_> = matches.iter().flat_map(|m| [m.first, m.second]).collect();
        temperatures.sort_unstable();
        temperatures.dedup();
        if temperatures.first() != Some(&Temperature::ZERO) {
            return Err(MeasureError::NoZero);
        }
        let player = |t: Temperature| temperatures.binary_search(&t).unwrap_or_default();
        let mut results = Results::new(temperatures.len());
        for played in matches {
            played.score.put_into(&mut results, (player(played.first), player(played.second)));
        }
        let highest = temperatures[temperatures.len() - 1];
        let fit = Fit::new(&results, Terms { anchor: Some((0, 0.0)), ..Terms::default() })
            .ok_or(MeasureError::NotComparable(highest))?;
        let mut rows = Vec::new();
        for (player, &temperature) in temperatures.iter().enumerate() {
            let rating = fit.rating(player).ok_or(MeasureError::NotComparable(temperature))?;
            let (elo, error) = (Elo::from_points(-rating.elo), Elo::from_points(rating.error));
            rows.push(Row { temperature, elo, error });
        }
        isotonic::straighten(&mut rows);
        Ok(Self::new(origin, rows)?)
    }
}

fn thousandths(temperature: Temperature) -> i64 {
    i64::from(temperature.thousandths())
}

/// The height at `x` of the line through two points, rounded towards the left one.
fn interpolate((x0, y0): (i64, i64), (x1, y1): (i64, i64), x: i64) -> i64 {
    if x1 == x0 {
        return y0;
    }
    let rise = i128::from(y1 - y0) * i128::from(x - x0) / i128::from(x1 - x0);
    let bounded = rise.clamp(i128::from(-Elo::MOST.thousandths()), i128::from(u32::MAX));
    y0 + bounded as i64
}

impl TryFrom<StoredTable> for Table {
    type Error = TableError;

    fn try_from(stored: StoredTable) -> Result<Self, TableError> {
        Self::new(stored.origin, stored.rows)
    }
}

impl From<Table> for StoredTable {
    fn from(table: Table) -> Self {
        Self { origin: table.origin, rows: table.rows }
    }
}

#[cfg(test)]
mod tests;
