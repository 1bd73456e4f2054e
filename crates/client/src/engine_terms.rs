//! What a game is played by reaches the engine, ours or any other, before it begins: the limit of moves
//! and the rule of declaration, by the options engines have for them.

use crate::session::GameTerms;
use engines::{Conclusion, Decision, Player, PlayerError, SearchRequest};
use rules::{Declaration, Game};
use std::sync::{Arc, Mutex, PoisonError};
use think::{Info, MateAnswer, OptionKind, OptionSpec};
use usi::Go;

/// The terms of the game that is about to begin, shared with the engine's thread.
#[derive(Clone, Default)]
pub(crate) struct EngineTerms(Arc<Mutex<Option<GameTerms>>>);

impl EngineTerms {
    pub(crate) fn set(&self, terms: GameTerms) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(terms);
    }

    fn get(&self) -> Option<GameTerms> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names of the option for the limit of moves: most engines', dlshogi's.
const MAX_MOVES: [&str; 2] = ["MaxMovesToDraw", "Draw_Ply"];
const RULE: &str = "EnteringKingRule";

/// A player that is told the terms of every game.
pub(crate) struct InformedPlayer {
    player: Box<dyn Player>,
    terms: EngineTerms,
    /// Options the user has set, which are left alone.
    chosen: Vec<String>,
    told: Option<GameTerms>,
}

impl InformedPlayer {
    pub(crate) fn new(player: Box<dyn Player>, terms: EngineTerms, chosen: Vec<String>) -> Self {
        Self { player, terms, chosen, told: None }
    }

    /// Sets what the engine has options for; whether there was any.
    fn tell(&mut self, terms: GameTerms, note: &mut dyn FnMut(&str)) -> Result<bool, PlayerError> {
        let specs = self.player.options();
        let mut told = false;
        for (name, value) in settings(&specs, terms) {
            if self.chosen.iter().any(|chosen| chosen.eq_ignore_ascii_case(&name)) {
                continue;
            }
            told |= self.player.set_option(&name, &value)?;
        }
        let knows = |name: &str| specs.iter().any(|spec| spec.name == name);
        if terms.max_moves.is_some() && !MAX_MOVES.into_iter().any(knows) {
            note("the engine has no option for the limit of moves");
        }
        self.told = Some(terms);
        Ok(told)
    }
}

/// The options that say these terms to an engine with those options.
fn settings(specs: &[OptionSpec], terms: GameTerms) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    let spec = |name: &str| specs.iter().find(|spec| spec.name == name);
    if let Some(spec) = MAX_MOVES.into_iter().find_map(spec) {
        let limit = i64::from(terms.max_moves.unwrap_or(0));
        let fits = match &spec.kind {
            OptionKind::Spin { min, max } => (*min..=*max).contains(&limit),
            _ => true,
        };
        if fits {
            settings.push((spec.name.clone(), limit.to_string()));
        }
    }
    if let Some(spec) = spec(RULE) {
        // Who does not know the correction for handicaps is told the rule without it.
        let without = match terms.declaration {
            Declaration::Points27H => Declaration::Points27,
            Declaration::Points24H => Declaration::Points24,
            rule => rule,
        };
        let known = |rule: &Declaration| match &spec.kind {
            OptionKind::Combo { choices } => choices.iter().any(|choice| choice == rule.name()),
            _ => true,
        };
        let rule = [terms.declaration, without].into_iter().find(known);
        settings.extend(rule.map(|rule| (RULE.to_owned(), rule.name().to_owned())));
    }
    settings
}

impl Player for InformedPlayer {
    fn prepare(&mut self, game: Game, note: &mut dyn FnMut(&str)) -> Result<(), PlayerError> {
        let news = self.terms.get().filter(|&terms| self.told != Some(terms));
        // An engine that runs is told first, so that it is ready for just this game.
        if let Some(terms) = news.filter(|_| self.told.is_some()) {
            self.tell(terms, note)?;
        }
        self.player.prepare(game, note)?;
        if let Some(terms) = self.terms.get().filter(|&terms| self.told != Some(terms))
            && self.tell(terms, note)?
        {
            self.player.prepare(game, note)?;
        }
        Ok(())
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.player.options()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<bool, PlayerError> {
        self.player.set_option(name, value)
    }

    fn think(
        &mut self,
        request: &SearchRequest<'_>,
        listener: Option<&mut dyn FnMut(&Info)>,
    ) -> Result<Decision, PlayerError> {
        self.player.think(request, listener)
    }

    fn find_mate(&mut self, request: &SearchRequest<'_>) -> Result<MateAnswer, PlayerError> {
        self.player.find_mate(request)
    }

    fn ponder(&mut self, go: &Go) -> Result<(), PlayerError> {
        self.player.ponder(go)
    }

    fn finish(&mut self, conclusion: Conclusion<'_>) {
        // A player that failed may be another process the next time.
        if matches!(conclusion, Conclusion::OwnFault(_)) {
            self.told = None;
        }
        self.player.finish(conclusion);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spin(name: &str, min: i64, max: i64) -> OptionSpec {
        let kind = OptionKind::Spin { min, max };
        OptionSpec { name: name.to_owned(), kind, default: String::new(), help: String::new() }
    }

    fn combo(choices: &[&str]) -> OptionSpec {
        let choices = choices.iter().map(|choice| (*choice).to_owned()).collect();
        let kind = OptionKind::Combo { choices };
        OptionSpec { name: RULE.to_owned(), kind, default: String::new(), help: String::new() }
    }

    fn told(specs: &[OptionSpec], declaration: Declaration, max_moves: Option<u32>) -> String {
        let settings = settings(specs, GameTerms { declaration, max_moves });
        settings.iter().map(|(name, value)| format!("{name}={value} ")).collect()
    }

    #[test]
    fn engines_are_told_in_their_own_words() {
        use Declaration::{None as Nothing, Points27H, Try};
        let ours =
            [spin("MaxMovesToDraw", 0, 100_000), combo(&Declaration::ALL.map(Declaration::name))];
        for (rule, limit, want) in [
            (Points27H, Some(320), "MaxMovesToDraw=320 EnteringKingRule=CSARule27H "),
            (Try, None, "MaxMovesToDraw=0 EnteringKingRule=TryRule "),
            (Nothing, Some(1), "MaxMovesToDraw=1 EnteringKingRule=NoEnteringKing "),
        ] {
            assert_eq!(told(&ours, rule, limit), want);
        }
        let older = [spin("Draw_Ply", 1, 512), combo(&["CSARule24", "CSARule27"])];
        assert_eq!(told(&older, Points27H, Some(256)), "Draw_Ply=256 EnteringKingRule=CSARule27 ");
        assert_eq!(told(&older, Try, None), "", "neither can be said to this one");
        assert_eq!(told(&[], Points27H, Some(256)), "");
    }
}
