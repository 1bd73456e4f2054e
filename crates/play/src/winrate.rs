//! Scores to win rates and back.
//!
//! The scale is a property of whoever made the score: a net's file or ledger entry says it. It is
//! the score at which the win rate is 1/(1 + 1/e), 73 %.

/// The scale of an evaluation nobody has measured, in hundredths of a pawn: what interfaces of the
/// field assume of every engine.
pub const USUAL_SCALE: f64 = 600.0;

/// The scale that nets are trained with unless another is asked for, in evaluation units: that of the
/// field's trainers. A net trained with it says 667, the same in hundredths of a pawn, until its games
/// are measured.
pub const TRAINING_SCALE: f64 = 600.0;

/// A pawn in evaluation units, in which nets, tables and teacher files count.
pub const PAWN: i32 = 90;

/// Evaluation units as hundredths of a pawn, in which scores and scales are told.
pub fn centipawns(units: f64) -> f64 {
    100.0 * units / f64::from(PAWN)
}

/// The win rate of a score: a logistic curve.
pub fn win_rate(score: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (-score / scale).exp())
}

/// The score of a win rate, infinite at 0 and 1.
pub fn score(win_rate: f64, scale: f64) -> f64 {
    scale * (win_rate / (1.0 - win_rate)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_has_its_known_points() {
        assert_eq!(win_rate(0.0, 600.0), 0.5);
        for scale in [532.0, 600.0, 1340.0] {
            assert!((win_rate(scale, scale) - 0.731_058_578_6).abs() < 1e-9);
            for points in [-3000.0, -1.0, 0.0, 250.0, 3000.0] {
                let rate = win_rate(points, scale);
                assert!((score(rate, scale) - points).abs() < 1e-6, "{points} {scale}");
                assert!((rate + win_rate(-points, scale) - 1.0).abs() < 1e-12);
            }
        }
        assert_eq!(win_rate(f64::INFINITY, 600.0), 1.0);
        assert_eq!(score(1.0, 600.0), f64::INFINITY);
        assert_eq!(score(0.0, 600.0), f64::NEG_INFINITY);
    }
}
