//! Counting move sequences: the touchstone of move generation.

use crate::position::Position;
use crate::{Gen, Move, MoveList, Variant};

/// Number of legal move sequences of length `depth`. With `bulk` the last ply is counted by the
/// length of its move list instead of by playing its moves.
pub fn perft<V: Variant>(pos: &mut Position<V>, depth: usize, bulk: bool) -> u64 {
    let mut lists = vec![MoveList::new(); depth];
    count(pos, &mut lists, bulk)
}

/// The same, split by first move.
pub fn divide<V: Variant>(pos: &mut Position<V>, depth: usize, bulk: bool) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else { return Vec::new() };
    let mut lists = vec![MoveList::new(); rest];
    let moves = pos.legal_moves();
    moves
        .iter()
        .map(|&m| {
            pos.play(m);
            let n = count(pos, &mut lists, bulk);
            pos.undo();
            (m, n)
        })
        .collect()
}

/// Deepest count that is worth starting: nobody lives to see a deeper one.
pub const DEEPEST_PERFT: u8 = 40;

/// Counts as [`perft`] does and tells `each` about every first move. Gives up, with `None`, as soon
/// as `go_on` says no; it is asked often enough to stop within milliseconds.
pub fn perft_while<V: Variant>(
    pos: &mut Position<V>,
    depth: usize,
    go_on: &mut dyn FnMut() -> bool,
    each: &mut dyn FnMut(Move, u64),
) -> Option<u64> {
    let Some(rest) = depth.checked_sub(1) else { return Some(1) };
    let mut lists = vec![MoveList::new(); rest];
    let mut total = 0;
    for &m in &pos.legal_moves() {
        pos.play(m);
        let below = count_while(pos, &mut lists, go_on);
        pos.undo();
        let below = below?;
        each(m, below);
        total += below;
    }
    Some(total)
}

fn count_while<V: Variant>(
    pos: &mut Position<V>,
    lists: &mut [MoveList],
    go_on: &mut dyn FnMut() -> bool,
) -> Option<u64> {
    if !go_on() {
        return None;
    }
    if lists.len() <= 2 {
        return Some(count(pos, lists, true));
    }
    let Some((list, rest)) = lists.split_first_mut() else { return Some(1) };
    list.clear();
    pos.generate(Gen::All, list);
    let mut total = 0;
    for &m in &*list {
        pos.play(m);
        let below = count_while(pos, rest, go_on);
        pos.undo();
        total += below?;
    }
    Some(total)
}

fn count<V: Variant>(pos: &mut Position<V>, lists: &mut [MoveList], bulk: bool) -> u64 {
    let Some((list, rest)) = lists.split_first_mut() else { return 1 };
    list.clear();
    pos.generate(Gen::All, list);
    if bulk && rest.is_empty() {
        return list.len() as u64;
    }
    let mut n = 0;
    for &m in &*list {
        pos.play(m);
        n += count(pos, rest, bulk);
        pos.undo();
    }
    n
}
