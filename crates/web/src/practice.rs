//! What visitors practise: mate problems at their level, and their own openings.

use crate::service::BoardService;
use crate::store::Part;
use board::error::ApiError;
use board::game::OwnOpenings;
use board::opening;
use board::tsume::{TsumeAnswer, TsumeAttempt, TsumeNext};

impl BoardService {
    /// The next problem for a visitor.
    pub fn next_tsume(&self, visitor: &str) -> Result<TsumeNext, ApiError> {
        Ok(self.store().solver(visitor)?.offer(self.wall()))
    }

    /// An attempt at a problem; what counts is noted when it is over.
    pub fn try_tsume(
        &self,
        visitor: &str,
        id: &str,
        attempt: &TsumeAttempt,
    ) -> Result<TsumeAnswer, ApiError> {
        let mut store = self.store();
        let mut solver = store.solver(visitor)?;
        let (answer, card) = solver.answer(id, attempt, self.wall())?;
        if let Some(card) = card {
            store.save_solver(visitor, &solver, id, card)?;
        }
        Ok(answer)
    }

    /// A visitor's finished games by opening.
    pub fn own_openings(&self, visitor: &str) -> Result<OwnOpenings, ApiError> {
        let entries = self.store().list(visitor, &Part::ALL)?;
        let mut openings = OwnOpenings::default();
        for entry in &entries {
            let Some(ending) = entry.ending else { continue };
            let Some(kept) = self.store().load(&entry.id)? else { continue };
            if let Some(opening) = opening::of(kept.game.position()) {
                openings.add(&entry.id, opening, entry.side(visitor), ending);
            }
        }
        Ok(openings.sorted())
    }
}
