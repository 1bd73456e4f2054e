//! The small books inside the executable, made by ours (`script/small-book`): variety on the board and
//! in matches, where somebody asks for it.

use crate::choice::{self, Policy};
use crate::{Book, Library};
use rules::{AnyPosition, Game, Move};
use std::sync::OnceLock;

/// What messages and `BookFile` call it.
pub const NAME: &str = "small_book";

static BYTES: [&[u8]; 2] =
    [include_bytes!("../../../books/shogi.nbk"), include_bytes!("../../../books/minishogi.nbk")];

const fn bytes(game: Game) -> &'static [u8] {
    match game {
        Game::Shogi => BYTES[0],
        Game::Minishogi => BYTES[1],
    }
}

/// The small book of a game.
pub fn book(game: Game) -> Option<Book> {
    // A test holds that both can be opened.
    Book::inside(NAME, bytes(game)).ok()
}

/// The small book of a game as a library, opened once.
pub fn library(game: Game) -> &'static Library {
    static LIBRARIES: [OnceLock<Library>; 2] = [OnceLock::new(), OnceLock::new()];
    let slot = match game {
        Game::Shogi => &LIBRARIES[0],
        Game::Minishogi => &LIBRARIES[1],
    };
    slot.get_or_init(|| Library::new(book(game).into_iter().collect()))
}

/// What is asked of its moves where variety is wanted: sound ones, up to half a pawn worse than the best.
pub fn policy() -> Policy {
    Policy { eval_diff: 50, eval_limit: [-200, -300], ..Policy::default() }
}

/// The moves an opponent may begin with, each with its weight: none where the small book is silent. The
/// better of two moves weighs up to four times as much.
pub fn moves(position: &AnyPosition) -> Vec<(Move, u64)> {
    let library = library(position.game());
    let found = choice::weighted(library, position, &policy()).unwrap_or_default();
    let entry = library.find(position, true).ok().flatten();
    let value = |mv: Move| entry.as_ref().and_then(|found| found.entry.find(mv)?.value);
    let best = found.iter().filter_map(|(mv, _)| value(*mv)).max().unwrap_or(0);
    let weight = |mv: Move| {
        let behind = u64::from(best.abs_diff(value(mv).unwrap_or(best)));
        (4 - behind * 4 / 51).max(1)
    };
    found.into_iter().map(|(mv, _)| (mv, weight(mv))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NativeBook;

    #[test]
    fn the_books_inside_are_whole_legal_and_small() {
        for game in [Game::Shogi, Game::Minishogi] {
            let bytes = bytes(game);
            assert!(bytes.len() <= 100 << 10, "{game}: {} bytes", bytes.len());
            let native = NativeBook::open(Box::new(bytes)).unwrap();
            assert_eq!(native.header().game, game);
            assert!(native.header().get("made").is_some(), "it says who made it");
            let mut positions = 0;
            for entry in native.entries() {
                let entry = entry.unwrap();
                let position = entry.position(game).unwrap();
                assert!(entry.moves.iter().all(|m| position.is_legal(m.mv) && m.value.is_some()));
                positions += 1;
            }
            assert!(positions >= 50, "{game}: {positions} positions");
        }
    }

    #[test]
    fn an_opponent_has_several_first_moves_and_better_ones_weigh_more() {
        let start = AnyPosition::startpos(Game::Shogi);
        let moves = moves(&start);
        assert!(moves.len() > 1, "{moves:?}");
        assert!(moves.windows(2).all(|pair| pair[0].1 >= pair[1].1), "{moves:?}");
        assert_eq!(moves[0].1, 4);
        assert!(moves.iter().all(|(mv, weight)| start.is_legal(*mv) && (1..=4).contains(weight)));
    }
}
