//! Counting pieces.

use crate::{Evaluator, MAX_VALUE};
use rules::{Color, Delta, Kind, Position, Square, Variant};
use std::sync::Arc;

/// Value of each kind by its number, on the board and in hand: Apery's of 2016, which the
/// three-piece tables of the field assume.
pub const PIECE_VALUES: [i32; 15] =
    [0, 90, 315, 405, 495, 855, 990, 540, 0, 540, 540, 540, 540, 945, 1395];

/// Pieces of Black less pieces of White, hands included, with the given values.
pub fn material<V: Variant>(pos: &Position<V>, values: &[i32; 15]) -> i32 {
    let sign = |color| if color == Color::Black { 1 } else { -1 };
    let on_board: i32 = Square::all(V::GAME)
        .filter_map(|sq| {
            let piece = pos.piece_at(sq);
            piece.color().map(|color| sign(color) * values[piece.kind_index()])
        })
        .sum();
    let in_hand = |color| -> i32 {
        let hand = pos.hand(color);
        Kind::HAND.iter().map(|&k| values[k.index()] * hand.count(k) as i32).sum()
    };
    on_board + in_hand(Color::Black) - in_hand(Color::White)
}

/// What a move gains for the one who played it: a capture counts twice, once taken from the
/// board and once in hand; a promotion changes the piece.
#[inline]
pub(crate) fn gain(delta: &Delta, values: &[i32; 15]) -> i32 {
    let captured = delta.captured.kind();
    let in_hand = captured.map_or(0, |k| values[k.unpromoted().index()]);
    let promotion = if delta.lifted.is_some() {
        values[delta.placed.kind_index()] - values[delta.lifted.kind_index()]
    } else {
        0
    };
    values[delta.captured.kind_index()] + in_hand + promotion
}

/// Material alone, for both games. Its weights are the values of the kinds.
#[derive(Clone, Debug)]
pub struct Material {
    values: Arc<[i32; 15]>,
    /// Black less White, for the root and every move pushed.
    stack: Vec<i32>,
}

impl<V: Variant> Evaluator<V> for Material {
    type Weights = [i32; 15];

    fn new(weights: Arc<[i32; 15]>) -> Self {
        Self { values: weights, stack: vec![0] }
    }

    fn refresh(&mut self, pos: &Position<V>) {
        self.stack.clear();
        self.stack.push(material(pos, &self.values));
    }

    #[inline]
    fn push(&mut self, delta: &Delta) {
        let before = self.stack.last().copied().unwrap_or(0);
        let gain = gain(delta, &self.values);
        self.stack.push(if delta.color == Color::Black { before + gain } else { before - gain });
    }

    #[inline]
    fn pop(&mut self) {
        if self.stack.len() > 1 {
            self.stack.pop();
        }
    }

    #[inline]
    fn evaluate(&mut self, pos: &Position<V>) -> i32 {
        let value = self.stack.last().copied().unwrap_or(0);
        debug_assert_eq!(value, material(pos, &self.values), "{}", pos.sfen());
        let value = value.clamp(-MAX_VALUE, MAX_VALUE);
        if pos.turn() == Color::Black { value } else { -value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Handicap, Minishogi, Shogi};

    fn value<V: Variant>(sfen: &str) -> i32 {
        let pos = Position::<V>::from_sfen(sfen).unwrap();
        let mut m = <Material as Evaluator<V>>::new(Arc::new(PIECE_VALUES));
        Evaluator::<V>::refresh(&mut m, &pos);
        m.evaluate(&pos)
    }

    #[test]
    fn counts_boards_and_hands() {
        assert_eq!(value::<Shogi>(Shogi::START), 0);
        assert_eq!(value::<Minishogi>(Minishogi::START), 0);
        assert_eq!(value::<Shogi>("4k4/9/9/9/9/9/9/9/4K4 b 2Pr 1"), 180 - 990);
        assert_eq!(value::<Shogi>("4k4/9/3+r5/9/9/9/9/9/4K4 w - 1"), 1395);
        assert_eq!(value::<Shogi>(&Handicap::Two.sfen()), -(855 + 990));
    }

    fn random_game<V: Variant>(start: &str, seed: u64) {
        let mut rng = seed::Rng::new(seed);
        let mut pos = Position::<V>::from_sfen(start).unwrap();
        let mut m = <Material as Evaluator<V>>::new(Arc::new(PIECE_VALUES));
        Evaluator::<V>::refresh(&mut m, &pos);
        let mut values = vec![material(&pos, &PIECE_VALUES)];
        for _ in 0..200 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            let delta = pos.play(moves[rng.below(moves.len())]);
            Evaluator::<V>::push(&mut m, &delta);
            values.push(material(&pos, &PIECE_VALUES));
            let expected = *values.last().unwrap();
            let expected = if pos.turn() == Color::Black { expected } else { -expected };
            assert_eq!(m.evaluate(&pos), expected, "{}", pos.sfen());
        }
        assert!(values.len() > 10);
        while values.len() > 1 {
            values.pop();
            pos.undo();
            Evaluator::<V>::pop(&mut m);
            assert_eq!(m.evaluate(&pos).abs(), values.last().unwrap().abs());
        }
        Evaluator::<V>::pop(&mut m);
        assert_eq!(m.evaluate(&pos).abs(), values[0].abs());
    }

    #[test]
    fn follows_games() {
        for seed in 0..20 {
            random_game::<Shogi>(Shogi::START, seed);
            random_game::<Shogi>(&Handicap::Four.sfen(), seed);
            random_game::<Minishogi>(Minishogi::START, seed);
        }
    }
}
