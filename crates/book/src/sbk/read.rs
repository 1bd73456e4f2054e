//! A file as entries. States that say which position they are come first, in the order of the file; then those that moves
//! lead to from there, the nearest first.

use super::states::{Span, States, not_a_book};
use super::{Field, OPINIONS, decode, each};
use crate::bytes::{ReadAt, bytes_at};
use crate::losses::Problems;
use crate::model::{key_of, position_of};
use crate::parallel::in_order;
use crate::{BookError, BookMove, Entry, Header, Key};
use rules::{AnyPosition, Game, Move};
use std::ops::Range;

/// States that a thread takes at a time.
const BATCH: usize = 1024;
/// Bytes between two states that are read with them rather than apart.
const NEAR: u64 = 1 << 12;

/// A book that is to be read through.
pub struct SbkBook {
    input: Box<dyn ReadAt>,
    /// What it says about itself.
    pub header: Header,
    states: States,
    problems: Problems,
}

/// A state that has no position of its own, and which one it is.
#[derive(Clone, Copy)]
struct Step {
    place: u32,
    key: Key,
    ply: u32,
}

/// What was found at some states.
struct Visited<T> {
    count: usize,
    part: T,
    next: Vec<Step>,
    problems: Problems,
}

impl SbkBook {
    /// Opens a book, and reads where its states are on so many threads.
    pub fn open(input: Box<dyn ReadAt>, threads: usize) -> Result<Self, BookError> {
        let (mut header, mut problems) = (Header::new(Game::Shogi), Problems::default());
        let states = States::of(&*input, threads, &mut header, &mut problems)?;
        Ok(Self { input, header, states, problems })
    }

    /// Positions about which something is said.
    pub fn positions(&self) -> u64 {
        self.states.spans().iter().filter(|span| span.says_something).count() as u64
    }

    /// Gives the entries part by part, those about which something is said: `work` is done on any thread, `take` on this one, in order. What
    /// could not be read.
    pub(crate) fn each_part<T: Send>(
        mut self,
        threads: usize,
        work: impl Fn(Vec<Entry>) -> Result<T, BookError> + Sync,
        mut take: impl FnMut(usize, T) -> Result<(), BookError>,
    ) -> Result<Problems, BookError> {
        let mut problems = std::mem::take(&mut self.problems);
        let spans = self.states.spans();
        let is_seed = |span: &Span| span.has_position && !span.is_double;
        let mut seen: Vec<bool> =
            spans.iter().map(|span| is_seed(span) || span.is_double).collect();
        let mut steps = Vec::new();
        let mut took = |visited: Visited<T>, later: &mut Vec<Step>| {
            problems.add(visited.problems);
            later.extend(visited.next);
            take(visited.count, visited.part)
        };
        let done = |found: Found| {
            let Found { entries, next, problems } = found;
            let entries: Vec<Entry> = entries
                .into_iter()
                .filter(|entry| !entry.moves.is_empty() || entry.comment.is_some())
                .collect();
            Ok(Visited { count: entries.len(), part: work(entries)?, next, problems })
        };
        let parts = (0..spans.len()).step_by(BATCH);
        let parts = parts.map(|first| Ok(first..spans.len().min(first + BATCH)));
        let seeds = |part: Range<usize>| done(self.seeds(part)?);
        in_order(threads, parts, seeds, |visited| took(visited, &mut steps))?;
        if !seen.contains(&true) && !spans.is_empty() {
            let start = AnyPosition::startpos(Game::Shogi);
            steps.push(Step { place: 0, key: key_of(&start)?, ply: start.ply() });
        }
        loop {
            steps.retain(|step| !std::mem::replace(&mut seen[step.place as usize], true));
            if steps.is_empty() {
                break;
            }
            let mut later = Vec::new();
            let follow = |steps: &[Step]| done(self.follow(steps)?);
            in_order(threads, steps.chunks(BATCH).map(Ok), follow, |visited| {
                took(visited, &mut later)
            })?;
            steps = later;
        }
        for place in (0..spans.len() as u32).filter(|&place| !seen[place as usize]) {
            let number = self.states.number(place);
            problems.note(|| format!("state {number}: no position, and no move leads to it"));
        }
        Ok(problems)
    }

    /// The entries of those states of a part that have a position.
    fn seeds(&self, part: Range<usize>) -> Result<Found, BookError> {
        let mut found = Found::default();
        let spans = &self.states.spans()[part.clone()];
        let mut chosen = Vec::new();
        for (place, span) in (part.start as u32..).zip(spans) {
            if span.has_position && !span.is_double {
                chosen.push((place, span));
            }
        }
        let (mut bytes, mut from, mut to) = (Vec::new(), 0, 0);
        for (nth, &(place, span)) in chosen.iter().enumerate() {
            let end = |span: &Span| span.at + u64::from(span.length);
            if span.at < from || end(span) > to {
                (from, to) = (span.at, end(span));
                for (_, next) in &chosen[nth..] {
                    if next.at > to + NEAR {
                        break;
                    }
                    to = to.max(end(next));
                }
                bytes = bytes_at(&*self.input, from, (to - from) as usize)?;
            }
            let at = (span.at - from) as usize;
            self.entry(place, None, &bytes[at..at + span.length as usize], &mut found)?;
        }
        Ok(found)
    }

    /// The entries of states that moves lead to.
    fn follow(&self, steps: &[Step]) -> Result<Found, BookError> {
        let mut found = Found::default();
        for step in steps {
            let span = self.states.spans()[step.place as usize];
            let bytes = bytes_at(&*self.input, span.at, span.length as usize)?;
            let position = position_of(Game::Shogi, &step.key, step.ply)?;
            self.entry(step.place, Some(position), &bytes, &mut found)?;
        }
        Ok(found)
    }

    /// The entry of a state, and the states that its moves lead to.
    fn entry(
        &self,
        place: u32,
        position: Option<AnyPosition>,
        bytes: &[u8],
        found: &mut Found,
    ) -> Result<(), BookError> {
        let state = State::read(bytes).ok_or_else(not_a_book)?;
        let number = self.states.number(place);
        let mut position = match position {
            Some(position) => position,
            None => match state.position() {
                Ok(position) => position,
                Err(why) => {
                    found.problems.note(|| format!("state {number}: {why}"));
                    return Ok(());
                }
            },
        };
        let mut entry = Entry::of(&position)?;
        entry.comment = (!state.comment.is_empty())
            .then(|| String::from_utf8_lossy(state.comment).into_owned().into());
        for m in state.moves {
            let mv = decode(m.code).filter(|&mv| position.is_legal(mv) && entry.find(mv).is_none());
            let Some(mv) = mv else {
                let code = m.code;
                found.problems.note(|| format!("state {number}: {code:#010x} is not a legal move"));
                continue;
            };
            let next =
                self.states.place(m.next).map(|next| (next, self.states.spans()[next as usize]));
            entry.moves.push(book_move(&m, mv, next.map(|(_, span)| span), &position));
            if let Some((next, _)) = next.filter(|(_, span)| !span.has_position) {
                position.play(mv);
                found.next.push(Step { place: next, key: key_of(&position)?, ply: position.ply() });
                position.undo();
            }
        }
        for eval in &state.evals {
            add_eval(&mut entry, &position, eval);
        }
        found.entries.push(entry);
        Ok(())
    }
}

#[derive(Default)]
struct Found {
    entries: Vec<Entry>,
    next: Vec<Step>,
    problems: Problems,
}

/// A state as the file has it.
#[derive(Default)]
struct State<'a> {
    sfen: &'a [u8],
    comment: &'a [u8],
    moves: Vec<StateMove>,
    evals: Vec<Eval<'a>>,
}

struct StateMove {
    code: u32,
    opinion: u64,
    weight: u64,
    next: i64,
}

#[derive(Default)]
struct Eval<'a> {
    value: i32,
    depth: u32,
    line: &'a [u8],
    engine: &'a [u8],
}

impl<'a> State<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut state = Self::default();
        each(bytes, |number, field| {
            match (number, field) {
                (7, Field::Bytes(bytes)) => state.sfen = bytes,
                (8, Field::Bytes(bytes)) => state.comment = bytes,
                (9, Field::Bytes(bytes)) => state.moves.push(StateMove::read(bytes)?),
                (10, Field::Bytes(bytes)) => state.evals.push(Eval::read(bytes)?),
                _ => {}
            }
            Some(())
        })?;
        Some(state)
    }

    fn position(&self) -> Result<AnyPosition, String> {
        let sfen = String::from_utf8_lossy(self.sfen);
        let sfen = sfen.trim();
        let sfen = sfen.strip_prefix("sfen ").unwrap_or(sfen);
        AnyPosition::from_sfen(Game::Shogi, sfen).map_err(|error| error.to_string())
    }
}

impl StateMove {
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut m = Self { code: 0, opinion: 0, weight: 0, next: -1 };
        each(bytes, |number, field| {
            match (number, field) {
                (1, Field::Number(n)) => m.code = n as u32,
                (2, Field::Number(n)) => m.opinion = n,
                (3, Field::Number(n)) => m.weight = n,
                (4, Field::Number(n)) => m.next = i64::from(n as i32),
                _ => {}
            }
            Some(())
        })?;
        Some(m)
    }
}

impl<'a> Eval<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut eval = Self::default();
        each(bytes, |number, field| {
            match (number, field) {
                (1, Field::Number(n)) => eval.value = n as i32,
                (2, Field::Number(n)) => eval.depth = n as u32,
                (5, Field::Bytes(bytes)) => eval.line = bytes,
                (6, Field::Bytes(bytes)) => eval.engine = bytes,
                _ => {}
            }
            Some(())
        })?;
        Some(eval)
    }
}

fn book_move(m: &StateMove, mv: Move, next: Option<Span>, position: &AnyPosition) -> BookMove {
    let mut book_move = BookMove { count: m.weight, ..BookMove::new(mv) };
    if let Some(next) = next {
        book_move.wins = u64::from(next.won[position.turn().index()]);
        let decided = next.won[0].saturating_add(next.won[1]);
        book_move.draws = u64::from(next.games.saturating_sub(decided));
    }
    let opinion = OPINIONS.get(m.opinion as usize).filter(|word| !word.is_empty());
    book_move.comment = opinion.map(|&word| word.into());
    book_move
}

/// The value of a state is that of the first move of its line.
fn add_eval(entry: &mut Entry, position: &AnyPosition, eval: &Eval<'_>) {
    let line = std::str::from_utf8(eval.line).unwrap_or_default();
    let first = line.split_ascii_whitespace().next().unwrap_or_default();
    let Some(mv) = Move::from_usi(Game::Shogi, first) else { return };
    let known = entry.moves.iter().position(|m| m.mv == mv);
    let known = match known {
        Some(known) => known,
        None if position.is_legal(mv) => {
            entry.moves.push(BookMove::new(mv));
            entry.moves.len() - 1
        }
        None => return,
    };
    let m = &mut entry.moves[known];
    if m.value.is_none() || eval.depth > m.depth {
        (m.value, m.depth) = (Some(eval.value), eval.depth);
        let engine = String::from_utf8_lossy(eval.engine);
        m.source = (!engine.is_empty()).then(|| engine.as_ref().into());
    }
}
