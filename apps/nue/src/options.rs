//! `nue options`: what can be set over USI, as the page docs/options.md.

use crate::assemble;
use crate::failure::CommandResult;
use clap::Args;
use rules::Game;
use std::io::{self, Write};
use std::sync::Arc;
use think::{OptionSpec, WallTime, option};

/// Print the USI options as a page of documentation
#[derive(Args)]
pub(crate) struct OptionsArgs {}

pub(crate) fn run(_: &OptionsArgs) -> CommandResult {
    io::stdout().lock().write_all(document().as_bytes())?;
    Ok(())
}

/// Every option: the shell's own and the engine's.
fn all(game: Game) -> Vec<OptionSpec> {
    let engine = assemble::engine(game, Arc::new(WallTime::start()));
    engines::shell::shell_options(game).into_iter().chain(engine.options()).collect()
}

fn document() -> String {
    format!(
        "# Options\n\n\
         What `setoption name … value …` understands. Case does not count. This page is printed\n\
         by `nue options`; do not edit it.\n\n{}",
        option::markdown(&all(Game::Shogi))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use assembly::options::{HASH, PONDER};
    use engines::shell::foreign_options::foreign_targets;
    use usi::option::VARIANT;

    #[test]
    fn the_page_in_docs_is_the_one_generated() {
        let page = include_str!("../../../docs/options.md").replace("\r\n", "\n");
        assert_eq!(page, document(), "run: nue options > docs/options.md");
    }

    #[test]
    fn both_games_declare_the_options_every_interface_sends() {
        for game in Game::ALL {
            let specs = all(game);
            for name in [VARIANT.name(), HASH.name(), PONDER.name()] {
                assert!(specs.iter().any(|s| s.name == name), "{game}: {name}");
            }
            for name in foreign_targets() {
                assert!(specs.iter().any(|s| s.name == name), "{game}: {name}");
            }
            assert_eq!(specs[0].default, game.name());
        }
    }
}
