//! From the table to a proof: a tree in which every reply of the defender is answered.
//!
//! The table says of every position of a proof within how many plies it is mate, and these
//! numbers fall along every branch. What the table has lost is searched again, limited to the
//! plies it must take. So the tree always ends, whatever was overwritten in the meantime.

use crate::dfpn::{Searcher, StopCheck};
use crate::table::Table;
use crate::{hands, mate_in_one};
use rules::{Color, Gen, Hand, Move, MoveList, Position, Variant};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Board key and attacker's hand.
pub(crate) type Place = (u64, Hand);

/// The place of a position.
pub(crate) fn place<V: Variant>(pos: &Position<V>, attacker: Color) -> Place {
    (pos.board_key(), pos.hand(attacker))
}

/// The attacker's answer to a position: the move, and the plies until mate against the best
/// defence when every position is answered from the same tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    pub(crate) m: Move,
    pub(crate) plies: u16,
    /// Pieces the attacker holds at the end if the defender, among its longest replies, always
    /// chooses what leaves least.
    pub(crate) left: u8,
}

/// A proof: every position the attacker may have to answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) steps: HashMap<Place, Step>,
}

/// A position of the path while the tree is built.
struct Level {
    place: Place,
    m: Move,
    /// Replies to `m`, those before `next` answered.
    replies: Vec<Move>,
    next: usize,
    /// Longest answer so far, and what it leaves in hand.
    longest: u16,
    left: u8,
    /// Plies promised for the whole.
    within: u16,
}

impl Level {
    /// Takes in how a reply was answered.
    fn answer(&mut self, step: Step) {
        if step.plies > self.longest {
            (self.longest, self.left) = (step.plies, step.left);
        } else if step.plies == self.longest {
            self.left = self.left.min(step.left);
        }
        self.next += 1;
    }
}

/// Positions opened between two questions whether to stop.
const CHECK_EVERY: u64 = 64;

/// Builds trees.
pub(crate) struct Builder<'a, V: Variant> {
    pub(crate) table: &'a Table,
    pub(crate) stop_check: &'a mut dyn StopCheck,
    pos: Position<V>,
    attacker: Color,
    levels: Vec<Level>,
    list: MoveList,
    opened: u64,
}

impl<'a, V: Variant> Builder<'a, V> {
    pub(crate) fn new(
        pos: &Position<V>,
        table: &'a Table,
        stop_check: &'a mut dyn StopCheck,
    ) -> Self {
        let (levels, list) = (Vec::new(), MoveList::new());
        let (pos, attacker) = (pos.without_history(), pos.turn());
        Self { table, stop_check, pos, attacker, levels, list, opened: 0 }
    }

    /// The tree of a position proven to be mate within `within` plies, beginning with `first` if
    /// given. `None` if the search for lost parts was stopped.
    pub(crate) fn build(mut self, within: u16, first: Option<Move>) -> Option<Tree> {
        let mut tree = Tree::default();
        match first {
            Some(m) => self.play(m, within),
            None => self.open(within)?,
        }
        while let Some(level) = self.levels.last_mut() {
            if let Some(&reply) = level.replies.get(level.next) {
                // The position after the attacker's move stands on the board.
                self.pos.play(reply);
                let within = level.within.saturating_sub(2);
                match tree.steps.get(&place(&self.pos, self.attacker)) {
                    Some(&step) if step.plies <= within => {
                        level.answer(step);
                        self.pos.undo();
                    }
                    _ => self.open(within)?,
                }
                continue;
            }
            let (plies, left) = if level.replies.is_empty() {
                (1, self.pos.hand(self.attacker).total() as u8)
            } else {
                (level.longest + 2, level.left)
            };
            let step = Step { m: level.m, plies, left };
            // A position met again by another way may have been answered better in between.
            let known = tree.steps.entry(level.place).or_insert(step);
            if known.plies > plies {
                *known = step;
            }
            self.pos.undo();
            self.levels.pop();
            if let Some(parent) = self.levels.last_mut() {
                self.pos.undo();
                parent.answer(step);
            }
        }
        Some(tree)
    }

    /// Chooses the attacker's move in the position on the board and plays it.
    fn open(&mut self, within: u16) -> Option<()> {
        self.opened += 1;
        if self.opened.is_multiple_of(CHECK_EVERY) && self.stop_check.stops(0) {
            return None;
        }
        let (m, promised) = match mate_in_one(&self.pos) {
            Some(m) => (m, 1),
            None => match self.best_known(within) {
                Some(found) => found,
                None => self.search_again(within)?,
            },
        };
        self.play(m, promised);
        Some(())
    }

    fn play(&mut self, m: Move, promised: u16) {
        let place = place(&self.pos, self.attacker);
        self.pos.play(m);
        self.list.clear();
        self.pos.generate(Gen::Evasions, &mut self.list);
        let replies = self.list.to_vec();
        self.levels.push(Level {
            place,
            m,
            replies,
            next: 0,
            longest: 0,
            left: 0,
            within: promised,
        });
    }

    /// The check after which the table promises the quickest mate, and the plies with it.
    fn best_known(&mut self, within: u16) -> Option<(Move, u16)> {
        let (pos, within) = (&self.pos, within.checked_sub(1)?);
        self.list.clear();
        pos.generate(Gen::Checks, &mut self.list);
        let hand = pos.hand(self.attacker);
        let promise = |&m: &Move| {
            let hand = hands::after(pos, hand, m);
            let e = self.table.shortest(pos.board_key_after(m), hand, within)?;
            Some((m, e.plies + 1))
        };
        self.list.iter().filter_map(promise).min_by_key(|&(_, plies)| plies)
    }

    /// Searches a position the table has lost.
    #[cold]
    fn search_again(&mut self, within: u16) -> Option<(Move, u16)> {
        let mut again = Searcher::new(&self.pos, self.attacker, self.table, 0);
        let value = again.search(within, self.stop_check)?;
        debug_assert!(value.is_proof(), "{:?} within {within}", self.pos);
        (value.is_proof() && self.pos.is_legal(value.best)).then_some((value.best, value.plies))
    }
}

/// A reply of the defender besides the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    /// How many moves of the line were played before.
    pub at: usize,
    pub reply: Move,
    /// Plies until mate after it.
    pub plies: u16,
    /// The attacker's answer.
    pub answer: Move,
}

impl Tree {
    /// The answer to a position.
    pub(crate) fn step<V: Variant>(&self, pos: &Position<V>, attacker: Color) -> Option<Step> {
        self.steps.get(&place(pos, attacker)).copied()
    }

    /// The line of best defence: the longest resistance; among equals the reply that leaves the
    /// attacker least in hand at the end, as composed problems want it.
    pub(crate) fn line<V: Variant>(&self, pos: &Position<V>) -> Vec<Move> {
        let attacker = pos.turn();
        let mut pos = pos.without_history();
        let mut line = Vec::new();
        while let Some(step) = self.step(&pos, attacker) {
            line.push(step.m);
            pos.play(step.m);
            let replies = pos.legal_moves();
            let best = replies.iter().rev().max_by_key(|&&m| self.resistance(&pos, m, attacker));
            let Some(&reply) = best else { break };
            line.push(reply);
            pos.play(reply);
        }
        line
    }

    /// What makes a reply the better defence: plies until mate, then how little is left over.
    fn resistance<V: Variant>(
        &self,
        pos: &Position<V>,
        m: Move,
        attacker: Color,
    ) -> (u16, Reverse<u8>) {
        let place = (pos.board_key_after(m), pos.hand(attacker));
        self.steps.get(&place).map_or((0, Reverse(u8::MAX)), |s| (s.plies, Reverse(s.left)))
    }

    /// The other replies along a line.
    pub(crate) fn branches<V: Variant>(&self, pos: &Position<V>, line: &[Move]) -> Vec<Branch> {
        let attacker = pos.turn();
        let mut pos = pos.without_history();
        let mut branches = Vec::new();
        for (at, &m) in line.iter().enumerate() {
            if at % 2 == 1 {
                for &reply in pos.legal_moves().iter().filter(|&&r| r != m) {
                    let mut after = pos.clone();
                    after.play(reply);
                    if let Some(step) = self.step(&after, attacker) {
                        let (plies, answer) = (step.plies, step.m);
                        branches.push(Branch { at, reply, plies, answer });
                    }
                }
            }
            pos.play(m);
        }
        branches
    }
}
