//! What an engine is told of the rules of a game, by the options it declares for them.

use play::GameRules;
use rules::{Declaration, Game};
use think::usual::{ENTERING_KING_RULE, MAX_MOVES_TO_DRAW};
use think::{OptionKind, OptionSpec};

/// Names under which engines take the limit of moves; 0 or their greatest number is none.
const MOVE_LIMITS: [&str; 3] = [MAX_MOVES_TO_DRAW.name(), "Draw_Ply", "MaxMoves"];

/// Names under which engines take the rule of declaration.
const DECLARATIONS: [&str; 2] = [ENTERING_KING_RULE.name(), "Entering_King_Rule"];

/// Options that tell an engine by which rules a game is played: those it declares, with values it
/// takes.
pub fn rule_options(
    rules: &GameRules,
    game: Game,
    declared: &[OptionSpec],
) -> Vec<(String, String)> {
    let limit = limit_option(rules.max_moves, declared);
    let declaration = declaration_option(rules.declaration, declared);
    limit.into_iter().chain(declaration.filter(|_| game == Game::Shogi)).collect()
}

/// One of our own engine's options as another engine takes it: rules of the game by the name and the
/// value it has for them, anything else only as it is. `None` where it has nothing for it.
pub fn in_its_words(name: &str, value: &str, declared: &[OptionSpec]) -> Option<(String, String)> {
    if MAX_MOVES_TO_DRAW.is_called(name) {
        let limit: u32 = value.parse().ok()?;
        return limit_option((limit > 0).then_some(limit), declared);
    }
    if ENTERING_KING_RULE.is_called(name) {
        return declaration_option(value.parse().ok()?, declared);
    }
    let option = declared.iter().find(|option| option.is_called(name))?;
    option.parse(value).is_ok().then(|| (option.name.clone(), value.to_owned()))
}

/// The option for the limit of moves, if the engine declares one.
pub fn move_limit(declared: &[OptionSpec]) -> Option<&OptionSpec> {
    find(&MOVE_LIMITS, declared)
}

fn limit_option(limit: Option<u32>, declared: &[OptionSpec]) -> Option<(String, String)> {
    let option = move_limit(declared)?;
    let none = match option.kind {
        OptionKind::Spin { min: 1.., max } => max,
        _ => 0,
    };
    let value = limit.map_or(none, i64::from).to_string();
    option.parse(&value).is_ok().then(|| (option.name.clone(), value))
}

fn declaration_option(rule: Declaration, declared: &[OptionSpec]) -> Option<(String, String)> {
    let option = find(&DECLARATIONS, declared)?;
    // Who does not know the correction for handicaps is told the rule without it.
    let names = [rule, rule.without_handicaps()].map(Declaration::name);
    let known = names.into_iter().find(|name| option.parse(name).is_ok())?;
    Some((option.name.clone(), known.to_owned()))
}

fn find<'a>(names: &[&str], declared: &'a [OptionSpec]) -> Option<&'a OptionSpec> {
    declared.iter().find(|option| names.iter().any(|name| option.is_called(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
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
        // Older ones know no correction for handicaps.
        let older = [OptionSpec::combo("EnteringKingRule", "A", &["CSARule24", "CSARule27"], "")];
        let corrected = GameRules { declaration: Declaration::Points27H, ..rules };
        assert_eq!(told(&corrected, Game::Shogi, &older), ["EnteringKingRule=CSARule27"]);
        let by_try = GameRules { declaration: Declaration::Try, ..rules };
        assert!(told(&by_try, Game::Shogi, &older).is_empty());
        // A rule or a number it does not know is not sent.
        let poor = [
            OptionSpec::combo("EnteringKingRule", "A", &["CSARule27"], ""),
            OptionSpec::spin("MaxMovesToDraw", 0, 0, 100, ""),
        ];
        assert!(told(&rules, Game::Shogi, &poor).is_empty());
    }

    #[test]
    fn our_own_options_are_said_in_the_words_of_others() {
        let other = [
            OptionSpec::spin("Draw_Ply", 256, 1, 512, ""),
            OptionSpec::combo("Entering_King_Rule", "A", &["CSARule24", "CSARule27"], ""),
            OptionSpec::spin("MultiPV", 1, 1, 10, ""),
        ];
        let said = |name: &str, value: &str| {
            in_its_words(name, value, &other).map(|(name, value)| format!("{name}={value}"))
        };
        assert_eq!(said("MaxMovesToDraw", "320").unwrap(), "Draw_Ply=320");
        assert_eq!(said("MaxMovesToDraw", "0").unwrap(), "Draw_Ply=512");
        assert_eq!(said("EnteringKingRule", "CSARule27H").unwrap(), "Entering_King_Rule=CSARule27");
        assert_eq!(said("multipv", "3").unwrap(), "MultiPV=3");
        for (name, value) in
            [("MultiPV", "30"), ("EnteringKingRule", "TryRule"), ("AnalysisMode", "true")]
        {
            assert_eq!(said(name, value), None, "{name}");
        }
    }
}
