//! Workers whose results differ from the others' more than chance does.

use serde::{Deserialize, Serialize};

/// Results of one worker: pairs of games won, drawn and lost by the first side.
pub type Row = [u64; 3];

/// How far a worker is from the others.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Residual {
    /// Chi-squared of its row with two degrees of freedom, for its share of all results.
    pub chi_squared: f64,
    /// The same as deviations of a normal distribution.
    pub deviations: f64,
}

/// The residual of each worker; `None` where there are too few results to say anything: an
/// expected cell of 5 or less.
pub fn residuals(rows: &[Row]) -> Vec<Option<Residual>> {
    let columns = rows.iter().fold([0; 3], |mut sums: Row, row| {
        sums.iter_mut().zip(row).for_each(|(sum, n)| *sum += n);
        sums
    });
    let total: u64 = columns.iter().sum();
    rows.iter().map(|row| residual(*row, columns, total)).collect()
}

fn residual(row: Row, columns: Row, total: u64) -> Option<Residual> {
    let own: u64 = row.iter().sum();
    if own == 0 || own == total {
        return None;
    }
    let mut sum = 0.0;
    for (seen, column) in row.into_iter().zip(columns) {
        let expected = own as f64 * column as f64 / total as f64;
        if expected <= 5.0 {
            return None;
        }
        sum += (seen as f64 - expected).powi(2) / expected;
    }
    let chi_squared = sum / (1.0 - own as f64 / total as f64);
    // With two degrees of freedom the chance of more is exp(-x/2); as deviations of a normal
    // distribution by the approximation of Wilson and Hilferty.
    let ninth = 2.0 / (9.0 * 2.0);
    let deviations = ((chi_squared / 2.0).cbrt() - (1.0 - ninth)) / f64::sqrt(ninth);
    Some(Residual { chi_squared, deviations })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_differs_stands_out_and_who_does_not_does_not() {
        let found = residuals(&[[50, 100, 50], [52, 97, 51], [48, 103, 49], [120, 60, 20]]);
        let deviations: Vec<f64> = found.iter().map(|r| r.unwrap().deviations).collect();
        assert!(deviations[3] > 7.0, "{deviations:?}");
        assert!(deviations[..3].iter().all(|&d| d < deviations[3] / 2.0), "{deviations:?}");
        let alike = residuals(&[[50, 100, 50], [52, 97, 51], [48, 103, 49]]);
        assert!(alike.iter().all(|r| r.unwrap().deviations < 1.0), "{alike:?}");
    }

    #[test]
    fn few_results_say_nothing() {
        assert_eq!(residuals(&[[1, 2, 1], [50, 100, 50]])[0], None);
        assert_eq!(residuals(&[[50, 100, 50]]), [None]);
        assert_eq!(residuals(&[[0, 0, 0], [50, 100, 50]]), [None, None]);
        assert!(residuals(&[]).is_empty());
    }
}
