//! What an engine says about itself.

use rules::Game;
use think::{OptionKind, OptionSpec};
use usi::option::VARIANTS;

/// What an engine says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Introduction {
    /// `id name`
    pub name: Option<String>,
    /// What it declares.
    pub options: Vec<OptionSpec>,
}

impl Introduction {
    /// Whether it declares an option; case does not count.
    pub fn declares(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.is_called(name))
    }

    /// The games it plays: shogi, and what it lets choose beside it.
    pub fn games(&self) -> Vec<Game> {
        let offers = |game: Game| {
            self.options.iter().any(|option| {
                let chooses = VARIANTS.iter().any(|name| option.is_called(name));
                let OptionKind::Combo { choices } = &option.kind else { return false };
                chooses && choices.iter().any(|word| word.eq_ignore_ascii_case(game.name()))
            })
        };
        Game::ALL.into_iter().filter(|&game| game == Game::Shogi || offers(game)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_an_engine_plays() {
        let mut introduction = Introduction::default();
        assert_eq!(introduction.games(), [Game::Shogi]);
        let choices = ["shogi", "MiniShogi"];
        introduction.options = vec![OptionSpec::combo("usi_variant", "shogi", &choices, "")];
        assert_eq!(introduction.games(), Game::ALL);
    }
}
