//! How much old games count, as floodgate weighs them.

/// Days during which a game counts in full.
pub const FRESH: f64 = 7.0;
/// Days after which it counts half as much, each time.
pub const HALF_LIFE: f64 = 60.0;
/// Days after which it counts nothing.
pub const FORGOTTEN: f64 = 730.0;
/// Weighted games a player needs for a rating.
pub const LEAST_GAMES: f64 = 15.0;

/// Weight of a game that many days old.
pub fn weight(days: f64) -> f64 {
    if days <= FRESH {
        1.0
    } else if days > FORGOTTEN {
        0.0
    } else {
        (-std::f64::consts::LN_2 * (days - FRESH) / HALF_LIFE).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::weight;

    #[test]
    fn weights_by_age() {
        for (days, wanted) in
            [(-1.0, 1.0), (0.0, 1.0), (7.0, 1.0), (67.0, 0.5), (127.0, 0.25), (731.0, 0.0)]
        {
            assert!((weight(days) - wanted).abs() < 1e-12, "{days}");
        }
    }
}
