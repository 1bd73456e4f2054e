//! A move when nobody else has one: no search worth the name, but legal and at once.

use eval::{PIECE_VALUES, material};
use rules::{AnyPosition, Color, Move, Position, Variant};

/// A legal move: a mate in one if there is one, else what wins most material after the opponent's
/// best capture. `None` where nothing is legal.
pub(crate) fn own_move(position: &AnyPosition) -> Option<Move> {
    match position {
        AnyPosition::Shogi(p) => best(p),
        AnyPosition::Minishogi(p) => best(p),
    }
}

fn best<V: Variant>(position: &Position<V>) -> Option<Move> {
    if let Some(mate) = mate::mate_in_one(position) {
        return Some(mate);
    }
    let mut at = position.clone();
    let value = |m: &Move| {
        at.play(*m);
        let replies = at.legal_moves();
        let worst = replies.iter().map(|&reply| {
            at.play(reply);
            let value = for_side(&at, position.turn());
            at.undo();
            value
        });
        let value = worst.min().unwrap_or(i32::MAX);
        at.undo();
        value
    };
    position.legal_moves().iter().copied().max_by_key(value)
}

fn for_side<V: Variant>(position: &Position<V>, side: Color) -> i32 {
    let value = material(position, &PIECE_VALUES);
    if side == Color::Black { value } else { -value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    #[test]
    fn it_is_legal_takes_what_hangs_and_mates() {
        for (sfen, wanted) in [
            ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"),
            ("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1", "5f5e"),
            // The pawn is guarded: the rook stays where it is.
            ("k8/9/9/4s4/4p4/9/9/4R4/4K4 b - 1", ""),
        ] {
            let position = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
            let m = own_move(&position).unwrap();
            assert!(position.is_legal(m));
            if wanted.is_empty() {
                assert_ne!(m.usi(Game::Shogi), "5h5e");
            } else {
                assert_eq!(m.usi(Game::Shogi), wanted);
            }
        }
        let mini = AnyPosition::startpos(Game::Minishogi);
        assert!(own_move(&mini).is_some_and(|m| mini.is_legal(m)));
        let mated = "8k/8G/8G/9/9/9/9/9/4K4 w - 1";
        assert_eq!(own_move(&AnyPosition::from_sfen(Game::Shogi, mated).unwrap()), None);
    }
}
