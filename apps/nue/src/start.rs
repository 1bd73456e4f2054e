//! Positions named on the command line.

use crate::failure::Failure;
use clap::Args;
use rules::{AnyPosition, Game};
use usi::{PositionError, SetPosition};

#[derive(Args, Clone, Copy)]
pub(crate) struct GameArg {
    /// The game: shogi or minishogi
    #[arg(long, default_value = "shogi", value_parser = |s: &str| s.parse::<Game>())]
    pub(crate) game: Game,
}

/// A position, with moves played from it.
#[derive(Args)]
pub(crate) struct PositionArgs {
    /// "startpos", a handicap (lance, bishop, rook, rook-lance, 2, 4, 6, …) or an SFEN
    #[arg(default_value = "startpos")]
    pub(crate) position: Vec<String>,

    /// Moves to play from there, in USI notation
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    pub(crate) moves: Vec<String>,

    #[command(flatten)]
    pub(crate) game: GameArg,
}

impl PositionArgs {
    /// The position meant.
    pub(crate) fn resolve(&self) -> Result<AnyPosition, Failure> {
        resolve(self.game.game, &self.position.join(" "), &self.moves)
    }
}

/// The position a text means: `startpos`, a start position by name, or an SFEN.
pub(crate) fn resolve(game: Game, text: &str, moves: &[String]) -> Result<AnyPosition, Failure> {
    let position = SetPosition::named(game, text, moves).and_then(|set| set.resolve(game));
    position.map_err(|error| match error {
        PositionError::Name(_) => Failure::usage(error.to_string()),
        PositionError::OtherGame { .. } => {
            Failure::failed(format!("{error} (on the command line: --game)"))
        }
        _ => Failure::failed(error.to_string()),
    })
}
