//! The loop that grows a book: choose leaves, search them, propagate, again.
//!
//! After every round the book is written whole, so that a run that was ended goes on where it was.

mod choose;
mod lost;

pub use choose::{Leaves, Way, choose};

use crate::args::{Extend, Mine, Searching};
use crate::growing::Growing;
use crate::look::{open_book, position};
use crate::searcher::{LocalSearcher, SearchSettings, Searcher, Width, search_widened};
use crate::{Console, WorkError};
use book::Library;
use chart::grouped;
use rules::AnyPosition;

/// Never more lines than this many times those asked for.
const WIDEST: usize = 4;

impl Searching {
    pub(crate) fn settings(&self) -> SearchSettings {
        let (game, nodes, threads) = (self.game, self.nodes, self.threads);
        SearchSettings { game, nodes, threads, eval: self.eval.clone() }
    }

    /// Whoever searches so.
    pub(crate) fn searcher(&self, console: &Console<'_>) -> Result<Box<dyn Searcher>, WorkError> {
        match &self.fleet {
            Some(fleet) => (console.fleet)(fleet, &self.settings()),
            None => Ok(Box::new(LocalSearcher::new(&self.settings())?)),
        }
    }

    pub(crate) fn width(&self) -> Width {
        Width { lines: self.multipv, margin: self.widen, most: WIDEST * self.multipv }
    }
}

impl Mine {
    /// Grows the book with our engine, here or by a fleet.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let mut searcher = self.searching.searcher(console)?;
        self.run_with(&mut *searcher, console)
    }

    /// Grows the book with whoever searches.
    pub fn run_with(
        &self,
        searcher: &mut dyn Searcher,
        console: &mut Console<'_>,
    ) -> Result<(), WorkError> {
        let game = self.searching.game;
        let root = position(game, &self.position, &[])?;
        let mut book = Growing::open(&self.book, game)?;
        let leaves = self.leaves(console)?;
        let contempt = [self.contempt_black, self.contempt_white];
        let made = format!("nue book mine, {}", searcher.name());
        for round in 1..=self.rounds {
            console.check()?;
            book.propagate(contempt, self.searching.threads)?;
            let chosen = choose(&book, &root, &leaves)?;
            if chosen.is_empty() {
                (console.tell)("every line is followed to its end");
                break;
            }
            let searched = self.search(&mut book, chosen, searcher, console)?;
            book.save(&made)?;
            let (count, size) = (grouped(searched), grouped(book.len() as u64));
            (console.tell)(&format!(
                "round {round}: {count} positions searched, {size} in the book"
            ));
        }
        let size = grouped(book.len() as u64);
        console.line(&format!("{}: {size} positions", self.book.display()))
    }

    fn leaves(&self, console: &mut Console<'_>) -> Result<Leaves, WorkError> {
        let asks = |way| self.by.contains(&way);
        if asks(Way::Lost) == self.games.is_empty() {
            let text = "--by lost wants --games, and --games wants --by lost";
            return Err(WorkError::Position(text.to_owned()));
        }
        if asks(Way::Rival) != self.rival.is_some() {
            let text = "--by rival wants --rival, and --rival wants --by rival";
            return Err(WorkError::Position(text.to_owned()));
        }
        let game = self.searching.game;
        let rival = self.rival.as_ref().map(|path| open_book(path, game)).transpose()?;
        Ok(Leaves {
            ways: self.by.clone(),
            count: self.leaves,
            eval_diff: self.eval_diff,
            margin: self.margin,
            max_value: self.max_value,
            max_ply: self.max_ply,
            lost: lost::games(&self.games, game, self.player.as_deref(), console)?,
            rival: Library::new(rival.into_iter().collect()),
        })
    }

    /// Searches leaves, then the positions after their best moves, as far as is asked for; how many.
    fn search(
        &self,
        book: &mut Growing,
        mut positions: Vec<AnyPosition>,
        searcher: &mut dyn Searcher,
        console: &Console<'_>,
    ) -> Result<u64, WorkError> {
        let mut searched = 0;
        for _ in 0..=self.extend {
            if positions.is_empty() {
                break;
            }
            let width = self.searching.width();
            let found = search_widened(searcher, &positions, width, console.stop)?;
            let mut next = Vec::new();
            for (position, moves) in positions.iter().zip(found) {
                let best =
                    moves.first().filter(|m| m.value.is_some_and(|v| v.abs() <= self.max_value));
                let best = best.map(|m| m.mv).filter(|_| position.ply() < self.max_ply);
                book.put(position, moves)?;
                searched += 1;
                if let Some(mv) = best {
                    let mut after = position.clone();
                    after.play(mv);
                    next.push(after);
                }
            }
            positions = choose::leased(book, next, usize::MAX)?;
        }
        Ok(searched)
    }
}

impl Extend {
    /// Extends a line with our engine, here or by a fleet.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let mut searcher = self.searching.searcher(console)?;
        self.run_with(&mut *searcher, console)
    }

    /// Extends a line with whoever searches.
    pub fn run_with(
        &self,
        searcher: &mut dyn Searcher,
        console: &mut Console<'_>,
    ) -> Result<(), WorkError> {
        let game = self.searching.game;
        let mut at = position(game, &self.position, &self.moves)?;
        let mut book = Growing::open(&self.book, game)?;
        book.propagate([0, 0], self.searching.threads)?;
        let made = format!("nue book extend, {}", searcher.name());
        let mut searched = 0;
        while searched < self.plies {
            console.check()?;
            let known = book.find(&at)?.or(book.found(&at)?);
            let entry = match known {
                Some(entry) => entry,
                None => {
                    let asked = std::slice::from_ref(&at);
                    let width = self.searching.width();
                    let found = search_widened(searcher, asked, width, console.stop)?;
                    book.put(&at, found.into_iter().next().unwrap_or_default())?;
                    book.save(&made)?;
                    searched += 1;
                    match book.found(&at)? {
                        Some(entry) => entry,
                        None => break,
                    }
                }
            };
            let Some(best) = entry.moves.iter().find(|m| at.is_legal(m.mv)) else { break };
            let value = best.value.map_or(String::new(), |value| format!(" {value}"));
            console.line(&format!("{}{value}", best.mv.usi(game)))?;
            at.play(best.mv);
            if at.occurrences() > 1 || best.value.is_some_and(|v| v.abs() > self.max_value) {
                break;
            }
        }
        let size = grouped(book.len() as u64);
        console
            .line(&format!("{}: {searched} positions searched, {size} in it", self.book.display()))
    }
}

#[cfg(test)]
mod tests;
