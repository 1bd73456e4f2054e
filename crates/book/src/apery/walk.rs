//! The positions of a book, found by walking: keys do not give them back.
//!
//! At first only moves of the book are followed, and only where they lead to a key of it: in a book that has the positions of both
//! sides that finds everything, and nothing is looked at that is not in the book. Where keys are left, in a book of one side for
//! example, the walk is done once more, and goes astray: it looks at everything that a few moves outside the book lead to.
//!
//! A walk goes by levels. What the steps of a level lead to is put in the order of the file, so that records are read in long
//! pieces, and each thread looks after a stretch of places, so that nothing depends on how many there are.

use super::index::{Index, Known, Records};
use super::met::Met;
use super::{
    AperyBook, NUMBERS, Numbers, board_key, board_key_after, entry_of, key_of_shogi, mover_key,
};
use crate::model::{key_of_position, position_of};
use crate::parallel::in_order;
use crate::{BookError, Entry};
use rules::{AnyPosition, Game, Gen, Move, MoveList, Position, Shogi};

/// Positions that a thread takes at a time.
const BATCH: usize = 2048;

/// Where a walk goes next.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) position: Known,
    pub(super) ply: u32,
    /// Moves outside the book that may still follow, should none of those with the key be legal.
    pub(super) left: u32,
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
        let mut records = 0;
        let mut steps = met.take_new(&[self.first_steps(roots)?], threads)?;
        while !steps.is_empty() {
            if met.is_all() {
                // There is nothing left to go astray for.
                self.astray = 0;
            }
            let (walk, mut found) = (&*self, Vec::new());
            let visit = |steps: &[Step]| walk.visit_all(steps, work);
            in_order(threads, steps.chunks(BATCH).map(Ok), visit, |visited| {
                records += visited.records;
                found.push(visited.next);
                take(visited.count, visited.part)
            })?;
            steps = met.take_new(&found, threads)?;
        }
        Ok((met, records))
    }

    fn first_steps(&self, roots: &[AnyPosition]) -> Result<Vec<Step>, BookError> {
        let mut visitor = Visitor::new(self);
        for root in roots {
            let AnyPosition::Shogi(root) = root else { continue };
            let mut root = root.without_history();
            match self.index.place(key_of_shogi(&root)) {
                Some(place) => {
                    let position = Known::new(key_of_position(&root)?, place);
                    visitor.next.push(Step { position, ply: root.ply(), left: self.astray });
                }
                None => visitor.stray(&mut root, None, self.astray)?,
            }
        }
        Ok(visitor.sorted())
    }

    /// The entries of some steps that no earlier walk has given, and the steps after them.
    fn visit_all<T>(
        &self,
        steps: &[Step],
        work: &impl Fn(Vec<Entry>) -> Result<T, BookError>,
    ) -> Result<Visited<T>, BookError> {
        let (mut entries, mut records) = (Vec::with_capacity(steps.len()), 0);
        let mut visitor = Visitor::new(self);
        let places = steps.iter().map(|step| step.position.place);
        let mut pieces = Records::new(self.book, self.index, places);
        for step in steps {
            let bytes = pieces.of(step.position.place)?;
            let entry = visitor.visit(step, bytes)?;
            let is_given = self.given.as_ref().is_some_and(|given| given.has(&step.position));
            let entry = entry.filter(|_| !is_given);
            records += entry.as_ref().map_or(0, |entry| entry.moves.len() as u64);
            entries.extend(entry);
        }
        let count = entries.len();
        Ok(Visited { count, part: work(entries)?, records, next: visitor.sorted() })
    }
}

/// Visits steps on one thread.
struct Visitor<'a> {
    index: &'a Index,
    numbers: &'static Numbers,
    astray: u32,
    /// Lists of moves that are not in use.
    lists: Vec<MoveList>,
    /// Keys of boards after the moves of an entry, and whether they look as if they led to the book.
    after: Vec<(u64, bool)>,
    next: Vec<Step>,
}

impl<'a> Visitor<'a> {
    fn new(walk: &Walk<'a>) -> Self {
        let (index, astray, numbers) = (walk.index, walk.astray, &*NUMBERS);
        Self { index, numbers, astray, lists: Vec::new(), after: Vec::new(), next: Vec::new() }
    }

    /// The steps found, in the order of places.
    fn sorted(mut self) -> Vec<Step> {
        self.next.sort_by_key(|step| step.position.place);
        self.next
    }

    /// The entry of a step; the steps after it are noted.
    fn visit(
        &mut self,
        step: &Step,
        records: impl ExactSizeIterator<Item = super::Record>,
    ) -> Result<Option<Entry>, BookError> {
        let AnyPosition::Shogi(mut position) =
            position_of(Game::Shogi, &step.position.key, step.ply)?
        else {
            return Ok(None);
        };
        let Some(entry) = entry_of(&position, step.position.key, records) else {
            self.stray(&mut position, None, step.left)?;
            return Ok(None);
        };
        // The key of the position is known: without what is not on the board it is the board's.
        let board = self.index.key(step.position.place) ^ mover_key(&position, position.turn());
        let other = mover_key(&position, position.turn().opponent());
        // All keys first: what is looked up for one does not wait for another.
        let mut keys = std::mem::take(&mut self.after);
        keys.clear();
        keys.extend(entry.moves.iter().map(|m| {
            let key = board_key_after(self.numbers, &position, board, m.mv);
            (key, self.index.may_have(key ^ other))
        }));
        for (m, &(key, may_be)) in entry.moves.iter().zip(&keys) {
            let place = if may_be { self.index.place(key ^ other) } else { None };
            if let Some(place) = place {
                self.step_after(&mut position, m.mv, place, self.astray)?;
            } else if self.astray > 0 {
                position.play(m.mv);
                self.stray(&mut position, Some(key), self.astray)?;
                position.undo();
            }
        }
        self.after = keys;
        if self.astray > 0 {
            let is_wanted = |mv: Move| entry.find(mv).is_none();
            self.stray_by(&mut position, board, self.astray, is_wanted)?;
        }
        Ok(Some(Entry { ply: step.ply, ..entry }))
    }

    /// Notes the steps that moves outside the book lead to; the key of the board may be known.
    fn stray(
        &mut self,
        position: &mut Position<Shogi>,
        board: Option<u64>,
        left: u32,
    ) -> Result<(), BookError> {
        if left == 0 {
            return Ok(());
        }
        let board = board.unwrap_or_else(|| board_key(position));
        self.stray_by(position, board, left, |_| true)
    }

    fn stray_by(
        &mut self,
        position: &mut Position<Shogi>,
        board: u64,
        left: u32,
        is_wanted: impl Fn(Move) -> bool,
    ) -> Result<(), BookError> {
        let other = mover_key(position, position.turn().opponent());
        let mut list = self.lists.pop().unwrap_or_default();
        list.clear();
        position.generate(Gen::All, &mut list);
        for &mv in &list {
            let key = board_key_after(self.numbers, position, board, mv);
            match self.index.place(key ^ other) {
                Some(place) if is_wanted(mv) => self.step_after(position, mv, place, left - 1)?,
                None if left > 1 && is_wanted(mv) => {
                    position.play(mv);
                    self.stray(position, Some(key), left - 1)?;
                    position.undo();
                }
                _ => {}
            }
        }
        self.lists.push(list);
        Ok(())
    }

    /// Notes the step to the position after a move, whose key is at that place.
    fn step_after(
        &mut self,
        position: &mut Position<Shogi>,
        mv: Move,
        place: u32,
        left: u32,
    ) -> Result<(), BookError> {
        position.play(mv);
        let (key, ply) = (key_of_position(position)?, position.ply());
        self.next.push(Step { position: Known::new(key, place), ply, left });
        position.undo();
        Ok(())
    }
}
