//! The cheapest round: everybody paired so that the sum over the boards is least.
//!
//! Up to [`EXACT`] people the least is found among all rounds there are, by dynamic programming over
//! the sets of people already paired. A larger field is improved by exchanges between two and three
//! boards and by pairing runs of neighbouring boards anew until nothing gets cheaper; that need not
//! be the least there is.

use super::Seed;

/// Two people at a board.
pub(super) type Board = (Seed, Seed);

/// What a pair costs; `None` if the two must not meet.
pub(super) type Cost<'a> = dyn Fn(Seed, Seed) -> Option<u32> + 'a;

/// People up to which the cheapest round is found: 2^16 sets, some milliseconds.
pub(super) const EXACT: usize = 16;

/// Boards up to which exchanges between three of them are tried.
const BOARDS: usize = 40;

/// Neighbouring boards of a large field that are paired anew together.
const RUN: usize = 6;

/// Makes a round as cheap as it gets. Of rounds that cost the same it keeps most of its boards.
pub(super) fn improve(pairs: &mut [Board], cost: &Cost<'_>) {
    if 2 * pairs.len() <= EXACT {
        pair_anew(pairs, cost);
        return;
    }
    while exchange(pairs, 2, cost)
        || neighbouring(pairs, cost)
        || (pairs.len() <= BOARDS && exchange(pairs, 3, cost))
    {}
}

/// What a round costs; `None` if it has a pair that must not meet.
fn price(pairs: &[Board], cost: &Cost<'_>) -> Option<u32> {
    pairs.iter().map(|&(a, b)| cost(a, b)).sum()
}

/// Pairs the people of these boards in the cheapest way; whether that is cheaper than before.
fn pair_anew(pairs: &mut [Board], cost: &Cost<'_>) -> bool {
    let before = price(pairs, cost);
    if before == Some(0) {
        return false;
    }
    let Some(cheapest) = cheapest(pairs, cost) else { return false };
    let asked = price(&cheapest, cost);
    if asked.is_none() || before.is_some_and(|before| asked >= Some(before)) {
        return false;
    }
    pairs.copy_from_slice(&cheapest);
    true
}

/// The cheapest way to pair these people; of equal ones the one that changes the fewest boards.
/// `None` if there is no way, or there are too many people.
fn cheapest(pairs: &[Board], cost: &Cost<'_>) -> Option<Vec<Board>> {
    let people: Vec<Seed> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    let count = people.len();
    if count > EXACT {
        return None;
    }
    // A board costs what the pair does, and then one if it is new: the partner of `i` was `i ^ 1`.
    let of_board = |i: usize, j: usize| {
        let asked = u64::from(cost(people[i], people[j])?);
        Some((asked << 8) + u64::from(j != i ^ 1))
    };
    let mut boards = vec![None; count * count];
    for i in 0..count {
        for j in i + 1..count {
            boards[i * count + j] = of_board(i, j);
        }
    }
    // The least cost of pairing everybody in a set, and the partner of its first member.
    let mut least: Vec<Option<(u64, usize)>> = vec![None; 1 << count];
    least[0] = Some((0, 0));
    for set in 1..1usize << count {
        let first = set.trailing_zeros() as usize;
        let others = set & (set - 1);
        let mut rest = others;
        while rest != 0 {
            let other = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if let (Some(board), Some((before, _))) =
                (boards[first * count + other], least[others & !(1 << other)])
                && least[set].is_none_or(|(known, _)| before + board < known)
            {
                least[set] = Some((before + board, other));
            }
        }
    }
    let mut round = Vec::with_capacity(pairs.len());
    let mut set = (1usize << count) - 1;
    while set != 0 {
        let first = set.trailing_zeros() as usize;
        let (_, other) = least[set]?;
        round.push((people[first], people[other]));
        set &= !(1 << first | 1 << other);
    }
    Some(round)
}

/// Pairs the first run of neighbouring boards anew that gets cheaper by it; whether there was one.
fn neighbouring(pairs: &mut [Board], cost: &Cost<'_>) -> bool {
    let last = pairs.len().checked_sub(RUN);
    let begins = (0..last.unwrap_or(0)).step_by(RUN / 2).chain(last);
    begins.into_iter().any(|at| pair_anew(&mut pairs[at..at + RUN], cost))
}

/// Makes the first exchange between so many boards that is worth it; whether there was one.
fn exchange(pairs: &mut [Board], size: usize, cost: &Cost<'_>) -> bool {
    let mut chosen: Vec<usize> = (0..size).collect();
    if pairs.len() < size {
        return false;
    }
    loop {
        let mut now: Vec<Board> = chosen.iter().map(|&at| pairs[at]).collect();
        if pair_anew(&mut now, cost) {
            for (&at, pair) in chosen.iter().zip(now) {
                pairs[at] = pair;
            }
            return true;
        }
        // The next choice of boards.
        let Some(at) = (0..size).rev().find(|&at| chosen[at] < pairs.len() - size + at) else {
            return false;
        };
        chosen[at] += 1;
        for later in at + 1..size {
            chosen[later] = chosen[later - 1] + 1;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every way to pair these people.
    pub(in super::super) fn matchings(people: &[Seed]) -> Vec<Vec<Board>> {
        let Some((&first, others)) = people.split_first() else { return vec![Vec::new()] };
        let mut all = Vec::new();
        for &other in others {
            let rest: Vec<Seed> = others.iter().copied().filter(|&who| who != other).collect();
            for mut round in matchings(&rest) {
                round.insert(0, (first, other));
                all.push(round);
            }
        }
        all
    }

    /// What every pair costs by a table; nobody meets at a cost of 90 or more.
    fn of(table: &[u32]) -> impl Fn(Seed, Seed) -> Option<u32> {
        move |a: Seed, b: Seed| {
            let at = a.max(b) * (a.max(b) - 1) / 2 + a.min(b);
            Some(table[at]).filter(|&asked| asked < 90)
        }
    }

    fn neighbours(people: usize) -> Vec<Board> {
        (0..people / 2).map(|board| (2 * board, 2 * board + 1)).collect()
    }

    fn is_round(pairs: &[Board], people: usize) -> bool {
        let mut there: Vec<Seed> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        there.sort_unstable();
        there == (0..people).collect::<Vec<_>>()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Up to ten people (945 rounds): against every round there is.
        #[test]
        fn a_small_field_gets_the_cheapest_round(half in 1usize..6, table in proptest::collection::vec(0u32..100, 45)) {
            let people = 2 * half;
            let cost = of(&table);
            let all: Vec<Seed> = (0..people).collect();
            let least = matchings(&all).iter().filter_map(|round| price(round, &cost)).min();
            let mut pairs = neighbours(people);
            improve(&mut pairs, &cost);
            prop_assert!(is_round(&pairs, people));
            if least.is_some() {
                prop_assert_eq!(price(&pairs, &cost), least);
            }
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        /// More people than are paired exactly: no run of boards can be made cheaper.
        #[test]
        fn a_large_field_gets_cheaper_until_no_exchange_helps(half in 9usize..24, table in proptest::collection::vec(0u32..90, 1128)) {
            let people = 2 * half;
            let cost = of(&table);
            let mut pairs = neighbours(people);
            let before = price(&pairs, &cost);
            improve(&mut pairs, &cost);
            prop_assert!(is_round(&pairs, people));
            prop_assert!(price(&pairs, &cost) <= before);
            prop_assert!(!exchange(&mut pairs, 2, &cost) && !exchange(&mut pairs, 3, &cost));
            prop_assert!(!neighbouring(&mut pairs, &cost));
        }
    }

    /// Four boards in a ring: no exchange between three of them helps, one between all four does.
    #[test]
    fn a_ring_of_four_boards_is_turned() {
        let cost = |a: Seed, b: Seed| {
            let (low, high) = (a.min(b), a.max(b));
            let ring = (high - low == 1 && low % 2 == 1) || (low, high) == (0, 7);
            let board = high - low == 1 && low % 2 == 0;
            Some(if ring {
                0
            } else if board {
                1
            } else {
                9
            })
        };
        let mut pairs = neighbours(8);
        assert!(!exchange(&mut pairs, 2, &cost) && !exchange(&mut pairs, 3, &cost));
        improve(&mut pairs, &cost);
        assert_eq!(price(&pairs, &cost), Some(0));
    }

    /// Where nothing is gained nothing is changed: the fold of a group stays.
    #[test]
    fn equal_rounds_keep_their_boards() {
        let fold = [(0, 7), (1, 6), (2, 5), (3, 4)];
        let mut pairs = fold;
        improve(&mut pairs, &|_, _| Some(3));
        assert_eq!(pairs, fold);
        // Only the first two boards have anything to gain.
        improve(&mut pairs, &|a, b| Some(u32::from((a.min(b), a.max(b)) == (0, 7))));
        assert_eq!(pairs[2..], fold[2..]);
        assert_eq!(price(&pairs, &|a, b| Some(u32::from((a, b) == (0, 7)))), Some(0));
    }

    #[test]
    fn nobody_meets_who_must_not() {
        let mut pairs = [(0, 1), (2, 3)];
        improve(&mut pairs, &|a, b| ((a, b) != (0, 1) && (a, b) != (1, 0)).then_some(5));
        assert!(!pairs.contains(&(0, 1)), "{pairs:?}");
        // Without any round that may be, the one there was stays.
        let mut pairs = [(0, 1), (2, 3)];
        improve(&mut pairs, &|_, _| None);
        assert_eq!(pairs, [(0, 1), (2, 3)]);
    }
}
