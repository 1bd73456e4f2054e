//! What a client adds to a move about its thinking: `+7776FU,'* 123 -3334FU +2726FU`.
//!
//! The score is in hundredths of a pawn from Black's point of view; the line begins with the reply
//! expected. Servers keep it for the record and do not tell the opponent.

use kifu::wire;
use rules::{AnyPosition, Color, Move};

/// The score sent for a mate.
pub const MATE: i32 = 100_000;

/// A comment, as far as it is about the position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comment {
    /// Hundredths of a pawn for Black.
    pub score: Option<i32>,
    /// The line expected after the move; every move legal.
    pub line: Vec<Move>,
}

impl Comment {
    /// The text after `,'` for a move that led to this position.
    pub fn text(&self, after: &AnyPosition) -> String {
        let mut text = String::from("*");
        if let Some(score) = self.score {
            text += &format!(" {score}");
        }
        let mut position = without_history(after);
        for &m in &self.line {
            if !position.is_legal(m) {
                break;
            }
            text += &format!(" {}", wire::write_move(&position, m));
            position.play(m);
        }
        text
    }

    /// Reads the text after `,'`; `None` if it is not of this kind.
    pub fn parse(text: &str, after: &AnyPosition) -> Option<Self> {
        let mut words = text.strip_prefix('*')?.split_ascii_whitespace();
        let score = words.next()?.parse().ok()?;
        let mut position = without_history(after);
        let mut line = Vec::new();
        for word in words {
            let Ok(m) = wire::read_move(&position, word) else { break };
            position.play(m);
            line.push(m);
        }
        Some(Self { score: Some(score), line })
    }
}

/// A score of the side to move as Black sees it.
pub fn for_black(score: i32, turn: Color) -> i32 {
    if turn == Color::Black { score } else { -score }
}

fn without_history(position: &AnyPosition) -> AnyPosition {
    match position {
        AnyPosition::Shogi(p) => p.without_history().into(),
        AnyPosition::Minishogi(p) => p.without_history().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rules::Game;

    fn after_first() -> AnyPosition {
        let mut position = AnyPosition::startpos(Game::Shogi);
        position.play(wire::read_move(&position, "+7776FU").unwrap());
        position
    }

    #[test]
    fn comments_read_back() {
        let position = after_first();
        for (text, score, length) in [
            ("* 123 -3334FU +2726FU", 123, 2),
            ("* -30000", -30_000, 0),
            ("* 5 -3334FU nonsense +2726FU", 5, 1),
        ] {
            let comment = Comment::parse(text, &position).unwrap();
            assert_eq!((comment.score, comment.line.len()), (Some(score), length), "{text}");
            assert_eq!(Comment::parse(&comment.text(&position), &position), Some(comment));
        }
        for bad in ["", "*", "* x", "hello", "123"] {
            assert_eq!(Comment::parse(bad, &position), None, "{bad}");
        }
    }

    #[test]
    fn a_move_that_cannot_be_played_ends_the_line() {
        let position = after_first();
        let first = wire::read_move(&position, "-3334FU").unwrap();
        let comment = Comment { score: Some(0), line: vec![first, first] };
        assert_eq!(comment.text(&position), "* 0 -3334FU");
        assert_eq!((for_black(5, Color::White), for_black(5, Color::Black)), (-5, 5));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            let _ = Comment::parse(&text, &after_first());
        }
    }
}
