//! The quiet position that captures lead to.
//!
//! A search of captures with material alone: quick, and the same whatever net is being trained.
//! Of equal lines the first is kept, so a position in which nothing is to be gained stays
//! itself.

use eval::{Evaluator, Material, PIECE_VALUES};
use rules::{Gen, Move, MoveList, Position, Variant};
use std::sync::Arc;

/// Captures in a row that are looked at.
const DEEPEST: usize = 8;

/// Finds leaves. Its memory is used again and again.
pub(super) struct Leaf<V: Variant> {
    material: Material,
    position: Position<V>,
    /// The best line from each depth on.
    lines: Vec<Vec<Move>>,
}

impl<V: Variant> Leaf<V> {
    pub(super) fn new() -> Self {
        Self {
            material: <Material as Evaluator<V>>::new(Arc::new(PIECE_VALUES)),
            position: Position::startpos(),
            lines: vec![Vec::new(); DEEPEST + 1],
        }
    }

    /// The leaf of a position, and whether the other side is to move there.
    pub(super) fn find(&mut self, position: &Position<V>) -> (&Position<V>, bool) {
        self.position = position.without_history();
        Evaluator::<V>::refresh(&mut self.material, &self.position);
        self.search(0, -i32::MAX, i32::MAX);
        let line = std::mem::take(&mut self.lines[0]);
        line.iter().for_each(|&mv| {
            self.position.play(mv);
        });
        let turned = line.len() % 2 == 1;
        self.lines[0] = line;
        (&self.position, turned)
    }

    /// Whether the side to move gains nothing by captures.
    pub(super) fn is_settled(&mut self, position: &Position<V>) -> bool {
        self.find(position);
        self.lines[0].is_empty()
    }

    fn search(&mut self, depth: usize, mut alpha: i32, beta: i32) -> i32 {
        self.lines[depth].clear();
        let stand = self.material.evaluate(&self.position);
        if stand >= beta || depth == DEEPEST {
            return stand;
        }
        let mut best = stand;
        alpha = alpha.max(stand);
        let mut moves = MoveList::new();
        self.position.generate_useful(Gen::Captures, &mut moves);
        let mut moves: Vec<Move> = moves.iter().copied().collect();
        // The dearest victim first, then the cheapest attacker.
        moves.sort_by_key(|mv| {
            let value = |sq| PIECE_VALUES[self.position.piece_at(sq).kind_index()];
            (-value(mv.to()), value(mv.from()), mv.bits())
        });
        for mv in moves {
            let delta = self.position.play(mv);
            Evaluator::<V>::push(&mut self.material, &delta);
            let value = -self.search(depth + 1, -beta, -alpha);
            Evaluator::<V>::pop(&mut self.material);
            self.position.undo();
            if value > best {
                best = value;
                let (line, rest) = self.lines.split_at_mut(depth + 1);
                line[depth].clear();
                line[depth].push(mv);
                line[depth].extend_from_slice(&rest[0]);
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Shogi;

    fn leaf(sfen: &str) -> (String, bool) {
        let mut leaf = Leaf::<Shogi>::new();
        let (position, turned) = leaf.find(&Position::from_sfen(sfen).unwrap());
        (position.sfen(), turned)
    }

    #[test]
    fn hanging_pieces_are_taken_and_quiet_positions_stay() {
        let start = Position::<Shogi>::startpos().sfen();
        assert_eq!(leaf(&start), (start, false));
        // A rook takes a hanging gold and the position is quiet.
        let (after, turned) = leaf("4k4/9/9/4g4/9/9/9/4R4/4K4 b - 1");
        assert_eq!((after.as_str(), turned), ("4k4/9/9/4R4/9/9/9/9/4K4 w G 2", true));
        // Guarded by a pawn it stays where it is: the rook is dearer than the gold.
        let guarded = "4k4/9/4p4/4g4/9/9/9/4R4/4K4 b - 1";
        assert_eq!(leaf(guarded), (guarded.to_owned(), false));
        // One is settled, the other is not, and whoever has asked once may ask again.
        let mut leaf = Leaf::<Shogi>::new();
        for _ in 0..2 {
            let hanging = "4k4/9/9/4g4/9/9/9/4R4/4K4 b - 1";
            for (sfen, settled) in [(guarded, true), (hanging, false)] {
                let position = Position::from_sfen(sfen).unwrap();
                assert_eq!(leaf.is_settled(&position), settled, "{sfen}");
            }
        }
    }
}
