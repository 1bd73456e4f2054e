//! What the rules say about a position just reached, and how bad moves are quoted.

use csa::Reason;
use rules::{AnyPosition, Color, Game, GameRepetition};

/// The game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ruling {
    pub reason: Reason,
    pub winner: Option<Color>,
}

/// Whether a legal move, the game's move `number`, has ended the game. A mate has not: the mated
/// side is to resign.
pub fn after_move(position: &AnyPosition, number: u32, max_moves: Option<u32>) -> Option<Ruling> {
    match position.repetition() {
        Some(GameRepetition::Draw) => {
            return Some(Ruling { reason: Reason::Sennichite, winner: None });
        }
        Some(GameRepetition::Lost(loser)) => {
            // On 5×5 any repetition is lost by Black; perpetual check is not what decides it.
            let plain = position.game() == Game::Minishogi && loser == Color::Black;
            let reason = if plain { Reason::Sennichite } else { Reason::OuteSennichite };
            return Some(Ruling { reason, winner: Some(loser.opponent()) });
        }
        None => {}
    }
    if max_moves.is_some_and(|limit| number >= limit) {
        // Rule 27-3: who is mated by the last move has lost, otherwise it is a draw.
        let winner = position.is_mated().then(|| position.turn().opponent());
        return Some(Ruling { reason: Reason::MaxMoves, winner });
    }
    None
}

/// A text that is no move, as it is sent on: what can be used of its first seven characters.
pub fn cut(text: &str) -> String {
    text.chars().take(7).filter(|c| matches!(c, ' '..='~') && *c != ',').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_texts_are_cut() {
        for (text, want) in [
            ("+0031FU", "+0031FU"),
            ("+7776FU,T12", "+7776FU"),
            ("+77", "+77"),
            ("AGREE something", "AGREE s"),
            ("+7\u{7f}7鵺6\t", "+776"),
            ("", ""),
        ] {
            assert_eq!(cut(text), want, "{text:?}");
        }
    }
}
