//! Self-play: games in the order of their numbers, none twice.

use super::{Counted, Driver, Part, Parts, RunProgress, dishonest};
use crate::batch::{Fault, Product};
use crate::exchange::teacher_games;
use crate::task::{SelfPlaySpec, Unit};
use arena::game_rules;
use arena::selfplay::Sequence;
use play::GameRules;
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

/// Games of one batch.
const BATCH: u64 = 4;

/// Games that may wait for one before them: further ones are not handed out meanwhile.
const AHEAD: u64 = 50_000;

pub(super) struct SelfPlayRun {
    game: rules::Game,
    rules: GameRules,
    parts: Parts,
    sequence: Sequence,
    seen: HashSet<u64>,
    games: u64,
    positions: u64,
}

impl SelfPlayRun {
    pub(super) fn new(spec: &SelfPlaySpec, goal: Option<u64>) -> Self {
        let settings = &spec.settings;
        Self {
            game: settings.game,
            rules: game_rules(settings.declaration, settings.max_moves),
            parts: Parts::new(goal),
            sequence: Sequence::from(0),
            seen: HashSet::new(),
            games: 0,
            positions: 0,
        }
    }

    /// Plays a game by the rules: every move legal, none after the end, and the end that was told where the
    /// board shows one.
    fn check(&self, game: &teacher::Game) -> Result<(), String> {
        let mut position = game.start.clone();
        if position.game() != self.game {
            return Err(format!("a game of {}", position.game()));
        }
        for (number, ply) in game.plies.iter().enumerate() {
            let moves = position.ply().saturating_sub(1);
            if self.rules.end_of(&position, moves).is_some() {
                return Err(format!("it was over before move {}", number + 1));
            }
            if let Some(why) = position.why_illegal(ply.mv) {
                let text = ply.mv.usi(self.game);
                return Err(format!("move {} is {text}: {why}", number + 1));
            }
            position.play(ply.mv);
        }
        let shown = self.rules.end_of(&position, position.ply().saturating_sub(1));
        match shown.map(|ending| ending.outcome) {
            Some(outcome) if outcome != game.outcome => {
                Err(format!("it ended as {outcome:?}, not as {:?}", game.outcome))
            }
            _ => Ok(()),
        }
    }
}

impl Driver for SelfPlayRun {
    fn next(&mut self, batches: u32) -> Result<Option<Part>, Fault> {
        if self.parts.more.is_empty() && self.parts.next > self.sequence.next() + AHEAD {
            return Ok(None);
        }
        Ok(self.parts.next(BATCH * u64::from(batches), BATCH))
    }

    fn usual(&self) -> u32 {
        4
    }

    fn handed_out(&mut self, unit: &Unit) {
        self.parts.handed_out(unit);
    }

    fn accept(
        &mut self,
        unit: &Unit,
        range: Range<u64>,
        product: &Product,
    ) -> Result<Counted, Fault> {
        let games = teacher_games(product)?;
        if games.len() as u64 != range.end - range.start {
            return Err(dishonest(format!("games {range:?} were asked for, {} came", games.len())));
        }
        for (number, made) in range.clone().zip(&games) {
            self.check(&made.game).map_err(|why| dishonest(format!("game {number}: {why}")))?;
        }
        let mut counted = Counted::default();
        for (number, made) in range.zip(games) {
            let positions = &mut counted.positions;
            let mut taken = 0;
            let flow =
                self.sequence.accept((number, unit.retry), made, &mut self.seen, &mut |made| {
                    taken += 1;
                    *positions += made.game.positions() as u64;
                    ControlFlow::Continue(())
                });
            counted.games += taken;
            if let ControlFlow::Continue(Some((number, retry))) = flow {
                let unit = Unit { retry, ..Unit::new(number, 1) };
                counted.more.push(Part { unit, batches: 1 });
            }
        }
        self.games += counted.games;
        self.positions += counted.positions;
        Ok(counted)
    }

    fn verdict(&self) -> Option<String> {
        let all = self.parts.total.is_some_and(|total| self.games >= total);
        all.then(|| "all games are played".to_owned())
    }

    fn progress(&self) -> RunProgress {
        let (done, total, positions) = (self.games, self.parts.total, self.positions);
        RunProgress { done, total, positions, ..RunProgress::default() }
    }
}
