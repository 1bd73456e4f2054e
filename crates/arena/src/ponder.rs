//! Thinking on the opponent's time: what a player expects to happen.

use crate::player::Turn;
use rules::{AnyPosition, Move};

/// The position after a player's move and the reply it expects.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) position: AnyPosition,
    /// The same as engines are told: a line `position …`.
    pub(crate) line: String,
}

impl Expected {
    /// After those moves in the position of a question; `None` where they cannot be played or
    /// leave nothing to think about.
    pub(crate) fn after(turn: &Turn<'_>, own: Move, reply: Move) -> Option<Self> {
        let mut expected = Self { position: turn.position.clone(), line: turn.line.to_owned() };
        for m in [own, reply] {
            if expected.position.why_illegal(m).is_some() {
                return None;
            }
            play_on(&mut expected.position, &mut expected.line, m);
        }
        let over = expected.position.is_mated() || expected.position.repetition().is_some();
        (!over).then_some(expected)
    }

    /// Whether this is what happened.
    pub(crate) fn is(&self, turn: &Turn<'_>) -> bool {
        self.line == turn.line
    }
}

/// Plays a move in a position and in the line that tells engines of it.
pub(crate) fn play_on(position: &mut AnyPosition, line: &mut String, m: Move) {
    line.push_str(if position.played() == 0 { " moves " } else { " " });
    line.push_str(&m.usi(position.game()));
    position.play(m);
}
