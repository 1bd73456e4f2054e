//! The referee as a search asks it: of positions of one game, many times a second.

use crate::ending::Outcome;
use rules::{Declaration, Move, Position, Variant};

/// Earlier positions of the game in which a search looks for a repetition, beyond those of its own
/// line. Longer cycles are left to the referee.
pub const LOOK_BACK: usize = 16;

/// What a search must know of the game's rules beyond the moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchRules {
    pub declaration: Declaration,
    /// The game is over when this many moves have been played; 0 for never.
    pub max_moves: u32,
}

/// What is to be done where no search is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forced {
    /// This move wins by the try rule.
    Try(Move),
    /// A win is declared.
    Declare,
    /// There is no legal move.
    Resign,
}

impl SearchRules {
    /// How the game ends where the limit of moves is reached. A mate by the last move counts
    /// (rule 27-3 of the computer-shogi championships); whoever cannot move is mated.
    #[inline]
    pub fn at_limit<V: Variant>(&self, position: &Position<V>) -> Option<Outcome> {
        if self.max_moves == 0 || position.ply() <= self.max_moves {
            return None;
        }
        let mated = position.is_mated();
        Some(Outcome::of(mated.then(|| position.turn().opponent())))
    }

    /// Whether a mate of so many plies comes before the limit of moves.
    pub fn leaves_time<V: Variant>(&self, position: &Position<V>, plies: u32) -> bool {
        self.max_moves == 0 || position.ply().saturating_add(plies) <= self.max_moves + 1
    }

    /// What needs no search: a win by the rules, or nothing that can be played.
    pub fn forced<V: Variant>(&self, position: &Position<V>) -> Option<Forced> {
        if self.declaration == Declaration::Try
            && let Some(m) = position.try_move()
        {
            return Some(Forced::Try(m));
        }
        if position.can_declare(self.declaration) {
            return Some(Forced::Declare);
        }
        position.is_mated().then_some(Forced::Resign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GameRules;
    use rules::{AnyPosition, Color, Shogi};

    fn rules(max_moves: u32) -> SearchRules {
        SearchRules { declaration: Declaration::Points27, max_moves }
    }

    /// Search and referee end a game at the limit alike: mated, stalemated, neither.
    #[test]
    fn at_the_limit_it_ends_as_the_referee_ends_it() {
        let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 3";
        let stalemated = "8k/6G2/7G1/9/9/9/9/9/4K4 w - 3";
        let open = "4k4/9/4P4/9/9/9/9/9/4K4 w - 3";
        let won = Outcome::of(Some(Color::Black));
        for (sfen, outcome) in [(mated, won), (stalemated, won), (open, Outcome::of(None))] {
            let position = Position::<Shogi>::from_sfen(sfen).unwrap();
            assert_eq!(rules(2).at_limit(&position), Some(outcome), "{sfen}");
            let referee =
                GameRules { max_moves: Some(2), mate_ends: false, ..GameRules::default() };
            let ended = referee.end_of(&AnyPosition::Shogi(position.clone()), 2).unwrap();
            assert_eq!(ended.outcome, outcome, "{sfen}");
            assert_eq!(rules(3).at_limit(&position), None);
            assert_eq!(rules(0).at_limit(&position), None);
        }
    }

    #[test]
    fn a_mate_has_to_be_on_the_board_by_the_limit() {
        let position = Position::<Shogi>::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 2").unwrap();
        assert!(rules(2).leaves_time(&position, 1) && !rules(2).leaves_time(&position, 3));
        assert!(rules(0).leaves_time(&position, u32::MAX));
    }

    #[test]
    fn what_needs_no_search() {
        let forced = |sfen: &str, declaration| {
            let position = Position::<Shogi>::from_sfen(sfen).unwrap();
            SearchRules { declaration, max_moves: 0 }.forced(&position)
        };
        let entered = "K1+P+P+P+P+P+P+P/+P+P+P+P5/9/9/9/9/9/9/4k4 b 2R2B 1";
        assert_eq!(forced(entered, Declaration::Points27), Some(Forced::Declare));
        assert_eq!(forced(entered, Declaration::None), None);
        let trying = "9/4K4/9/9/9/9/9/9/4k4 b - 1";
        let to_5a = Position::<Shogi>::from_sfen(trying).unwrap().parse_usi("5b5a").unwrap();
        assert_eq!(forced(trying, Declaration::Try), Some(Forced::Try(to_5a)));
        let mated = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 3";
        assert_eq!(forced(mated, Declaration::Points27), Some(Forced::Resign));
        assert_eq!(forced(Shogi::START, Declaration::Points27), None);
    }
}
