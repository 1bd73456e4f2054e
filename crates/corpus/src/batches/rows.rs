//! Positions as rows of numbers with their labels: what is shuffled.

use super::beside::Beside;
use super::leaf::Leaf;
use super::selection::{Selection, SelectionCounts};
use super::units::{Unit, UnitReader, Units, each_record};
use super::{Encoder, Label, Moves, Numbers, PositionRef};
use crate::error::Error;
use crate::format::Format;
use crate::sieve::{LeftOut, Sieve};
use rules::{Game, Minishogi, Position, Shogi, Variant};
use seed::Rng;
use teacher::{Block, Cursor, Flags, Outcome, TeacherError};

/// Encoded positions one after another, and their labels.
#[derive(Clone, Debug)]
pub struct Rows {
    pub numbers: Numbers,
    pub labels: Vec<Label>,
    /// What was used and what was not.
    pub counts: SelectionCounts,
}

impl Rows {
    /// No rows yet, of such numbers.
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { numbers, labels: Vec::new(), counts: SelectionCounts::default() }
    }

    /// How many positions.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Adds others after these.
    pub fn append(&mut self, other: &mut Self) {
        self.numbers.append(&mut other.numbers);
        self.labels.append(&mut other.labels);
        self.counts.add(&other.counts);
    }

    /// Adds a position and what it teaches; says where its numbers begin, unless it cannot be seen.
    fn add<V: Variant>(
        &mut self,
        encoder: &dyn Encoder,
        position: &Position<V>,
        mirrored: bool,
        score: i16,
        result: Option<i8>,
    ) -> Option<usize> {
        let begin = self.numbers.len();
        self.numbers.grow(encoder.width());
        if !encoder.encode(PositionRef::of(position), mirrored, self.numbers.row_mut(begin)) {
            self.numbers.truncate(begin);
            self.counts.unfit += 1;
            return None;
        }
        let ply = position.ply().min(u32::from(u16::MAX)) as u16;
        self.labels.push(Label { score, result, ply, turn: position.turn() });
        self.counts.used += 1;
        Some(begin)
    }
}

/// The first positions of the files that train, in order and not mirrored: what is validated on.
pub fn first_rows(
    units: &Units,
    selection: &Selection,
    encoder: &dyn Encoder,
    count: usize,
) -> Result<Rows, Error> {
    match units.game() {
        Game::Shogi => first_rows_of::<Shogi>(units, selection, encoder, count),
        Game::Minishogi => first_rows_of::<Minishogi>(units, selection, encoder, count),
    }
}

fn first_rows_of<V: Variant>(
    units: &Units,
    selection: &Selection,
    encoder: &dyn Encoder,
    count: usize,
) -> Result<Rows, Error> {
    let selection = Selection { mirror: false, ..*selection };
    let mut sampler = Sampler::<V>::new(&selection, encoder);
    let mut reader = UnitReader::new(units);
    let mut rows = Rows::new(encoder.numbers());
    for &unit in units.units() {
        if rows.len() >= count {
            break;
        }
        let mut more = sampler.rows(&mut reader, unit, Rng::new(0)).map_err(Error::Damaged)?;
        rows.append(&mut more);
    }
    let count = rows.len().min(count);
    rows.numbers.truncate(count * encoder.width());
    rows.labels.truncate(count);
    Ok(rows)
}

/// Makes rows of units.
pub(super) struct Sampler<'a, V: Variant> {
    selection: &'a Selection,
    sieve: Sieve,
    encoder: &'a dyn Encoder,
    cursor: Cursor<V>,
    leaf: Option<Leaf<V>>,
    beside: Beside<V>,
    /// All scores of a game, and which of its positions became which rows.
    course: Vec<Option<i16>>,
    kept: Vec<Kept>,
}

/// A position of a game that became a row.
struct Kept {
    /// Its number in the game.
    index: usize,
    row: usize,
    /// Whether the row is for the other side: of a leaf after an odd number of captures.
    turned: bool,
}

/// A position as its file has it.
struct Found<'p, V: Variant> {
    position: &'p Position<V>,
    moves: Moves<'p>,
    score: Option<i16>,
    flags: Flags,
    outcome: Outcome,
}

impl<'a, V: Variant> Sampler<'a, V> {
    pub(super) fn new(selection: &'a Selection, encoder: &'a dyn Encoder) -> Self {
        Self {
            selection,
            sieve: selection.effective_sieve(),
            encoder,
            cursor: Cursor::new(),
            leaf: (selection.leaf || selection.settled).then(Leaf::new),
            beside: Beside::new(),
            course: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// The rows of a unit; `rng` decides which are mirrored. An error tells what cannot be read.
    pub(super) fn rows(
        &mut self,
        reader: &mut UnitReader<'_>,
        unit: Unit,
        mut rng: Rng,
    ) -> Result<Rows, String> {
        let mut rows = Rows::new(self.encoder.numbers());
        let read = match reader.fetch(unit)? {
            (Format::Teacher, bytes) => {
                self.games(bytes, &mut rng, &mut rows).map_err(|e| unit.damage(e))
            }
            (format, bytes) => each_record::<V>(format, bytes, |position, record| {
                let moves = Moves { played: record.mv, candidates: &[] };
                let (score, outcome) = (Some(record.score), record.outcome);
                let flags = Flags::default();
                self.push(&Found { position, moves, score, flags, outcome }, &mut rng, &mut rows);
            })
            .map_err(|e| unit.bad_records(&e)),
        };
        read.map(|()| rows).map_err(|e| reader.wrong(unit, &e))
    }

    fn games(&mut self, bytes: &[u8], rng: &mut Rng, rows: &mut Rows) -> Result<(), TeacherError> {
        let mut cursor = std::mem::take(&mut self.cursor);
        let result = self.walk(&mut cursor, &Block::from_bytes(bytes)?, rng, rows);
        self.cursor = cursor;
        result
    }

    fn walk(
        &mut self,
        cursor: &mut Cursor<V>,
        block: &Block,
        rng: &mut Rng,
        rows: &mut Rows,
    ) -> Result<(), TeacherError> {
        cursor.open(block)?;
        let each = usize::from(self.selection.beside.max(1));
        rows.numbers.reserve(block.positions() as usize * each * self.encoder.width());
        while cursor.next_game()? {
            let (outcome, plies) = (cursor.head().outcome, cursor.head().plies as usize);
            if !self.sieve.passes_length(plies) {
                rows.counts.games += plies as u64;
                continue;
            }
            self.course.clear();
            self.kept.clear();
            while let Some(sample) = cursor.next_position()? {
                let (position, flags) = (sample.position, sample.flags);
                let moves = Moves { played: sample.mv, candidates: sample.candidates };
                let found = Found { position, moves, score: sample.score, flags, outcome };
                let row = rows.len();
                if let Some(turned) = self.push(&found, rng, rows) {
                    self.kept.push(Kept { index: self.course.len(), row, turned });
                }
                self.course.push(sample.score);
            }
            self.look_ahead(rows);
        }
        Ok(())
    }

    /// Replaces the scores of a game's rows by means of their own and the later ones.
    fn look_ahead(&self, rows: &mut Rows) {
        let n_step = self.selection.n_step;
        if n_step == 0.0 {
            return;
        }
        let mut kept = self.kept.iter().rev().peekable();
        // For the side to move at the position that is looked at.
        let mut mean = None;
        for (index, score) in self.course.iter().enumerate().rev() {
            let later = mean.map(|later: f64| -later);
            let own = score.map(|score| f64::from(self.selection.limited(score)));
            mean = match (own, later) {
                (Some(own), Some(later)) => Some((1.0 - n_step) * own + n_step * later),
                // A random move, which has no score, changes what the scores before it meant.
                (own, _) => own,
            };
            if let (Some(kept), Some(mean)) = (kept.next_if(|kept| kept.index == index), mean) {
                let mean = mean.round() as i16;
                rows.labels[kept.row].score = if kept.turned { -mean } else { mean };
            }
        }
    }

    /// Adds a position if it trains and can be seen; says whether for the other side.
    fn push(&mut self, found: &Found<'_, V>, rng: &mut Rng, rows: &mut Rows) -> Option<bool> {
        let score = match self.judge(found) {
            Ok(score) => self.selection.limited(score),
            Err(why) => {
                match why {
                    Some(why) => rows.counts.count(why),
                    None => rows.counts.games += 1,
                }
                return None;
            }
        };
        if self.selection.beside > 0 {
            self.push_beside(found, score, rng, rows);
            return None;
        }
        let asked = self.leaf.as_mut().filter(|_| self.selection.settled);
        if asked.is_some_and(|leaf| !leaf.is_settled(found.position)) {
            rows.counts.count(LeftOut::Loud);
            return None;
        }
        let mirrored = self.selection.mirror && rng.bits() >> 63 == 1;
        let (position, turned) = match &mut self.leaf {
            Some(leaf) if self.selection.leaf => leaf.find(found.position),
            _ => (found.position, false),
        };
        let turn = position.turn();
        let score = if turned { -score } else { score };
        let result = found.outcome.for_side(turn);
        let begin = rows.add(self.encoder, position, mirrored, score, result)?;
        // A leaf has other moves than the position it comes from.
        if !self.selection.leaf {
            self.encoder.teach(turn, &found.moves, rows.numbers.row_mut(begin));
        }
        Some(turned)
    }

    /// Adds positions beside one of a game.
    fn push_beside(&mut self, found: &Found<'_, V>, score: i16, rng: &mut Rng, rows: &mut Rows) {
        for _ in 0..self.selection.beside {
            let mirrored = self.selection.mirror && rng.bits() >> 63 == 1;
            let drawn = self.beside.draw(found.position, found.moves.played, rng);
            if let Some((position, turned)) = drawn {
                let score = if turned { -score } else { score };
                rows.add(self.encoder, position, mirrored, score, None);
            } else {
                rows.counts.count(LeftOut::Check);
            }
        }
    }

    /// The score a position teaches, or why it teaches nothing: `None` if its game does not pass.
    fn judge(&self, found: &Found<'_, V>) -> Result<i16, Option<LeftOut>> {
        if !self.sieve.passes_outcome(found.outcome) {
            return Err(None);
        }
        self.sieve
            .trains(found.position, found.moves.played, found.score, found.flags)
            .map_err(Some)
    }
}
