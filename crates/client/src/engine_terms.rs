//! What a game is played by reaches the engine, ours or any other, before it begins: the limit of moves
//! and the rule of declaration, by the options engines have for them.

use crate::session::GameTerms;
use engines::game_rules::move_limit;
use engines::{Conclusion, Decision, Player, PlayerError, SearchRequest, rule_options};
use play::GameRules;
use rules::Game;
use std::sync::{Arc, Mutex, PoisonError};
use think::{Info, MateAnswer, OptionSpec};
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
    fn tell(
        &mut self,
        terms: GameTerms,
        game: Game,
        note: &mut dyn FnMut(&str),
    ) -> Result<bool, PlayerError> {
        let specs = self.player.options();
        let GameTerms { declaration, max_moves } = terms;
        let rules = GameRules { declaration, max_moves, ..GameRules::default() };
        let mut told = false;
        for (name, value) in rule_options(&rules, game, &specs) {
            if self.chosen.iter().any(|chosen| chosen.eq_ignore_ascii_case(&name)) {
                continue;
            }
            told |= self.player.set_option(&name, &value)?;
        }
        if max_moves.is_some() && move_limit(&specs).is_none() {
            note("the engine has no option for the limit of moves");
        }
        self.told = Some(terms);
        Ok(told)
    }
}

impl Player for InformedPlayer {
    fn prepare(&mut self, game: Game, note: &mut dyn FnMut(&str)) -> Result<(), PlayerError> {
        let news = self.terms.get().filter(|&terms| self.told != Some(terms));
        // An engine that runs is told first, so that it is ready for just this game.
        if let Some(terms) = news.filter(|_| self.told.is_some()) {
            self.tell(terms, game, note)?;
        }
        self.player.prepare(game, note)?;
        if let Some(terms) = self.terms.get().filter(|&terms| self.told != Some(terms))
            && self.tell(terms, game, note)?
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
