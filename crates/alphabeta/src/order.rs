//! Which move is read first: the best move of the last iteration, captures of much by little,
//! promotions, the rest.

use crate::material;
use rules::{Move, Position, Variant};

/// Sorts the moves, the most promising first. `first` comes before everything else.
pub(crate) fn order<V: Variant>(position: &Position<V>, moves: &mut [Move], first: Move) {
    moves.sort_by_cached_key(|&m| -promise(position, m, first));
}

fn promise<V: Variant>(position: &Position<V>, m: Move, first: Move) -> i32 {
    if m == first {
        return i32::MAX;
    }
    if m.is_drop() {
        return 0;
    }
    let promotion = if m.is_promotion() { 300 } else { 0 };
    match material::value(position.piece_at(m.to())) {
        0 => promotion,
        won => 1000 + 10 * won + promotion - material::value(position.piece_at(m.from())) / 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Shogi;

    #[test]
    fn the_given_move_then_the_best_exchange_come_first() {
        // The pawn on 5e and the rook on 9d can both take the gold on 5d.
        let position = Position::<Shogi>::from_sfen("4k4/9/9/R3g4/4P4/9/9/9/4K4 b - 1").unwrap();
        let mut moves = position.legal_moves();
        let king = position.parse_usi("5i5h").unwrap();
        order(&position, moves.as_mut_slice(), king);
        let first: Vec<_> = moves.iter().take(3).map(|m| m.usi(rules::Game::Shogi)).collect();
        assert_eq!(first, ["5i5h", "5e5d", "9d5d"]);
    }
}
