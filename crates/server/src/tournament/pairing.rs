//! Who plays whom in the next round.
//!
//! The championship's own program is not published. Its tables show: a group of equal points is
//! folded (best seed against worst), nobody meets twice, who is left over goes to the nearest
//! group, colours stay balanced. That is what is done here, by search where the first choice leads
//! nowhere, and then by making the whole round as cheap as it gets (`matching`).

mod matching;

use super::standings::points;
use super::{Game, Pair, Seed};
use matching::improve;
use rules::Color;
use std::cmp::Reverse;

/// Choices tried before rematches are allowed.
const PATIENCE: usize = 200_000;

/// What a rematch costs where there is no round without: more than any other round.
const REMATCH: u32 = 1 << 16;

/// A round of a Swiss tournament on all results so far.
pub fn swiss(entrants: usize, games: &[Game]) -> Vec<Pair> {
    by_points(&points(entrants, games), games, true)
}

/// A round of the championship's stages, counted from 0: the second as if the higher seed had won
/// every first game, the third without the second's results, then Swiss. The first two are folds
/// whatever the colours.
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
    by_points(&points(entrants, &assumed), games, round >= 2)
}

/// Pairs groups of equal points.
fn by_points(points: &[u32], games: &[Game], colours: bool) -> Vec<Pair> {
    let mut order: Vec<Seed> = (0..points.len()).collect();
    order.sort_by_key(|&who| (Reverse(points[who]), who));
    let entrants = points.len();
    let mut have_met = vec![false; entrants * entrants];
    for Pair { black, white } in games.iter().map(|game| game.pair) {
        have_met[black * entrants + white] = true;
        have_met[white * entrants + black] = true;
    }
    let met = |a: Seed, b: Seed| have_met[a * entrants + b];
    let mut tries = PATIENCE;
    let mut pairs = Vec::new();
    let balances: Vec<i32> = (0..points.len()).map(|who| balance(who, games)).collect();
    let fair = |a: Seed, b: Seed| points[a].abs_diff(points[b]) + excess(balances[a], balances[b]);
    if !complete(&order, points, &met, &mut pairs, &mut tries) {
        pairs.clear();
        tries = PATIENCE;
        // No round without rematches was found: as few of them as can be.
        complete(&order, points, &|_, _| false, &mut pairs, &mut tries);
        improve(&mut pairs, &|a, b| Some(fair(a, b) + if met(a, b) { REMATCH } else { 0 }));
    } else if colours {
        improve(&mut pairs, &|a, b| (!met(a, b)).then(|| fair(a, b)));
    }
    let board = |(index, (a, b)): (usize, (Seed, Seed))| coloured(a, b, index, games);
    pairs.into_iter().enumerate().map(board).collect()
}

/// What two with these balances of colours cost: how far the worse off is from even after the
/// best choice of colours. It weighs as much as a float, both being counted in half points.
fn excess(a: i32, b: i32) -> u32 {
    let after = |a: i32, b: i32| (a + 1).abs().max((b - 1).abs());
    let worst = after(a, b).min(after(b, a)).unsigned_abs();
    2 * worst.saturating_sub(1)
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

/// A round of players by rating, best first: the sum of the differences is the least there is, in a
/// large field the least that exchanges find. Who met last counts as far apart, a worse balance of
/// colours as a little.
pub fn least_difference(
    ratings: &[f64],
    last: &dyn Fn(Seed) -> Option<Seed>,
    blacks: &[i32],
) -> Vec<Pair> {
    const REMATCH: u32 = 1000;
    const COLOUR: u32 = 25;
    let of = |who: Seed| blacks.get(who).copied().unwrap_or(0);
    let cost = |a: Seed, b: Seed| {
        let apart = (ratings[a] - ratings[b]).abs().min(1e6) as u32;
        let again = last(a) == Some(b) || last(b) == Some(a);
        Some(apart + if again { REMATCH } else { 0 } + COLOUR * excess(of(a), of(b)))
    };
    let mut pairs: Vec<(Seed, Seed)> =
        (0..ratings.len() / 2).map(|board| (2 * board, 2 * board + 1)).collect();
    improve(&mut pairs, &cost);
    let coloured = |(a, b): (Seed, Seed)| {
        if of(a) > of(b) { Pair { black: b, white: a } } else { Pair { black: a, white: b } }
    };
    pairs.into_iter().map(coloured).collect()
}

#[cfg(test)]
mod tests;
