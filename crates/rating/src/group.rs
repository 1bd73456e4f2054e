//! Who can be compared: ratings exist only where everybody has scored against somebody above and
//! lost points to somebody below, however far around (Ford, "Solution of a Ranking Problem from
//! Binary Comparisons", 1957).

use crate::results::Results;

/// The largest set of players that can be compared with each other and have enough games within
/// it, by number; the first of the largest.
pub(crate) fn main_group(results: &Results, least_games: f64) -> Vec<usize> {
    let mut group: Vec<usize> = (0..results.players()).collect();
    loop {
        let before = group.len();
        group = largest_component(results, &group);
        let mut games = vec![0.0; results.players()];
        for ((a, b), meeting) in within(results, &group) {
            games[a] += meeting.games;
            games[b] += meeting.games;
        }
        group.retain(|&player| games[player] >= least_games);
        if group.len() == before {
            return group;
        }
    }
}

/// Meetings of players of a group, who are in order.
pub(crate) fn within<'a>(
    results: &'a Results,
    group: &'a [usize],
) -> impl Iterator<Item = ((usize, usize), &'a crate::results::Meeting)> {
    let is_in = |player: usize| group.binary_search(&player).is_ok();
    results.meetings().filter(move |((a, b), _)| is_in(*a) && is_in(*b))
}

/// The largest strongly connected part of the graph "took points from" (Kosaraju).
fn largest_component(results: &Results, group: &[usize]) -> Vec<usize> {
    let count = results.players();
    let (mut over, mut under) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for ((a, b), meeting) in within(results, group) {
        if meeting.points > 0.0 {
            over[a].push(b);
            under[b].push(a);
        }
        if meeting.points < meeting.games {
            over[b].push(a);
            under[a].push(b);
        }
    }
    let mut seen = vec![false; count];
    let mut finished = Vec::with_capacity(group.len());
    for &player in group {
        finished.extend(visit(player, &over, &mut seen));
    }
    let mut seen = vec![false; count];
    let mut largest = Vec::new();
    for &player in finished.iter().rev() {
        let component = visit(player, &under, &mut seen);
        if component.len() > largest.len() {
            largest = component;
        }
    }
    largest.sort_unstable();
    largest
}

/// All that can be reached and was not seen before, in the order they are finished with.
fn visit(from: usize, edges: &[Vec<usize>], seen: &mut [bool]) -> Vec<usize> {
    if std::mem::replace(&mut seen[from], true) {
        return Vec::new();
    }
    let mut finished = Vec::new();
    let mut path = vec![(from, 0)];
    while let Some((player, next)) = path.last_mut() {
        match edges[*player].get(*next) {
            None => {
                finished.push(*player);
                path.pop();
            }
            Some(&other) => {
                *next += 1;
                if !std::mem::replace(&mut seen[other], true) {
                    path.push((other, 0));
                }
            }
        }
    }
    finished
}
