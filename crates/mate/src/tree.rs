//! From the table to a proof: a tree in which every reply of the defender is answered.
//!
//! The table says of every position of a proof within how many plies it is mate, and these
//! numbers fall along every branch. What the table has lost is searched again, limited to the
//! plies it must take. So the tree always ends, whatever was overwritten in the meantime.

use crate::dfpn::{Pulse, Searcher};
use crate::table::{Entry, Table};
use crate::{expand, hands, mate_in_one};
use rules::{Color, Gen, Hand, Move, MoveList, Position, Variant};
use std::collections::HashMap;

/// Board key and attacker's hand.
pub(crate) type Place = (u64, Hand);

/// The attacker's answer to a position: the move, and the plies until mate against the best
/// defence when every position is answered from the same tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) m: Move,
    pub(crate) plies: u16,
}

/// A proof: every position the attacker may have to answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) steps: HashMap<Place, Step>,
}

/// A position of the path while the tree is built.
struct Level {
    place: Place,
    /// Moves of the attacker still to be tried with the plies the table promises; the last first.
    m: Move,
    /// Replies to `m`, those before `next` answered.
    replies: Vec<Move>,
    next: usize,
    /// Longest answer so far.
    longest: u16,
    /// Plies promised for the whole.
    within: u16,
}

/// Builds the tree of a position proven to be mate within `within` plies. `None` if the search
/// for lost parts was stopped.
pub(crate) fn build<V: Variant>(
    pos: &Position<V>,
    table: &Table,
    within: u16,
    pulse: &mut dyn Pulse,
    nodes: &mut u64,
) -> Option<Tree> {
    let attacker = pos.turn();
    let mut tree = Tree::default();
    let mut pos = pos.without_history();
    let mut levels: Vec<Level> = Vec::new();
    open(&mut pos, attacker, table, within, &tree, &mut levels, pulse, nodes)?;
    while let Some(level) = levels.last_mut() {
        if let Some(&reply) = level.replies.get(level.next) {
            // The position after the attacker's move stands on the board.
            pos.play(reply);
            let place = (pos.board_key(), pos.hand(attacker));
            let within = level.within - 2;
            match tree.steps.get(&place) {
                Some(step) if step.plies <= within => {
                    level.longest = level.longest.max(step.plies);
                    level.next += 1;
                    pos.undo();
                }
                _ => open(&mut pos, attacker, table, within, &tree, &mut levels, pulse, nodes)?,
            }
            continue;
        }
        let plies = if level.replies.is_empty() { 1 } else { level.longest + 2 };
        tree.steps.insert(level.place, Step { m: level.m, plies });
        pos.undo();
        levels.pop();
        if let Some(parent) = levels.last_mut() {
            pos.undo();
            parent.longest = parent.longest.max(plies);
            parent.next += 1;
        }
    }
    Some(tree)
}

/// Chooses the attacker's move in the position on the board and plays it.
#[allow(clippy::too_many_arguments)]
fn open<V: Variant>(
    pos: &mut Position<V>,
    attacker: Color,
    table: &Table,
    within: u16,
    tree: &Tree,
    levels: &mut Vec<Level>,
    pulse: &mut dyn Pulse,
    nodes: &mut u64,
) -> Option<()> {
    let place = (pos.board_key(), pos.hand(attacker));
    let (m, promised) = match mate_in_one(pos) {
        Some(m) => (m, 1),
        None => match best_known(pos, attacker, table, within) {
            Some(found) => found,
            None => {
                let mut again = Searcher::new(pos.clone(), table, 0);
                let found = again.search(within, pulse);
                *nodes += again.nodes;
                let outcome = found?;
                debug_assert!(outcome.is_proof(), "{pos:?} within {within}");
                if !outcome.is_proof() {
                    return None;
                }
                best_known(pos, attacker, table, within)
                    .or((!outcome.best.is_some()).then_some((outcome.best, outcome.plies)))?
            }
        },
    };
    let _ = tree;
    pos.play(m);
    let mut list = MoveList::new();
    pos.generate(Gen::Evasions, &mut list);
    let replies = list.to_vec();
    levels.push(Level { place, m, replies, next: 0, longest: 0, within: promised });
    Some(())
}

/// The check after which the table promises the quickest mate, and the plies with that check.
fn best_known<V: Variant>(
    pos: &Position<V>,
    attacker: Color,
    table: &Table,
    within: u16,
) -> Option<(Move, u16)> {
    let mut list = MoveList::new();
    pos.generate(Gen::Checks, &mut list);
    let hand = pos.hand(attacker);
    let promise = |&m: &Move| {
        let e: Entry =
            table.shortest(pos.board_key_after(m), hands::after(pos, hand, m), within - 1)?;
        Some((m, e.plies + 1))
    };
    list.iter().filter_map(promise).min_by_key(|&(_, plies)| plies)
}

impl Tree {
    /// The line of best defence: the longest resistance; among equals the reply that leaves the
    /// attacker least in hand at the end.
    pub(crate) fn line<V: Variant>(&self, pos: &Position<V>) -> Vec<Move> {
        let attacker = pos.turn();
        let mut pos = pos.without_history();
        let mut line = Vec::new();
        while let Some(step) = self.steps.get(&(pos.board_key(), pos.hand(attacker))) {
            line.push(step.m);
            pos.play(step.m);
            let mut list = MoveList::new();
            pos.generate(Gen::Evasions, &mut list);
            let longest = list.iter().copied().max_by_key(|&m| {
                let place = (pos.board_key_after(m), pos.hand(attacker));
                self.steps.get(&place).map_or(0, |s| s.plies)
            });
            let Some(reply) = longest else { break };
            line.push(reply);
            pos.play(reply);
        }
        line
    }

    /// The hand that must be there; kept so that the module of expansions stays the only one to
    /// know how mates are recognised.
    pub(crate) fn needed<V: Variant>(pos: &mut Position<V>, m: Move) -> Hand {
        expand::needed_for_mate(pos, m)
    }
}
