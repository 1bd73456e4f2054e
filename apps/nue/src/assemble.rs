//! The engines, as the commands use them.

pub(crate) use assembly::{Judge, engine, judge, search};

use crate::interrupt;
use arena::MatchRunner;
use rules::Game;
use std::io::{self, Write};
use std::sync::Arc;
use think::{OptionSpec, TimeSource, WallTime};

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

/// Plays matches with our own engine among others. An interrupt breaks off the games under way, and
/// a second one the program.
pub(crate) fn match_runner() -> MatchRunner {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let for_engines = Arc::clone(&time);
    let (abandoned, heard) = interrupt::flag();
    if !heard {
        // Where nobody reads it there is nobody to tell.
        let _ =
            writeln!(io::stderr(), "warning: an interrupt will end the match without its table");
    }
    let factory = Arc::new(move |game| engine(game, Arc::clone(&for_engines)));
    MatchRunner { time, factory, abandoned }
}
