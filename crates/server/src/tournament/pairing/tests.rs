//! Rounds as they should be, and against every other round there could be.

use super::matching::tests::matchings;
use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

fn key(pair: &Pair) -> (Seed, Seed) {
    (pair.black.min(pair.white), pair.black.max(pair.white))
}

#[test]
fn the_first_two_rounds_of_24() {
    let first = championship(24, 0, &[]);
    assert!(first.iter().all(|p| p.black + p.white == 23));
    let games: Vec<Game> =
        first.iter().map(|&pair| Game { round: 0, pair, winner: Some(Color::Black) }).collect();
    let second = championship(24, 1, &games);
    assert!(second.iter().all(|p| matches!(p.black + p.white, 11 | 35)), "{second:?}");
}

#[test]
fn everybody_meets_everybody_once() {
    for n in 2..20 {
        let rounds = round_robin(n);
        let mut met = HashSet::new();
        let mut games = Vec::new();
        for (round, pairs) in rounds.iter().enumerate() {
            let mut busy = HashSet::new();
            for pair in pairs {
                assert!(met.insert(key(pair)), "{n}: {pair:?} again");
                assert!(busy.insert(pair.black) && busy.insert(pair.white));
                games.push(Game { round, pair: *pair, winner: None });
            }
        }
        assert_eq!(met.len(), n * (n - 1) / 2, "{n}");
        for who in 0..n {
            assert!(balance(who, &games).abs() <= 2, "{n}: {who} {}", balance(who, &games));
        }
    }
    assert_eq!(
        round_robin(8)[6].iter().map(key).collect::<Vec<_>>(),
        [(0, 1), (2, 3), (4, 5), (6, 7)]
    );
    assert!(round_robin(1).is_empty() && round_robin(0).is_empty());
}

#[test]
fn neighbours_avoid_who_they_met_last() {
    let last = |who: Seed| [Some(1), Some(0), None, None, None].get(who).copied().flatten();
    let pairs = neighbours(5, &last, &[1, 0, 0, 0, 0]);
    assert_eq!(pairs, [Pair { black: 2, white: 0 }, Pair { black: 1, white: 3 }]);
    assert_eq!(neighbours(2, &last, &[]).len(), 1, "rather again than not at all");
    assert!(neighbours(1, &last, &[]).is_empty() && neighbours(0, &last, &[]).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn whole_tournaments_without_rematch(half in 2usize..21, results in proptest::collection::vec(0u8..10, 400)) {
        let n = half * 2;
        let rounds = 9.min(n - 1).min(8.max(n / 4));
        let mut games: Vec<Game> = Vec::new();
        let mut chance = results.iter().cycle();
        for round in 0..rounds {
            let pairs = championship(n, round, &games);
            prop_assert_eq!(pairs.len(), half);
            let mut busy = HashSet::new();
            for pair in pairs {
                prop_assert!(busy.insert(pair.black) && busy.insert(pair.white));
                // In small fields the last rounds may have nobody new to offer.
                if n >= 16 {
                    prop_assert!(!games.iter().any(|g| key(&g.pair) == key(&pair)), "{} round {}", n, round);
                }
                let winner = match chance.next() { Some(0) => None, Some(1..5) => Some(Color::White), _ => Some(Color::Black) };
                games.push(Game { round, pair, winner });
            }
        }
        for who in 0..n {
            prop_assert!(balance(who, &games).abs() <= 3, "{}", balance(who, &games));
        }
    }
}

/// The round that should have been made: equal scores, no rematch, and nobody twice more of one
/// colour where another round avoids it.
#[test]
fn colours_weigh_as_much_as_floats() {
    // The winners are 0, 1, 2, 3, the losers the others. Folded, 0 meets 3, both of whom have had
    // Black, and 1 meets 2, both of whom have had White; likewise the losers.
    let game = |black, white, winner| Game { round: 0, pair: Pair { black, white }, winner };
    let games = [
        game(0, 7, Some(Color::Black)),
        game(6, 1, Some(Color::White)),
        game(5, 2, Some(Color::White)),
        game(3, 4, Some(Color::Black)),
    ];
    let round = swiss(8, &games);
    let points = points(8, &games);
    for pair in &round {
        assert_eq!(points[pair.black], points[pair.white], "{round:?}");
        let after = [balance(pair.black, &games) + 1, balance(pair.white, &games) - 1];
        assert!(after.iter().all(|b| b.abs() <= 1), "{pair:?} of {round:?}: {after:?}");
    }
}

#[test]
fn the_least_difference_avoids_rematches() {
    let ratings = [2000.0, 1990.0, 1500.0, 1490.0];
    let nobody = |_: Seed| None;
    let met = |pairs: &[Pair]| pairs.iter().map(key).collect::<Vec<_>>();
    assert_eq!(met(&least_difference(&ratings, &nobody, &[])), [(0, 1), (2, 3)]);
    let last = |who: Seed| [1, 0, 3, 2].get(who).copied();
    let again = least_difference(&ratings, &last, &[]);
    assert!(again.iter().all(|p| last(p.black) != Some(p.white)), "{again:?}");
    assert_eq!(least_difference(&[1.0], &nobody, &[]), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Six players: every round there could be is looked at.
    #[test]
    fn no_other_round_is_better(results in proptest::collection::vec(0u8..3, 12), rounds in 1usize..4) {
        let mut games: Vec<Game> = Vec::new();
        let mut chance = results.iter();
        for round in 0..rounds {
            for pair in swiss(6, &games) {
                let winner = match chance.next() { Some(0) => None, Some(1) => Some(Color::White), _ => Some(Color::Black) };
                games.push(Game { round, pair, winner });
            }
        }
        let points = points(6, &games);
        let met = |a: Seed, b: Seed| games.iter().any(|g| g.pair.has(a) && g.pair.has(b));
        let cost = |round: &[(Seed, Seed)]| -> Option<u32> {
            round.iter().map(|&(a, b)| {
                (!met(a, b)).then(|| points[a].abs_diff(points[b]) + excess(balance(a, &games), balance(b, &games)))
            }).sum()
        };
        let made: Vec<(Seed, Seed)> = swiss(6, &games).iter().map(|p| (p.black, p.white)).collect();
        if let Some(least) = matchings(&[0, 1, 2, 3, 4, 5]).iter().filter_map(|r| cost(r)).min() {
            prop_assert_eq!(cost(&made), Some(least));
        }
    }
}

#[test]
fn rematches_are_as_few_as_can_be() {
    // 0 has met everybody but 5; the others have met little.
    let met = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (3, 4), (1, 5), (2, 5), (3, 5), (4, 5)];
    let game = |(round, (black, white))| Game { round, pair: Pair { black, white }, winner: None };
    let games: Vec<Game> = met.into_iter().enumerate().map(game).collect();
    // 0 and 5 can meet; the other four have two rounds among themselves without a rematch.
    let again = |pairs: &[Pair]| pairs.iter().filter(|p| met.contains(&key(p))).count();
    assert_eq!(again(&swiss(6, &games)), 0);
    // With those taken away too one rematch is left over, and not three.
    let more = [(0, 5), (1, 3), (2, 4)];
    let games: Vec<Game> = met.into_iter().chain(more).enumerate().map(game).collect();
    let all: Vec<(Seed, Seed)> = met.into_iter().chain(more).collect();
    let round = swiss(6, &games);
    let rematches = round.iter().filter(|p| all.contains(&key(p))).count();
    let least = matchings(&[0, 1, 2, 3, 4, 5])
        .iter()
        .map(|round| round.iter().filter(|pair| all.contains(pair)).count())
        .min();
    assert_eq!(Some(rematches), least, "{round:?}");
}
