//! What an engine is told of the rules of a game, by the options it declares for them.

use play::GameRules;
use rules::Game;
use think::{OptionKind, OptionSpec};

/// Names under which engines take the limit of moves; 0 or their greatest number is none.
const MOVE_LIMITS: [&str; 3] = ["MaxMovesToDraw", "Draw_Ply", "MaxMoves"];

/// Names under which engines take the rule of declaration.
const DECLARATIONS: [&str; 2] = ["EnteringKingRule", "Entering_King_Rule"];

/// Options that tell an engine by which rules a game is played: those it declares, with values it
/// takes.
pub fn rule_options(
    rules: &GameRules,
    game: Game,
    declared: &[OptionSpec],
) -> Vec<(String, String)> {
    let find = |names: &[&str]| {
        declared.iter().find(|option| names.iter().any(|name| option.is_called(name)))
    };
    let limit = find(&MOVE_LIMITS).map(|option| {
        let none = match option.kind {
            OptionKind::Spin { min: 1.., max } => max,
            _ => 0,
        };
        (option, rules.max_moves.map_or(none, i64::from).to_string())
    });
    let declaration = find(&DECLARATIONS)
        .filter(|_| game == Game::Shogi)
        .map(|option| (option, rules.declaration.name().to_owned()));
    let told = limit.into_iter().chain(declaration);
    told.filter(|(option, value)| option.parse(value).is_ok())
        .map(|(option, value)| (option.name.clone(), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Declaration;

    fn told(rules: &GameRules, game: Game, declared: &[OptionSpec]) -> Vec<String> {
        let options = rule_options(rules, game, declared);
        options.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn engines_are_told_what_they_declare() {
        let rules = GameRules {
            declaration: Declaration::Points24,
            max_moves: Some(256),
            ..GameRules::default()
        };
        let free = GameRules { max_moves: None, ..rules };
        let ours = [
            OptionSpec::spin("MaxMovesToDraw", 0, 0, 100_000, ""),
            OptionSpec::combo("EnteringKingRule", "A", &["CSARule24", "CSARule27"], ""),
        ];
        let all = ["MaxMovesToDraw=256", "EnteringKingRule=CSARule24"];
        assert_eq!(told(&rules, Game::Shogi, &ours), all);
        assert_eq!(told(&free, Game::Shogi, &ours)[0], "MaxMovesToDraw=0");
        assert_eq!(told(&rules, Game::Minishogi, &ours), &all[..1], "no declaration there");
        let other = [OptionSpec::spin("draw_ply", 256, 1, 512, "")];
        assert_eq!(told(&rules, Game::Shogi, &other), ["draw_ply=256"]);
        assert_eq!(told(&free, Game::Shogi, &other), ["draw_ply=512"]);
        // A rule or a number it does not know is not sent.
        let poor = [
            OptionSpec::combo("EnteringKingRule", "A", &["CSARule27"], ""),
            OptionSpec::spin("MaxMovesToDraw", 0, 0, 100, ""),
        ];
        assert!(told(&rules, Game::Shogi, &poor).is_empty());
    }
}
