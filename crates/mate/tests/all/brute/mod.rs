//! The truth about small positions: every position reachable by checks and replies is listed,
//! then mates are propagated backwards until nothing changes. No paths, no numbers.

use rules::{Color, Gen, MoveList, Position, Variant};
use std::collections::HashMap;

struct Place {
    attacks: bool,
    /// Numbers of the positions after each move.
    next: Vec<usize>,
    /// Plies to mate, once known.
    mate: Option<u32>,
}

/// Plies of the shortest mate for the side to move, `Some(None)` if there is no mate, `None` if
/// more than `most` positions can be reached.
pub(crate) fn shortest<V: Variant>(pos: &Position<V>, most: usize) -> Option<Option<u32>> {
    let attacker = pos.turn();
    let name = |p: &Position<V>| (p.board_key(), p.hand(Color::Black), p.hand(Color::White));
    let mut numbers = HashMap::from([(name(pos), 0)]);
    let mut queue = vec![pos.without_history()];
    let mut places: Vec<Place> = Vec::new();
    while places.len() < queue.len() {
        if queue.len() > most {
            return None;
        }
        let mut here = queue[places.len()].clone();
        let attacks = here.turn() == attacker;
        let mut moves = MoveList::new();
        here.generate(if attacks { Gen::Checks } else { Gen::All }, &mut moves);
        let mut next = Vec::new();
        for &m in &moves {
            here.play(m);
            let number = *numbers.entry(name(&here)).or_insert_with(|| {
                queue.push(here.without_history());
                queue.len() - 1
            });
            next.push(number);
            here.undo();
        }
        places.push(Place { attacks, next, mate: None });
    }
    for plies in 0.. {
        let mut found = false;
        let mut open = false;
        for i in 0..places.len() {
            let p = &places[i];
            if p.mate.is_some() {
                continue;
            }
            let before = |&n: &usize| places[n].mate.is_some_and(|m| m < plies);
            let settled =
                if p.attacks { p.next.iter().any(before) } else { p.next.iter().all(before) };
            if settled {
                places[i].mate = Some(plies);
                found = true;
            }
            open |= !settled;
        }
        if places[0].mate.is_some() || !open || !found && plies > 0 {
            break;
        }
    }
    Some(places[0].mate)
}

/// Plies of the shortest mate of at most `plies` (an odd number), by trying everything.
pub(crate) fn within<V: Variant>(pos: &mut Position<V>, plies: u32) -> Option<u32> {
    (1..=plies).step_by(2).find(|&n| forced(pos, n))
}

fn forced<V: Variant>(pos: &mut Position<V>, plies: u32) -> bool {
    let mut checks = MoveList::new();
    pos.generate(Gen::Checks, &mut checks);
    checks.iter().any(|&m| {
        pos.play(m);
        let replies = pos.legal_moves();
        let mated = (plies > 1 || replies.is_empty())
            && replies.iter().all(|&r| {
                pos.play(r);
                let mated = forced(pos, plies - 2);
                pos.undo();
                mated
            });
        pos.undo();
        mated
    })
}
