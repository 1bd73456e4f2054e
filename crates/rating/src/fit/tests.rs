use super::*;
use proptest::prelude::*;
use seed::Rng;

fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} is not {b}");
}

#[test]
fn two_players_are_as_far_apart_as_their_score_says() {
    let mut results = Results::new(2);
    for _ in 0..75 {
        results.add((0, 1), 1, 1.0, 1.0);
    }
    for _ in 0..25 {
        results.add((1, 0), 1, 1.0, 1.0);
    }
    let fit = Fit::new(&results, Terms::default()).unwrap();
    // 75 %: 400 log10 3; the error of a share is √(p(1−p)/n), over the slope of the curve.
    let elo = 400.0 * 3f64.log10();
    let difference = fit.difference(0, 1).unwrap();
    close(difference.elo, elo, 1e-6);
    close(difference.error, SCALE / (100.0f64 * 0.75 * 0.25).sqrt(), 1e-6);
    close(fit.rating(0).unwrap().elo, elo / 2.0, 1e-6);
    let anchored = Fit::new(&results, Terms { anchor: Some((1, 1500.0)), least_games: 15.0 });
    let anchored = anchored.unwrap();
    close(anchored.rating(0).unwrap().elo, 1500.0 + elo, 1e-6);
    assert_eq!(anchored.rating(1).map(|r| (r.elo, r.error)), Some((1500.0, 0.0)));
}

#[test]
fn draws_and_pairs_make_errors_smaller() {
    let error = |observations: &[(u32, f64)]| {
        let mut results = Results::new(2);
        for _ in 0..50 {
            for &(games, points) in observations {
                results.add((0, 1), games, points, 1.0);
            }
        }
        Fit::new(&results, Terms::default()).unwrap().difference(0, 1).unwrap()
    };
    let coin = error(&[(1, 1.0), (1, 0.0)]);
    let drawn = error(&[(1, 0.5), (1, 0.5), (1, 1.0), (1, 0.0)]);
    // The colour decides every game: the pairs say that nobody is stronger, with certainty.
    let paired = error(&[(2, 1.0)]);
    close(coin.elo, 0.0, 1e-9);
    close(coin.error, SCALE / 25.0f64.sqrt(), 1e-6);
    close(drawn.error, SCALE * 25.0f64.sqrt() / 50.0, 1e-6);
    close(paired.error, 0.0, 1e-9);
}

#[test]
fn who_cannot_be_compared_has_no_rating() {
    let mut results = Results::new(6);
    // 0, 1 and 2 beat each other in turn; 3 beats everybody; 4 and 5 know only each other.
    for (a, b) in [(0, 1), (1, 2), (2, 0), (3, 0), (3, 1), (4, 5)] {
        results.add((a, b), 1, 1.0, 1.0);
    }
    let fit = Fit::new(&results, Terms::default()).unwrap();
    for player in 0..3 {
        close(fit.rating(player).unwrap().elo, 0.0, 1e-6);
    }
    assert!((3..6).all(|player| fit.rating(player).is_none()));
    assert_eq!(fit.difference(0, 3), None);
    assert_eq!(Fit::new(&results, Terms { least_games: 3.0, anchor: None }), None);
    assert_eq!(Fit::new(&results, Terms { least_games: 0.0, anchor: Some((4, 0.0)) }), None);
    assert_eq!(Fit::new(&Results::new(0), Terms::default()), None);
}

#[test]
fn senseless_results_are_left_aside() {
    let mut results = Results::new(2);
    for (pair, games, points, weight) in [
        ((0, 0), 1, 1.0, 1.0),
        ((0, 2), 1, 1.0, 1.0),
        ((0, 1), 0, 0.0, 1.0),
        ((0, 1), 1, 2.0, 1.0),
        ((0, 1), 1, -1.0, 1.0),
        ((0, 1), 1, f64::NAN, 1.0),
        ((0, 1), 1, 0.5, f64::INFINITY),
        ((0, 1), 1, 0.5, -1.0),
    ] {
        results.add(pair, games, points, weight);
    }
    assert_eq!(results.meetings().count(), 0);
}

/// A league of players of known strength, with draws, played over and over: estimates lie around
/// the truth as their errors say.
#[test]
fn errors_are_as_large_as_they_say() {
    let truth = [0.0, 120.0, -80.0, 40.0, -80.0];
    let (mut inside, mut all, mut off) = (0, 0, 0.0);
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let mut results = Results::new(truth.len());
        for a in 0..truth.len() {
            for b in 0..a {
                for _ in 0..40 {
                    let p = expected((truth[a] - truth[b]) / SCALE);
                    let chance = rng.unit();
                    let points = if chance < p - 0.15 {
                        1.0
                    } else if chance < p + 0.15 {
                        0.5
                    } else {
                        0.0
                    };
                    results.add((a, b), 1, points, 1.0);
                }
            }
        }
        let fit = Fit::new(&results, Terms::default()).unwrap();
        for (player, elo) in truth.iter().enumerate() {
            let rating = fit.rating(player).unwrap();
            inside += u32::from((rating.elo - elo).abs() < 1.96 * rating.error);
            off += rating.elo - elo;
            all += 1;
        }
    }
    let share = f64::from(inside) / f64::from(all);
    assert!((0.93..0.97).contains(&share), "{share}");
    close(off / f64::from(all), 0.0, 1.0);
}

proptest! {
    #[test]
    fn any_results_give_finite_ratings_or_none(
        games in prop::collection::vec((0usize..7, 0usize..7, 0u8..3, 0.01f64..3.0), 0..60),
    ) {
        let mut results = Results::new(7);
        for (a, b, half_points, weight) in games {
            results.add((a, b), 1, f64::from(half_points) / 2.0, weight);
        }
        if let Some(fit) = Fit::new(&results, Terms::default()) {
            for rating in (0..7).filter_map(|player| fit.rating(player)) {
                prop_assert!(rating.elo.is_finite() && rating.error.is_finite());
            }
            // Every rated player scores what it is expected to.
            let strength = |p: usize| fit.rating(p).map(|r| r.elo / SCALE);
            for player in 0..7 {
                let mut surprise = 0.0;
                for ((a, b), meeting) in results.meetings() {
                    let (Some(x), Some(y)) = (strength(a), strength(b)) else { continue };
                    let off = meeting.points - meeting.games * expected(x - y);
                    surprise += f64::from(u8::from(a == player)) * off;
                    surprise -= f64::from(u8::from(b == player)) * off;
                }
                prop_assert!(surprise.abs() < 1e-6, "{}", surprise);
            }
        }
    }
}

/// Groups too large for matrices are solved in another way, to the same strengths.
#[test]
fn both_ways_to_solve_agree() {
    let mut results = Results::new(6);
    for (a, b, points) in [(0, 1, 30.0), (1, 2, 25.5), (2, 3, 10.0), (3, 4, 20.0), (4, 5, 33.0)] {
        results.add((a, b), 40, points, 1.0);
        results.add((a, (b + 2) % 6), 40, points, 0.5);
    }
    let group: Vec<usize> = (0..6).collect();
    let problem = Problem::new(&results, &group);
    let (at_once, in_turn) = (problem.solve().unwrap(), problem.solve_in_turn().unwrap());
    for player in 1..6 {
        let gap = |strengths: &[f64]| strengths[player] - strengths[0];
        assert!((gap(&at_once) - gap(&in_turn)).abs() < 1e-6);
    }
    let exact = Covariance::Exact(problem.covariance(&at_once).unwrap());
    for (player, alone) in problem.variances(&in_turn).into_iter().enumerate() {
        assert!(alone > 0.0 && (0.2..5.0).contains(&(exact.get(player, player) / alone)));
    }
}
