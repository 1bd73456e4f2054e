//! The curve without a dip nearest to measured points (pool adjacent violators: Ayer et al., 1955).

use super::Row;
use crate::elo::Elo;

/// Neighbours that were pooled.
struct Pool {
    /// Sum of weight × points, and of weights.
    sums: (f64, f64),
    rows: usize,
}

impl Pool {
    fn mean(&self) -> f64 {
        self.sums.0 / self.sums.1
    }
}

/// Points with their errors, by which they weigh, so that none is lower than the one before.
pub(crate) fn rising(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut pools: Vec<Pool> = Vec::new();
    for (elo, error) in points {
        // An error of nothing would weigh endlessly.
        let weight = error.max(0.001).powi(-2);
        pools.push(Pool { sums: (elo * weight, weight), rows: 1 });
        while let [.., before, last] = pools.as_slice()
            && before.mean() > last.mean()
        {
            let sums = (before.sums.0 + last.sums.0, before.sums.1 + last.sums.1);
            let joined = Pool { sums, rows: before.rows + last.rows };
            pools.truncate(pools.len() - 2);
            pools.push(joined);
        }
    }
    pools.iter().flat_map(|pool| std::iter::repeat_n(pool.mean(), pool.rows)).collect()
}

/// Makes the rows never go down; the first, from which all are counted, stays where it is.
pub(super) fn straighten(rows: &mut [Row]) {
    let means = rising(rows.iter().skip(1).map(|row| (row.elo.points(), row.error.points())));
    for (row, mean) in rows.iter_mut().skip(1).zip(means) {
        row.elo = Elo::from_points(mean.max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temperature::Temperature;

    #[test]
    fn dips_are_pooled_by_weight_and_nothing_else_is_touched() {
        let check = |points: &[(i64, i64)], wanted: &[i64]| {
            let mut rows: Vec<Row> = points
                .iter()
                .zip(0..)
                .map(|(&(elo, error), t)| Row {
                    temperature: Temperature::from_thousandths(t),
                    elo: Elo::from_thousandths(elo * 1000),
                    error: Elo::from_thousandths(error * 1000),
                })
                .collect();
            straighten(&mut rows);
            let found: Vec<i64> = rows.iter().map(|row| row.elo.thousandths() / 1000).collect();
            assert_eq!(found, wanted, "{points:?}");
        };
        check(&[(0, 0), (10, 1), (20, 1), (30, 1)], &[0, 10, 20, 30]);
        check(&[(0, 0), (30, 1), (10, 1), (40, 1)], &[0, 20, 20, 40]);
        check(&[(0, 0), (40, 1), (10, 2), (34, 1)], &[0, 34, 34, 34]);
        check(&[(0, 0), (-12, 5), (30, 5)], &[0, 0, 30]);
        check(&[(0, 0)], &[0]);
        check(&[], &[]);
    }
}
