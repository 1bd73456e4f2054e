//! Positions named on the command line.

use crate::failure::Failure;
use clap::Args;
use rules::{AnyPosition, Game, start_sfen};
use usi::{SetPosition, Start};

/// Which game.
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
    let text = text.trim();
    let start =
        match text {
            "startpos" => Start::Startpos,
            _ if text.contains('/') => {
                Start::Sfen(text.strip_prefix("sfen ").unwrap_or(text).to_owned())
            }
            name => Start::Sfen(start_sfen(game, name).map_err(|e| {
                Failure::usage(format!("{e}; or \"startpos\", or an SFEN in quotes"))
            })?),
        };
    let moves = moves.iter().flat_map(|m| m.split_ascii_whitespace()).map(str::to_owned).collect();
    SetPosition { start, moves }.resolve(game).map_err(|e| {
        let hint = match e {
            usi::PositionError::OtherGame { .. } => " (on the command line: --game)",
            _ => "",
        };
        Failure::failed(format!("{e}{hint}"))
    })
}
