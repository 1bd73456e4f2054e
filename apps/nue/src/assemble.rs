//! The engines, as the commands use them.

pub(crate) use assembly::{Judge, engine, judge, search};

use rules::Game;
use think::OptionSpec;

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
