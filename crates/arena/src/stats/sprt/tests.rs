use super::*;
use seed::Rng;

fn pairs(pairs: [u64; 5]) -> MatchScore {
    MatchScore { pairs, ..MatchScore::default() }
}

/// Results published with fastchess, a runner for chess engines, for the same test.
#[test]
fn ratios_are_the_published_ones() {
    for (results, elo0, elo1, ratio) in [
        ([365, 16_618, 36_229, 16_974, 390], 0.0, 2.0, 2.25),
        ([127, 4883, 10_712, 5150, 104], -1.75, 0.25, 3.01),
    ] {
        let sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap();
        let got = sprt.ratio(&pairs(results));
        assert!((got - ratio).abs() < 0.01 * ratio, "{got} is not {ratio}");
    }
}

#[test]
fn bounds_and_verdicts() {
    let sprt = Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap();
    let (low, high) = sprt.bounds();
    assert!((low + 2.944_439).abs() < 1e-5 && (high - 2.944_439).abs() < 1e-5);
    assert_eq!(sprt.verdict(&MatchScore::default()), Verdict::Undecided);
    assert_eq!(sprt.verdict(&pairs([10, 50, 100, 60, 12])), Verdict::Undecided);
    assert_eq!(sprt.verdict(&pairs([0, 0, 1000, 600, 300])), Verdict::Accepted);
    assert_eq!(sprt.verdict(&pairs([300, 600, 1000, 0, 0])), Verdict::Rejected);
}

#[test]
fn senseless_tests_are_refused() {
    assert_eq!(Sprt::new(5.0, 5.0, 0.05, 0.05), Err(SprtError::Bounds(5.0, 5.0)));
    assert!(Sprt::new(f64::NAN, 5.0, 0.05, 0.05).is_err());
    assert_eq!(Sprt::new(0.0, 5.0, 0.0, 0.05), Err(SprtError::Rate(0.0)));
    assert_eq!(Sprt::new(0.0, 5.0, 0.05, 0.6), Err(SprtError::Rate(0.6)));
}

#[test]
fn one_sided_results_of_any_number_are_finite() {
    let sprt = Sprt::new(-10.0, 60.0, 0.05, 0.05).unwrap();
    for index in 0..5 {
        for count in [1, 2, 100, 1_000_000] {
            let mut results = [0; 5];
            results[index] = count;
            assert!(sprt.ratio(&pairs(results)).is_finite(), "{results:?}");
        }
    }
}

/// Bounds far apart are outside what the search for the best distribution can do.
#[test]
fn extreme_bounds_still_decide() {
    let sprt = Sprt::new(-400.0, 400.0, 0.05, 0.05).unwrap();
    assert_eq!(sprt.verdict(&pairs([0, 0, 2, 6, 12])), Verdict::Accepted);
    assert_eq!(sprt.verdict(&pairs([12, 6, 2, 0, 0])), Verdict::Rejected);
    assert_eq!(sprt.verdict(&pairs([0, 0, 0, 0, 100])), Verdict::Accepted);
    assert_eq!(sprt.verdict(&pairs([0, 0, 1, 0, 0])), Verdict::Undecided);
}

#[test]
fn both_ways_to_the_ratio_agree_where_both_work() {
    let seen = [0.1, 0.2, 0.35, 0.22, 0.13];
    for (t0, t1) in [(0.0, 0.02), (-0.05, 0.05), (0.0, 0.2)] {
        let (q0, q1) = (best_with(&seen, t0).unwrap(), best_with(&seen, t1).unwrap());
        let sum: f64 = (0..5).map(|i| seen[i] * (q1[i] / q0[i]).ln()).sum();
        let near = normal_ratio(&seen.map(|p| p * 1e4), t0, t1);
        assert!((sum - near).abs() < 0.03 * sum.abs().max(0.002), "{sum} {near}");
    }
}

/// Shares of pair results whose normalised Elo is the one wanted.
fn shares(elo: f64) -> [f64; 5] {
    let base = [0.1, 0.2, 0.4, 0.2, 0.1];
    best_with(&base, elo / NORMALISED * std::f64::consts::SQRT_2).unwrap()
}

/// Plays tests to their end with a known truth: the share of acceptances.
fn accepted(sprt: &Sprt, truth: f64, trials: u32, seed: u64) -> f64 {
    let shares = shares(truth);
    let mut seed = Rng::new(seed);
    let mut accepted = 0;
    for _ in 0..trials {
        let mut score = MatchScore::default();
        let verdict = loop {
            for _ in 0..10 {
                let mut x = seed.unit();
                let index = shares.iter().position(|p| {
                    x -= p;
                    x < 0.0
                });
                score.pairs[index.unwrap_or(4)] += 1;
            }
            match sprt.verdict(&score) {
                Verdict::Undecided => {}
                verdict => break verdict,
            }
        };
        accepted += u32::from(verdict == Verdict::Accepted);
    }
    f64::from(accepted) / f64::from(trials)
}

/// The promise of the test: wrong at most as often as it says, and right the more often the
/// clearer the truth.
#[test]
fn simulated_tests_err_as_often_as_promised() {
    let sprt = Sprt::new(0.0, 40.0, 0.05, 0.05).unwrap();
    let wrong = accepted(&sprt, 0.0, 400, 1);
    let missed = 1.0 - accepted(&sprt, 40.0, 400, 2);
    let between = accepted(&sprt, 20.0, 400, 3);
    assert!((0.01..0.085).contains(&wrong), "{wrong}");
    assert!((0.01..0.085).contains(&missed), "{missed}");
    assert!((0.4..0.6).contains(&between), "{between}");
}

#[test]
fn the_model_is_read_and_normalised_unless_said() {
    let read = |text: &str| text.parse::<Sprt>();
    assert_eq!(read("elo0=0,elo1=5").unwrap().model(), EloModel::Normalised);
    assert_eq!(read("elo0=0,elo1=5,model=logistic").unwrap().model(), EloModel::Logistic);
    assert_eq!(read("model=normalized,elo0=0,elo1=5").unwrap().model(), EloModel::Normalised);
    let wrong = read("elo0=0,elo1=5,model=bayesian").unwrap_err();
    assert!(wrong.contains("bayesian") && wrong.contains("logistic"), "{wrong}");
    assert!(read("elo0=5,elo1=0,model=logistic").is_err());
}

/// With many results the ratio is that of two normal distributions around the means.
#[test]
fn logistic_ratios_are_those_of_means() {
    for results in [[365, 16_618, 36_229, 16_974, 390], [127, 4883, 10_712, 5150, 104]] {
        let (elo0, elo1) = (-1.0, 3.0);
        let sprt = Sprt::new(elo0, elo1, 0.05, 0.05).unwrap().counted_in(EloModel::Logistic);
        let total: u64 = results.iter().sum();
        let (mean, variance) = moments(&results.map(|n| n as f64 / total as f64));
        let (s0, s1) = (score_of(elo0), score_of(elo1));
        let near = total as f64 * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let got = sprt.ratio(&pairs(results));
        assert!((got - near).abs() < 0.01 * near.abs().max(0.1), "{got} is not {near}");
    }
}

#[test]
fn logistic_tests_decide_and_stay_finite() {
    let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05).unwrap().counted_in(EloModel::Logistic);
    assert_eq!(sprt.verdict(&pairs([0, 0, 1, 0, 0])), Verdict::Undecided);
    assert_eq!(sprt.verdict(&pairs([0, 0, 1000, 600, 300])), Verdict::Accepted);
    assert_eq!(sprt.verdict(&pairs([300, 600, 1000, 0, 0])), Verdict::Rejected);
    let far = Sprt::new(-400.0, 400.0, 0.05, 0.05).unwrap().counted_in(EloModel::Logistic);
    for index in 0..5 {
        for count in [1, 2, 100, 1_000_000] {
            let mut results = [0; 5];
            results[index] = count;
            assert!(sprt.ratio(&pairs(results)).is_finite(), "{results:?}");
            assert!(far.ratio(&pairs(results)).is_finite(), "{results:?}");
        }
    }
}
