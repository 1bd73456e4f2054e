//! The Elo scale: shares of the points to differences and back, the same bits on every machine.

/// Elo difference of a share of the points; infinite where one side has all of them.
pub fn elo_of(score: f64) -> f64 {
    // The zero added makes an even score zero, not minus zero.
    -400.0 * libm::log10(1.0 / score.clamp(0.0, 1.0) - 1.0) + 0.0
}

/// Share of the points of an Elo difference.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + libm::pow(10.0, -elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_has_its_known_points() {
        assert_eq!(elo_of(0.5).to_bits(), 0.0f64.to_bits());
        assert_eq!((elo_of(0.0), elo_of(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!((elo_of(-1.0), elo_of(2.0)), (f64::NEG_INFINITY, f64::INFINITY));
        for (elo, score) in [(0.0, 0.5), (400.0, 10.0 / 11.0), (-800.0, 1.0 / 101.0)] {
            assert!((score_of(elo) - score).abs() < 1e-12, "{elo}");
            assert!((elo_of(score) - elo).abs() < 1e-9, "{score}");
        }
    }
}
