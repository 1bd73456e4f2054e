//! What is remembered of mate problems somebody has met.

use super::{Store, failed};
use board::error::ApiError;
use board::tsume::{Card, Solver};
use rusqlite::{OptionalExtension, params};

impl Store {
    /// How far a visitor has come.
    pub fn solver(&self, visitor: &str) -> Result<Solver, ApiError> {
        let work = || -> rusqlite::Result<Solver> {
            let sql = "SELECT level, streak FROM solvers WHERE visitor = ?1";
            let mut solver = self
                .connection
                .prepare_cached(sql)?
                .query_row([visitor], |row| {
                    Ok(Solver { level: row.get(0)?, streak: row.get(1)?, ..Solver::default() })
                })
                .optional()?
                .unwrap_or_default();
            let sql = "SELECT problem, known, due, tries, solved FROM tsume WHERE visitor = ?1";
            let mut statement = self.connection.prepare_cached(sql)?;
            let cards = statement.query_map([visitor], |row| {
                let (known, due, tries) = (row.get(1)?, row.get(2)?, row.get(3)?);
                Ok((row.get(0)?, Card { known, due, tries, solved: row.get(4)? }))
            })?;
            solver.cards = cards.collect::<rusqlite::Result<_>>()?;
            Ok(solver)
        };
        work().map_err(failed)
    }

    /// Notes an attempt.
    pub fn save_solver(
        &mut self,
        visitor: &str,
        solver: &Solver,
        problem: &str,
        card: Card,
    ) -> Result<(), ApiError> {
        let mut work = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction()?;
            transaction.execute(
                "INSERT OR REPLACE INTO solvers (visitor, level, streak) VALUES (?1, ?2, ?3)",
                params![visitor, solver.level, solver.streak],
            )?;
            transaction.execute(
                "INSERT OR REPLACE INTO tsume (visitor, problem, known, due, tries, solved) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![visitor, problem, card.known, card.due, card.tries, card.solved],
            )?;
            transaction.commit()
        };
        work().map_err(failed)
    }
}
