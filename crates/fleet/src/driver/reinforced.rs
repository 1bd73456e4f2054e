//! Games of reinforcement learning: every one replayed by the referee, and compared with what was decided before
//! it began.

use super::{Counted, Driver, Part, Parts, RunProgress, dishonest};
use crate::batch::{Fault, Product};
use crate::exchange::teacher_games;
use crate::task::Unit;
use reinforce::elsewhere::GamesOrder;
use std::ops::Range;

/// Games of one batch: enough that a net is asked for many positions at once.
const BATCH: u64 = 64;

pub(super) struct Reinforced {
    order: GamesOrder,
    parts: Parts,
    games: u64,
    positions: u64,
}

impl Reinforced {
    pub(super) fn new(order: &GamesOrder, goal: Option<u64>) -> Self {
        Self { order: order.clone(), parts: Parts::new(goal), games: 0, positions: 0 }
    }
}

impl Driver for Reinforced {
    fn next(&mut self, batches: u32) -> Result<Option<Part>, Fault> {
        Ok(self.parts.next(BATCH * u64::from(batches), BATCH))
    }

    fn handed_out(&mut self, unit: &Unit) {
        self.parts.handed_out(unit);
    }

    fn accept(&mut self, _: &Unit, range: Range<u64>, product: &Product) -> Result<Counted, Fault> {
        let games = teacher_games(product)?;
        if games.len() as u64 != range.end - range.start {
            return Err(dishonest(format!("games {range:?} were asked for, {} came", games.len())));
        }
        let mut counted = Counted { games: games.len() as u64, ..Counted::default() };
        for (number, made) in range.zip(games) {
            counted.positions += made.game.positions() as u64;
            let taken = self.order.taken(number, made.game, made.nodes);
            taken.map_err(|why| dishonest(format!("game {number}: {why}")))?;
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
