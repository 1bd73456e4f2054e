//! The positions of a book, found by walking: keys do not give them back.
//!
//! At first only moves of the book are followed, and only where they lead to a key of it: in a book that has the positions of both
//! sides that finds everything, and nothing is looked at that is not in the book. Where keys are left, in a book of one side for
//! example, the walk is done once more, and goes astray: it looks at everything that a few moves outside the book lead to.

use super::index::{Index, Known, Met};
use super::{AperyBook, apery_key, board_key, board_key_after, entry_of, mover_key};
use crate::model::{key_of, position_of};
use crate::parallel::in_order;
use crate::{BookError, Entry};
use rules::{AnyPosition, Game, Move};

/// Positions that a thread takes at a time.
const BATCH: usize = 1024;

/// Where a walk goes next.
#[derive(Clone, Copy)]
struct Step {
    position: Known,
    ply: u32,
    /// Moves outside the book that may still follow, should none of those with the key be legal.
    left: u32,
}

/// What was found at some steps.
struct Visited<T> {
    count: usize,
    part: T,
    records: u64,
    next: Vec<Step>,
}

impl AperyBook {
    /// Gives the positions that can be reached from the roots by moves of the book, and from those by so
    /// many moves that are not in it: `work` is done on any thread, `take` on this one, in order. Everything else in the file
    /// cannot be told apart. How many records were met.
    pub(crate) fn walk<T: Send>(
        &self,
        roots: &[AnyPosition],
        astray: u32,
        threads: usize,
        work: impl Fn(Vec<Entry>) -> Result<T, BookError> + Sync,
        mut take: impl FnMut(usize, T) -> Result<(), BookError>,
    ) -> Result<u64, BookError> {
        let index = Index::of(self, threads)?;
        let mut walk = Walk { book: self, index: &index, astray: 0, given: None };
        let (met, mut records) = walk.go(roots, threads, &work, &mut take)?;
        if !met.is_all() && astray > 0 {
            walk.astray = astray;
            walk.given = Some(met);
            records += walk.go(roots, threads, &work, &mut take)?.1;
        }
        Ok(records)
    }
}

/// One walk through a book.
struct Walk<'a> {
    book: &'a AperyBook,
    index: &'a Index,
    astray: u32,
    /// What an earlier walk has given.
    given: Option<Met>,
}

impl Walk<'_> {
    fn go<T: Send>(
        &mut self,
        roots: &[AnyPosition],
        threads: usize,
        work: &(impl Fn(Vec<Entry>) -> Result<T, BookError> + Sync),
        take: &mut impl FnMut(usize, T) -> Result<(), BookError>,
    ) -> Result<(Met, u64), BookError> {
        let mut met = Met::new(self.index.len());
        let (mut steps, mut records) = (Vec::new(), 0);
        for root in roots {
            let mut root = root.without_history();
            match self.index.place(apery_key(&root)) {
                Some(place) => {
                    let position = Known::new(key_of(&root)?, place);
                    steps.push(Step { position, ply: root.ply(), left: self.astray });
                }
                None => self.stray(&mut root, self.astray, &mut steps)?,
            }
        }
        steps.retain(|step| met.insert(&step.position));
        while !steps.is_empty() {
            if met.is_all() {
                // There is nothing left to go astray for.
                self.astray = 0;
            }
            let (walk, mut later) = (&*self, Vec::new());
            let visit = |steps: &[Step]| {
                let (mut entries, mut next, mut records) = (Vec::new(), Vec::new(), 0);
                for step in steps {
                    let entry = walk.visit(step, &mut next)?;
                    let is_given =
                        walk.given.as_ref().is_some_and(|given| given.has(&step.position));
                    let entry = entry.filter(|_| !is_given);
                    records += entry.as_ref().map_or(0, |entry| entry.moves.len() as u64);
                    entries.extend(entry);
                }
                let count = entries.len();
                Ok(Visited { count, part: work(entries)?, records, next })
            };
            in_order(threads, steps.chunks(BATCH).map(Ok), visit, |visited| {
                records += visited.records;
                later.extend(visited.next.into_iter().filter(|step| met.insert(&step.position)));
                take(visited.count, visited.part)
            })?;
            steps = later;
        }
        Ok((met, records))
    }

    /// The entry of a step, and the steps after it.
    fn visit(&self, step: &Step, next: &mut Vec<Step>) -> Result<Option<Entry>, BookError> {
        let mut position = position_of(Game::Shogi, &step.position.key, step.ply)?;
        let records = self.index.records(self.book, step.position.place)?;
        let Some(entry) = entry_of(&position, step.position.key, &records) else {
            self.stray(&mut position, step.left, next)?;
            return Ok(None);
        };
        // The key of the position is known: without what is not on the board it is the board's.
        let board = self.index.key(step.position.place) ^ mover_key(&position, position.turn());
        let other = mover_key(&position, position.turn().opponent());
        for m in &entry.moves {
            let after = board_key_after(&position, board, m.mv) ^ other;
            if let Some(place) = self.index.place(after) {
                next.push(step_after(&mut position, m.mv, place, self.astray)?);
            } else if self.astray > 0 {
                position.play(m.mv);
                self.stray(&mut position, self.astray, next)?;
                position.undo();
            }
        }
        self.stray_beside(&mut position, board, &entry, next)?;
        Ok(Some(Entry { ply: step.ply, ..entry }))
    }

    /// The steps that moves outside the book lead to.
    fn stray(
        &self,
        position: &mut AnyPosition,
        left: u32,
        next: &mut Vec<Step>,
    ) -> Result<(), BookError> {
        if left == 0 {
            return Ok(());
        }
        let board = board_key(position);
        self.stray_by(position, board, left, |_| true, next)
    }

    /// The steps that moves lead to which an entry does not list.
    fn stray_beside(
        &self,
        position: &mut AnyPosition,
        board: u64,
        entry: &Entry,
        next: &mut Vec<Step>,
    ) -> Result<(), BookError> {
        if self.astray == 0 {
            return Ok(());
        }
        self.stray_by(position, board, self.astray, |mv| entry.find(mv).is_none(), next)
    }

    fn stray_by(
        &self,
        position: &mut AnyPosition,
        board: u64,
        left: u32,
        is_wanted: impl Fn(Move) -> bool,
        next: &mut Vec<Step>,
    ) -> Result<(), BookError> {
        let other = mover_key(position, position.turn().opponent());
        for &mv in &position.legal_moves() {
            let after = board_key_after(position, board, mv) ^ other;
            match self.index.place(after) {
                Some(place) if is_wanted(mv) => {
                    next.push(step_after(position, mv, place, left - 1)?);
                }
                None if left > 1 && is_wanted(mv) => {
                    position.play(mv);
                    self.stray(position, left - 1, next)?;
                    position.undo();
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The step to the position after a move, whose key is at that place.
fn step_after(
    position: &mut AnyPosition,
    mv: Move,
    place: u32,
    left: u32,
) -> Result<Step, BookError> {
    position.play(mv);
    let step = Step { position: Known::new(key_of(position)?, place), ply: position.ply(), left };
    position.undo();
    Ok(step)
}
