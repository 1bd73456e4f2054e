//! Who plays whom in the next round.
//!
//! The championship's own program is not published. Its tables show: a group of equal points is
//! folded (best seed against worst), nobody meets twice, who is left over goes to the nearest
//! group, colours stay balanced. That is what is done here, by search where the first choice leads
//! nowhere.

use super::standings::points;
use super::{Game, Pair, Seed};
use rules::Color;
use std::cmp::Reverse;

/// Choices tried before rematches are allowed.
const PATIENCE: usize = 200_000;

/// A round of a Swiss tournament on all results so far.
pub fn swiss(entrants: usize, games: &[Game]) -> Vec<Pair> {
    by_points(&points(entrants, games), games)
}

/// A round of the championship's stages, counted from 0: the second as if the higher seed had won
/// every first game, the third without the second's results, then Swiss.
pub fn championship(entrants: usize, round: usize, games: &[Game]) -> Vec<Pair> {
    let of_first = |game: &&Game| game.round == 0;
    let assumed: Vec<Game> = match round {
        1 => {
            let higher =
                |g: &Game| if g.pair.black < g.pair.white { Color::Black } else { Color::White };
            games.iter().filter(of_first).map(|g| Game { winner: Some(higher(g)), ..*g }).collect()
        }
        2 => games.iter().filter(of_first).copied().collect(),
        _ => games.to_vec(),
    };
    by_points(&points(entrants, &assumed), games)
}

/// Pairs groups of equal points.
fn by_points(points: &[u32], games: &[Game]) -> Vec<Pair> {
    let mut order: Vec<Seed> = (0..points.len()).collect();
    order.sort_by_key(|&who| (Reverse(points[who]), who));
    let met = |a: Seed, b: Seed| games.iter().any(|g| g.pair.has(a) && g.pair.has(b));
    let mut tries = PATIENCE;
    let mut pairs = Vec::new();
    if !complete(&order, points, &met, &mut pairs, &mut tries) {
        pairs.clear();
        tries = PATIENCE;
        // Everybody has met everybody: there is no round without rematches.
        complete(&order, points, &|_, _| false, &mut pairs, &mut tries);
    }
    let board = |(index, (a, b)): (usize, (Seed, Seed))| coloured(a, b, index, games);
    pairs.into_iter().enumerate().map(board).collect()
}

/// Pairs the first with whom it should meet, and then the rest, if the rest can be paired.
fn complete(
    free: &[Seed],
    points: &[u32],
    met: &dyn Fn(Seed, Seed) -> bool,
    pairs: &mut Vec<(Seed, Seed)>,
    tries: &mut usize,
) -> bool {
    let Some((&first, others)) = free.split_first() else { return true };
    let mut candidates: Vec<Seed> =
        others.iter().copied().filter(|&who| !met(first, who)).collect();
    // Nearest in points; among equals the lowest seed first, which folds the group.
    candidates.sort_by_key(|&who| (points[first].abs_diff(points[who]), Reverse(who)));
    for other in candidates {
        if *tries == 0 {
            return false;
        }
        *tries -= 1;
        let rest: Vec<Seed> = others.iter().copied().filter(|&who| who != other).collect();
        pairs.push((first, other));
        if complete(&rest, points, met, pairs, tries) {
            return true;
        }
        pairs.pop();
    }
    // One alone, in an odd field: it has no game in this round.
    others.is_empty()
}

/// Games as Black less games as White.
fn balance(who: Seed, games: &[Game]) -> i32 {
    let side = |g: &Game| i32::from(g.pair.black == who) - i32::from(g.pair.white == who);
    games.iter().map(side).sum()
}

/// Who of two has Black: the one that had it less, else the one that did not have it last, else by
/// board.
fn coloured(a: Seed, b: Seed, board: usize, games: &[Game]) -> Pair {
    let last =
        |who: Seed| games.iter().rev().find(|g| g.pair.has(who)).map(|g| g.pair.black == who);
    let a_first = match (balance(a, games), balance(b, games)) {
        (x, y) if x != y => x < y,
        _ => match (last(a), last(b)) {
            (Some(x), Some(y)) if x != y => !x,
            _ => board.is_multiple_of(2),
        },
    };
    if a_first { Pair { black: a, white: b } } else { Pair { black: b, white: a } }
}

/// All rounds of everybody against everybody. With a power of two of players the best meet last:
/// in round r (from 1) player i meets i XOR (n − r). Other numbers go round a circle, and with an
/// odd number one has no game in each round.
pub fn round_robin(entrants: usize) -> Vec<Vec<Pair>> {
    if entrants < 2 {
        return Vec::new();
    }
    let mut games = Vec::new();
    let even = entrants + entrants % 2;
    let mut rounds = Vec::new();
    for round in 1..even {
        let opponent = |who: usize| -> usize {
            if even.is_power_of_two() {
                return who ^ (even - round);
            }
            let circle = even - 1;
            match who {
                last if last == circle => {
                    (0..circle).find(|i| 2 * i % circle == round % circle).unwrap_or(0)
                }
                who if 2 * who % circle == round % circle => circle,
                who => (round + circle - who) % circle,
            }
        };
        let pairs: Vec<Pair> = (0..entrants)
            .filter(|&who| who < opponent(who) && opponent(who) < entrants)
            .enumerate()
            .map(|(board, who)| coloured(who, opponent(who), board, &games))
            .collect();
        games.extend(pairs.iter().map(|&pair| Game { round, pair, winner: None }));
        rounds.push(pairs);
    }
    rounds
}

/// A round of players by rating, best first, as floodgate has them: neighbours meet, but not those
/// who met last if it can be avoided. With an odd number the last has no game. `last` names each
/// one's last opponent, `blacks` how much more often it has had Black.
pub fn neighbours(
    players: usize,
    last: &dyn Fn(Seed) -> Option<Seed>,
    blacks: &[i32],
) -> Vec<Pair> {
    let mut free: Vec<Seed> = (0..players - players % 2).collect();
    let mut pairs = Vec::new();
    while free.len() >= 2 {
        let first = free.remove(0);
        let fresh = free
            .iter()
            .take(3)
            .position(|&who| last(first) != Some(who) && last(who) != Some(first));
        let other = free.remove(fresh.unwrap_or(0));
        let of = |who: Seed| blacks.get(who).copied().unwrap_or(0);
        let swap = of(first) > of(other);
        let (black, white) = if swap { (other, first) } else { (first, other) };
        pairs.push(Pair { black, white });
    }
    pairs
}

#[cfg(test)]
mod tests {
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
}
