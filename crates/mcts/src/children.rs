//! The children of a node: a chain of cells beside that of its moves, fifteen in each.
//!
//! The n-th place belongs to the n-th move; 0 where nobody went yet. A playout that chooses reads a
//! cell of moves and a cell of children together and knows fifteen addresses at once, so that the
//! processor fetches the nodes beside each other instead of one after the other.

use crate::arena::{Arena, Cell, Index, Magazine};
use crate::edges::PER_CELL;
use crate::node::Node;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

/// Word and shift of a place in a cell; the last stands above the link.
#[inline]
const fn place(at: usize) -> (usize, u32) {
    if at + 1 == PER_CELL { (7, 32) } else { (at / 2, at as u32 % 2 * 32) }
}

/// The child at a place of a cell of children.
#[inline]
pub(crate) fn get(cell: &Cell, at: usize) -> Index {
    let (word, shift) = place(at);
    (cell.0[word].load(Acquire) >> shift) as u32
}

/// Sets a place that is empty; says whether it was.
fn set(cell: &Cell, at: usize, child: Index) -> bool {
    let (word, shift) = place(at);
    let fill = |old: u64| ((old >> shift) as u32 == 0).then_some(old | u64::from(child) << shift);
    cell.0[word].fetch_update(AcqRel, Acquire, fill).is_ok()
}

/// The next cell of a chain of children, written by another thread perhaps.
#[inline]
pub(crate) fn next(cell: &Cell) -> Index {
    cell.0[7].load(Acquire) as u32
}

/// Children there are, with the numbers of their moves.
pub(crate) struct Children<'a> {
    arena: &'a Arena,
    cell: Index,
    number: usize,
}

impl Iterator for Children<'_> {
    type Item = (usize, Index);

    #[inline]
    fn next(&mut self) -> Option<(usize, Index)> {
        while self.cell != 0 {
            let cell = self.arena.cell(self.cell);
            let (number, at) = (self.number, self.number % PER_CELL);
            self.number += 1;
            if at + 1 == PER_CELL {
                self.cell = next(cell);
            }
            let child = get(cell, at);
            if child != 0 {
                return Some((number, child));
            }
        }
        None
    }
}

impl Arena {
    /// The children of a node.
    #[inline]
    pub(crate) fn children(&self, node: Node<'_>) -> Children<'_> {
        self.children_from(node.first_children())
    }

    /// The children in a chain of cells.
    #[inline]
    pub(crate) fn children_from(&self, cell: Index) -> Children<'_> {
        Children { arena: self, cell, number: 0 }
    }

    /// The child of a move; 0 if nobody went there.
    pub(crate) fn child(&self, node: Node<'_>, number: usize) -> Index {
        let (cell, lacking) = self.cell_of(node, number);
        if lacking > 0 { 0 } else { get(self.cell(cell), number % PER_CELL) }
    }

    /// The cell of a move's child, or the last there is and how many are lacking.
    fn cell_of(&self, node: Node<'_>, number: usize) -> (Index, usize) {
        let (mut cell, mut following) = (0, node.first_children());
        for lacking in (1..=number / PER_CELL + 1).rev() {
            if following == 0 {
                return (cell, lacking);
            }
            (cell, following) = (following, next(self.cell(following)));
        }
        (cell, 0)
    }

    /// Cells that [`Arena::adopt`] takes for this child.
    pub(crate) fn cells_to_adopt(&self, node: Node<'_>, number: usize) -> usize {
        self.cell_of(node, number).1
    }

    /// Makes a node the child of a move. Fails if another thread was faster, or the magazine has
    /// too few cells.
    pub(crate) fn adopt(
        &self,
        node: Node<'_>,
        number: usize,
        child: Index,
        magazine: &mut Magazine,
    ) -> bool {
        loop {
            let (last, lacking) = self.cell_of(node, number);
            if lacking == 0 {
                return set(self.cell(last), number % PER_CELL, child);
            }
            let Some(fresh) = magazine.pop(self) else { return false };
            let cell = self.cell(fresh);
            (0..8).for_each(|word| cell.set_word(word, 0));
            let added = match last {
                0 => node.begin_children(fresh),
                last => {
                    let link = |old: u64| (old as u32 == 0).then_some(old | u64::from(fresh));
                    self.cell(last).0[7].fetch_update(AcqRel, Acquire, link).is_ok()
                }
            };
            if !added {
                magazine.push(self, fresh);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_stand_at_the_numbers_of_their_moves() {
        let arena = Arena::new(1 << 20);
        let mut magazine = Magazine::default();
        arena.hand_out(&mut arena.lock(), &mut magazine, 100);
        let root = magazine.pop(&arena).unwrap();
        let node = arena.node(root);
        node.create();
        let mut expected = Vec::new();
        for (number, lacking) in [(0, 1), (14, 0), (592, 39), (15, 0), (44, 0), (590, 0), (1, 0)] {
            assert_eq!(arena.child(node, number), 0);
            assert_eq!(arena.cells_to_adopt(node, number), lacking);
            let child = magazine.pop(&arena).unwrap();
            let before = magazine.count as usize;
            assert!(arena.adopt(node, number, child, &mut magazine), "{number}");
            assert_eq!(before - magazine.count as usize, lacking);
            assert!(!arena.adopt(node, number, child, &mut magazine), "it is taken");
            assert_eq!(arena.child(node, number), child);
            expected.push((number, child));
        }
        expected.sort_unstable();
        assert_eq!(arena.children(node).collect::<Vec<_>>(), expected);
        assert_eq!(arena.child(node, 700), 0);
    }

    #[test]
    fn without_memory_nothing_is_adopted() {
        let arena = Arena::new(1 << 20);
        let mut magazine = Magazine::default();
        arena.hand_out(&mut arena.lock(), &mut magazine, 3);
        let root = magazine.pop(&arena).unwrap();
        arena.node(root).create();
        let child = magazine.pop(&arena).unwrap();
        // One cell is left, three are needed; it stays in the chain and is not lost.
        assert!(!arena.adopt(arena.node(root), 40, child, &mut magazine));
        assert!(arena.adopt(arena.node(root), 3, child, &mut magazine));
        assert_eq!(arena.children(arena.node(root)).collect::<Vec<_>>(), [(3, child)]);
    }
}
