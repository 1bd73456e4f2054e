//! The CSA standard format, versions 1 to 3.0, and the logs of shogi-server.
//!
//! Line-oriented and ASCII but for names and comments. It has no variations and no bookmarks.

mod moves;
mod position;
mod read;
mod words;
mod write;

pub(crate) use moves::{kind, name, read as read_move, write as write_move};
pub(crate) use read::{begins_game, read, separates};
pub(crate) use words::{special, word};
pub(crate) use write::write;

/// CSA text of moves and positions, for whoever speaks it over a wire.
pub mod wire {
    use super::position::{self, Setup};
    pub use crate::movetext::NotAMove;
    use rules::{AnyPosition, Color, Game, Move};

    /// Reads a move such as `+7776FU`, which must be one of the side to move and legal.
    pub fn read_move(position: &AnyPosition, text: &str) -> Result<Move, NotAMove> {
        super::read_move(position, text)
    }

    /// Writes a legal move.
    pub fn write_move(position: &AnyPosition, m: Move) -> String {
        super::write_move(position, m)
    }

    /// Reads the statements of a position (`PI`, `P1` …, `P+`, `P-`); the error says what is wrong
    /// with them. `game` is taken where the statements do not tell.
    pub fn read_position<'a>(
        game: Option<Game>,
        statements: impl IntoIterator<Item = &'a str>,
        turn: Color,
    ) -> Result<AnyPosition, String> {
        let mut setup = Setup::default();
        setup.game = game.filter(|&g| g != Game::Shogi);
        for (line, statement) in statements.into_iter().enumerate() {
            setup.add(line, statement);
        }
        setup.position(turn).map_err(|problem| problem.reason.to_string())
    }

    /// The statements of a position, always all its rows, the side to move last.
    pub fn write_position(position: &AnyPosition) -> Vec<String> {
        position::write(position, None)
    }
}
