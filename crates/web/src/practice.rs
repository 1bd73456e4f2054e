//! What visitors practise: mate problems at their level, and their own openings.

use crate::service::BoardService;
use crate::store::Part;
use board::error::ApiError;
use board::game::OwnOpenings;
use board::opening;
use board::tsume::{self, Judged, TsumeAnswer, TsumeAttempt, TsumeNext};

impl BoardService {
    /// The next problem for a visitor.
    pub fn next_tsume(&self, visitor: &str) -> Result<TsumeNext, ApiError> {
        let (solver, now) = (self.store().solver(visitor)?, self.wall());
        let (problem, again) = solver.next(now);
        let progress = solver.progress(now);
        Ok(TsumeNext { problem: problem.map(tsume::Problem::view), again, progress })
    }

    /// An attempt at a problem; what counts is noted when it is over.
    pub fn try_tsume(
        &self,
        visitor: &str,
        id: &str,
        attempt: &TsumeAttempt,
    ) -> Result<TsumeAnswer, ApiError> {
        let problem = tsume::find(id)?;
        let (state, reply) = if attempt.give_up {
            (Judged::Wrong, None)
        } else {
            let judged = problem.judge(&attempt.moves)?;
            (judged.state, judged.reply)
        };
        let over = attempt.give_up || state == Judged::Solved;
        if !over {
            return Ok(TsumeAnswer { state, reply, solution: None, progress: None });
        }
        let now = self.wall();
        let mut store = self.store();
        let mut solver = store.solver(visitor)?;
        let card = solver.attempt(problem, state == Judged::Solved && !attempt.failed, now);
        store.save_solver(visitor, &solver, id, card)?;
        let (solution, progress) = (Some(problem.solution()?), Some(solver.progress(now)));
        Ok(TsumeAnswer { state, reply, solution, progress })
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
