use super::*;
use rating::score_of;
use seed::Rng;

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b}");
}

#[test]
fn elo_and_score_are_inverse() {
    close(elo_of(0.75), 190.848_501_8, 1e-6);
    assert_eq!(elo_of(0.5).to_string(), "0");
    assert_eq!(elo_of(1.0), f64::INFINITY);
    assert_eq!(elo_of(0.0), f64::NEG_INFINITY);
    for elo in [-300.0, -1.5, 0.0, 42.0, 700.0] {
        close(elo_of(score_of(elo)), elo, 1e-9);
    }
}

#[test]
fn the_normal_distribution_is_the_tabled_one() {
    for (x, share) in [
        (0.0, 0.5),
        (1.0, 0.841_344_746),
        (-1.0, 0.158_655_254),
        (1.959_963_985, 0.975),
        (3.0, 0.998_650_102),
    ] {
        close(normal(x), share, 1e-9);
    }
}

/// Results published with fastchess, a runner for chess engines: pairs, normalised Elo and its
/// error, Elo and its error, likelihood of superiority.
#[test]
fn estimates_are_the_published_ones() {
    for (pairs, nelo, nelo_error, elo, elo_error, superiority) in [
        ([34, 54, 63, 64, 75], 57.94, 28.28, 55.58, 27.65, 0.99997),
        ([332, 433, 498, 333, 334], -9.17, 10.96, -8.64, 10.33, 0.0505),
        ([7895, 8757, 5685, 568, 9999], -19.01, 2.65, -21.04, 2.95, 0.0),
    ] {
        let estimate = Estimate::of(&MatchScore { pairs, ..MatchScore::default() }).unwrap();
        let normalised = estimate.normalised;
        close(normalised.mid, nelo, 0.01);
        close(normalised.error(), nelo_error, 0.01);
        close(estimate.elo.mid, elo, 0.01);
        close(estimate.elo.error(), elo_error, 0.01);
        close(estimate.superiority, superiority, 1e-4);
    }
    // Single games: wins, losses, draws.
    for ((wins, losses, draws), nelo, nelo_error, superiority) in
        [((76, 89, 123), -20.76, 40.13, 0.1553), ((136, 96, 111), 49.77, 36.77, 0.9960)]
    {
        let score = MatchScore { wins, draws, losses, ..MatchScore::default() };
        let estimate = Estimate::of(&score).unwrap();
        let normalised = estimate.normalised;
        close(normalised.mid, nelo, 0.01);
        close(normalised.error(), nelo_error, 0.01);
        close(estimate.superiority, superiority, 1e-4);
    }
}

#[test]
fn single_games_are_used_where_no_pair_is_complete() {
    let score = MatchScore { wins: 3, draws: 1, losses: 1, ..MatchScore::default() };
    let estimate = Estimate::of(&score).unwrap();
    close(estimate.elo.mid, elo_of(0.7), 1e-9);
    assert!(estimate.superiority > 0.5);
    assert_eq!(Estimate::of(&MatchScore::default()), None);
}

/// One pair proves nothing, and a hundred pairs alike prove what they prove.
#[test]
fn few_results_or_all_alike_have_intervals_that_mean_something() {
    let of = |pairs| Estimate::of(&MatchScore { pairs, ..MatchScore::default() }).unwrap();
    let once = of([0, 0, 0, 0, 1]);
    assert_eq!((once.elo.mid, once.elo.high), (f64::INFINITY, f64::INFINITY));
    assert!((-150.0..-50.0).contains(&once.elo.low), "{once:?}");
    assert!((0.85..0.95).contains(&once.superiority), "{once:?}");
    let lost = of([1, 0, 0, 0, 0]);
    assert_eq!((lost.elo.low, lost.elo.mid), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    close(lost.elo.high, -once.elo.low, 1e-9);
    close(lost.superiority, 1.0 - once.superiority, 1e-6);
    let shared = of([0, 0, 1, 0, 0]);
    assert_eq!(shared.elo.mid, 0.0);
    assert!(shared.elo.error() > 200.0, "{shared:?}");
    close(shared.superiority, 0.5, 1e-6);
    // Twenty games won of twenty: the rule of three says more than 85 %.
    let ten = of([0, 0, 0, 0, 10]);
    assert!((0.8..0.9).contains(&score_of(ten.elo.low)), "{ten:?}");
    assert!(ten.superiority > 0.999 && ten.superiority < 1.0, "{ten:?}");
    let hundred = of([0, 0, 100, 0, 0]);
    assert!((1.0..30.0).contains(&hundred.elo.error()), "{hundred:?}");
    for pairs in [[0, 0, 0, 0, 7], [0, 0, 7, 0, 0], [7, 0, 0, 0, 0], [0, 1, 0, 0, 0]] {
        let Interval { low, mid, high } = of(pairs).normalised;
        assert!(low.is_finite() && low < mid && mid < high && high.is_finite(), "{pairs:?}");
    }
}

/// More results of the same kind make an interval narrower, and nothing jumps where their own variance
/// begins to be trusted.
#[test]
fn intervals_narrow_as_results_come() {
    let error = |n: u64| {
        let pairs = [n, 2 * n, 4 * n, 2 * n, n];
        Estimate::of(&MatchScore { pairs, ..MatchScore::default() }).unwrap().elo.error()
    };
    for n in 1..10 {
        assert!(error(n + 1) < error(n), "{n}");
    }
    let expected = error(3) * (3f64 / 2.0).sqrt();
    close(error(2), expected, expected / 10.0);
}

/// Draws pair results from a known distribution many times: the 95 % intervals must contain the
/// truth about 95 times in a hundred, for both kinds of Elo, and so must the likelihood.
#[test]
fn intervals_hold_what_they_promise() {
    held_by_intervals_of(400, 0.935..0.965);
}

/// The same of a few pairs, nearly.
#[test]
fn intervals_of_few_results_hold_it_too() {
    for count in [2, 4, 8, 16] {
        held_by_intervals_of(count, 0.91..1.01);
    }
}

fn held_by_intervals_of(count: u32, promised: std::ops::Range<f64>) {
    let shares = [0.05, 0.2, 0.4, 0.25, 0.1];
    let mean: f64 = shares.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
    let variance: f64 =
        shares.iter().enumerate().map(|(i, p)| p * (i as f64 / 4.0 - mean).powi(2)).sum();
    let truth = elo_of(mean);
    let normalised = (mean - 0.5) / (2.0 * variance).sqrt() * NORMALISED;
    let (mut held, mut held_normalised) = (0, 0);
    let trials = 2000;
    let mut seed = Rng::new(42);
    for _ in 0..trials {
        let mut pairs = [0; 5];
        for _ in 0..count {
            let mut x = seed.unit();
            let index = shares.iter().position(|p| {
                x -= p;
                x < 0.0
            });
            pairs[index.unwrap_or(4)] += 1;
        }
        let estimate = Estimate::of(&MatchScore { pairs, ..MatchScore::default() }).unwrap();
        let inside = |i: Interval, x: f64| u32::from(i.low <= x && x <= i.high);
        held += inside(estimate.elo, truth);
        held_normalised += inside(estimate.normalised, normalised);
    }
    for count in [held, held_normalised] {
        let share = f64::from(count) / f64::from(trials);
        assert!(promised.contains(&share), "{share} of {count}");
    }
}
