//! Leaves that wait for their values, one behind the other in buffers that are used again.

use crate::arena::Index;
use rules::{Color, Move};

/// A leaf that waits for its value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Leaf<'a> {
    /// From the root to the leaf.
    pub(crate) path: &'a [Index],
    /// Its moves, in the order of the labels.
    pub(crate) moves: &'a [Move],
    /// Who is to move there.
    pub(crate) turn: Color,
}

/// Leaves in the order they were added.
#[derive(Default)]
pub(crate) struct Leaves {
    paths: Vec<Index>,
    moves: Vec<Move>,
    /// Where each leaf ends in both, and who is to move.
    ends: Vec<(usize, usize, Color)>,
}

impl Leaves {
    pub(crate) fn push(&mut self, path: &[Index], moves: &[Move], turn: Color) {
        self.paths.extend_from_slice(path);
        self.moves.extend_from_slice(moves);
        self.ends.push((self.paths.len(), self.moves.len(), turn));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(crate) fn get(&self, index: usize) -> Leaf<'_> {
        let (path, moves) = match index {
            0 => (0, 0),
            _ => (self.ends[index - 1].0, self.ends[index - 1].1),
        };
        let (path_end, moves_end, turn) = self.ends[index];
        Leaf { path: &self.paths[path..path_end], moves: &self.moves[moves..moves_end], turn }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Leaf<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Forgets the leaves, keeps the buffers.
    pub(crate) fn clear(&mut self) {
        self.paths.clear();
        self.moves.clear();
        self.ends.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Kind, Square};

    #[test]
    fn leaves_are_read_as_they_were_added() {
        let moves =
            [Move::drop(Kind::Pawn, Square::new(4)), Move::drop(Kind::Gold, Square::new(5))];
        let mut leaves = Leaves::default();
        for _ in 0..2 {
            leaves.push(&[1, 2, 3], &moves, Color::Black);
            leaves.push(&[1], &moves[..1], Color::White);
            let read: Vec<Leaf<'_>> = leaves.iter().collect();
            let first = Leaf { path: &[1, 2, 3], moves: &moves, turn: Color::Black };
            assert_eq!(read, [first, Leaf { path: &[1], moves: &moves[..1], turn: Color::White }]);
            assert!(leaves.len() == 2 && !leaves.is_empty());
            leaves.clear();
            assert!(leaves.is_empty());
        }
    }
}
