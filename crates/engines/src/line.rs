//! A game as engines are told of it: the position and the line `position …` that sets it up.

use rules::{AnyPosition, Move};
use usi::SetPosition;

/// A position with its history, and the USI line that tells it. The line grows with the game, so
/// that telling it costs no more than its length.
#[derive(Clone, Debug)]
pub struct GameLine {
    position: AnyPosition,
    line: String,
}

impl GameLine {
    /// A position with the moves that led to it.
    pub fn new(position: AnyPosition) -> Self {
        let line = format!("position {}", SetPosition::of(&position));
        Self { position, line }
    }

    /// The position, with its history.
    pub const fn position(&self) -> &AnyPosition {
        &self.position
    }

    /// The line `position …`, without its end.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.line.push_str(if self.position.played() == 0 { " moves " } else { " " });
        self.line.push_str(&m.usi(self.position.game()));
        self.position.play(m);
    }

    /// The game after two more moves: an own move and the reply expected. `None` where they cannot
    /// be played or leave nothing to think about.
    pub(crate) fn expecting(&self, own: Move, reply: Move) -> Option<Self> {
        let mut expected = self.clone();
        for m in [own, reply] {
            if expected.position.why_illegal(m).is_some() {
                return None;
            }
            expected.play(m);
        }
        let over = expected.position.is_mated() || expected.position.repetition().is_some();
        (!over).then_some(expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    #[test]
    fn the_line_grows_with_the_game() {
        let mut line = GameLine::new(AnyPosition::startpos(Game::Shogi));
        assert_eq!(line.line(), "position startpos");
        for (text, want) in [
            ("7g7f", "position startpos moves 7g7f"),
            ("3c3d", "position startpos moves 7g7f 3c3d"),
        ] {
            line.play(line.position().parse_usi(text).unwrap());
            assert_eq!(line.line(), want);
            assert_eq!(GameLine::new(line.position().clone()).line(), want);
        }
    }

    #[test]
    fn only_playable_replies_are_expected() {
        let line = GameLine::new(AnyPosition::startpos(Game::Shogi));
        let m = |text| Move::from_usi(Game::Shogi, text).unwrap();
        let expected = line.expecting(m("7g7f"), m("3c3d")).unwrap();
        assert_eq!(expected.line(), "position startpos moves 7g7f 3c3d");
        assert!(line.expecting(m("7g7f"), m("7g7f")).is_none());
    }
}
