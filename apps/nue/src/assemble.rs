//! The only file that names concrete engines: one `match` on what is to be played.

use alphabeta::AlphaBeta;
use rules::{Game, Minishogi, Shogi};
use std::sync::Arc;
use think::{Engine, OptionSpec, TimeSource};

/// An engine for the game, at its start position.
pub(crate) fn engine(game: Game, time: Arc<dyn TimeSource>) -> Box<dyn Engine> {
    match game {
        Game::Shogi => Box::new(AlphaBeta::<Shogi>::new(time)),
        Game::Minishogi => Box::new(AlphaBeta::<Minishogi>::new(time)),
    }
}

/// The option that chooses the game; its default is the game the program was started for.
pub(crate) fn variant_option(game: Game) -> OptionSpec {
    OptionSpec::combo(
        VARIANT,
        game.name(),
        &Game::ALL.map(Game::name),
        "The game to play. Setting it returns to that game's start position.",
    )
}

/// Name of the option that chooses the game.
pub(crate) const VARIANT: &str = "USI_Variant";

/// Another name under which interfaces send it.
pub(crate) const VARIANT_ALIAS: &str = "UCI_Variant";
